package hidden

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// panicky is a type of the author. Its MarshalJSON panics if isArmed is set.
type panicky struct{ Of int }

var isArmed bool

func (panicky) MarshalJSON() ([]byte, error) {
	if isArmed {
		panic("by the author")
	}
	return []byte(`"x"`), nil
}

type (
	panickyCell struct {
		Value       panicky             `json:"value"`
		PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
	}
	panickyRow struct {
		Name        *string             `json:"name,omitzero"`
		Cells       []panickyCell       `json:"cells,omitzero"`
		PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
	}
	panickySpec struct {
		Rows []panickyRow `json:"rows,omitzero" strata:"key=name"`
	}
)

// TestPanicLeavesNothing restores an object whose MarshalJSON panics: the restorer that comes back
// to the pool has nothing of it.
func TestPanicLeavesNothing(t *testing.T) {
	s := shape.Of(reflect.TypeFor[panickySpec]())
	cells := []panickyCell{{PropertyBag: runtime.PropertyBag{"k": runtime.JSON("1")}}}
	stored := panickySpec{Rows: []panickyRow{{Name: new("a"), Cells: cells}}}
	w := NewGoWriter(nil)
	text, _ := w.Bag(&Header{}, s, nil, unsafe.Pointer(&stored), nil)
	b, err := Read(string(text))
	w.Done()
	if err != nil {
		t.Fatal(err)
	}
	r := NewGoRestorer(nil)
	func() {
		defer r.Done()
		defer func() {
			if isArmed = false; recover() == nil {
				t.Error("no panic")
			}
		}()
		isArmed = true
		visible := panickySpec{Rows: []panickyRow{{Name: new("a"), Cells: []panickyCell{{}}}}}
		r.Restore(&b, s, nil, unsafe.Pointer(&visible), nil)
	}()
	if r.lists != 0 || len(r.restorer.elements) != 0 || len(r.open) != 0 || r.jumps != nil {
		t.Errorf("%d lists, %d elements, %d open objects, jumps %v", r.lists, len(r.restorer.elements), len(r.open), r.jumps)
	}
}
