package operator

import (
	"reflect"
	"testing"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/stratakube/strata/operator/reconciler"
)

// TestOptionsReachReconcilers sets each option that reconcilers have too, and checks that they
// get its value.
func TestOptionsReachReconcilers(t *testing.T) {
	set := 0
	for _, field := range reflect.VisibleFields(reflect.TypeFor[reconciler.Options]()) {
		given, has := reflect.TypeFor[Options]().FieldByName(field.Name)
		if !has {
			continue
		}
		for _, value := range valuesOf(field.Type) {
			var o Options
			switch in := reflect.ValueOf(&o).Elem().FieldByIndex(given.Index); given.Type {
			case field.Type:
				in.Set(value)
			case reflect.PointerTo(field.Type):
				in.Set(reflect.New(field.Type))
				in.Elem().Set(value)
			default: // such as kinds, which users select by name
				continue
			}
			set++
			if got := reflect.ValueOf(o.shared()).FieldByIndex(field.Index); !got.Equal(value) {
				t.Errorf("%s is %v, and reconcilers have %v", field.Name, value, got)
			}
		}
	}
	if set < 6 {
		t.Errorf("%d options were set", set)
	}
}

// valuesOf returns values of a type that options can have.
func valuesOf(kind reflect.Type) []reflect.Value {
	switch kind.Kind() {
	case reflect.Bool:
		return []reflect.Value{reflect.ValueOf(true), reflect.ValueOf(false)}
	case reflect.Int64:
		return []reflect.Value{reflect.ValueOf(int64(7)).Convert(kind)}
	case reflect.Pointer:
		if kind == reflect.TypeFor[*k8sruntime.Scheme]() {
			return []reflect.Value{reflect.ValueOf(k8sruntime.NewScheme())}
		}
	}
	return nil
}
