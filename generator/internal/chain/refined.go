package chain

import (
	"fmt"

	"github.com/stratakube/strata/generator/internal/model"
)

// unrefined returns the reason why a version is not refined; empty if it is. Models of the ledger
// may have been edited by hand.
func unrefined(v *model.Version) string {
	if spec, ok := v.Spec.(*model.Ref); !ok || spec.Def == nil {
		return "the spec is no reference to a definition"
	}
	if status, ok := v.Status.(*model.Ref); v.Status != nil && (!ok || status.Def == nil) {
		return "the status is no reference to a definition"
	}
	for _, d := range model.Closure(v.Spec, v.Status) {
		o := d.Object()
		if o == nil {
			return fmt.Sprintf("definition %q is no object", d.Name)
		}
		for _, p := range members(o) {
			switch _, inner := Unwrap(p.Type); inner.(type) {
			case *model.Scalar, *model.Enum, *model.Any, *model.Ref:
			default:
				return fmt.Sprintf("property %q of definition %q has no refined type", p.Name, d.Name)
			}
		}
	}
	return ""
}
