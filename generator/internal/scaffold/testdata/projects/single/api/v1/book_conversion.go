package v1

// Hub marks Book as the version that others convert to.
func (*Book) Hub() {}
