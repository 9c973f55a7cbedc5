package v1

// Hub marks the version that others convert to.
func (*Database) Hub() {}
