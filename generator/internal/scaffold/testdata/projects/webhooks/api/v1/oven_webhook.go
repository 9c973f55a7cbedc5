package v1

// Default sets what a user left open, as projects of kubebuilder 3 do it beside the types.
func (o *Oven) Default() {
	if o.Spec.Degrees == nil {
		degrees := int32(250)
		o.Spec.Degrees = &degrees
	}
}
