package convert

import (
	"reflect"

	"github.com/stratakube/strata/runtime/internal/preserve"
)

// DecisionSteps returns how many steps more than other conversions a write of an object takes at
// most, if the decision on its original version depends on conversions of its spec. Each takes the
// time and the memory of a conversion step. The result is zero for kinds without such decisions.
// Hub is a pointer to an object of the hub's type.
func DecisionSteps(hub any) int {
	t := reflect.TypeOf(hub)
	if t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return 0
	}
	spec, found := t.Elem().FieldByName("Spec")
	if !found || spec.Type.Kind() != reflect.Pointer {
		return 0
	}
	return preserve.DecisionSteps(spec.Type.Elem())
}
