package v1

// Hub marks Recipe as the version that others convert to.
func (*Recipe) Hub() {}
