package hidden

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/shape"
)

type (
	pooledSpec struct {
		Rows        []pooledRow         `json:"rows,omitzero"`
		Dict        map[string]pooled   `json:"dict,omitzero"`
		PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
	}
	pooledRow struct {
		Cells []pooled `json:"cells,omitzero"`
	}
	pooled struct {
		On          *bool               `json:"on,omitzero"`
		PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
	}
)

// pooledObject hides a value in each of its lists and maps.
func pooledObject(size int) *pooledSpec {
	hides := pooled{PropertyBag: runtime.PropertyBag{"k": runtime.JSON("1"), "l": runtime.JSON("2")}}
	spec := &pooledSpec{Dict: map[string]pooled{}, PropertyBag: hides.PropertyBag}
	for i := range size {
		spec.Rows = append(spec.Rows, pooledRow{Cells: []pooled{{}, hides, {On: new(i%2 == 0)}}})
		spec.Dict[string(rune('a'+i))] = hides
	}
	return spec
}

// bareObject returns the part of a pooledObject that a version shows.
func bareObject(size int) *pooledSpec {
	spec := pooledObject(size)
	spec.PropertyBag = nil
	for _, row := range spec.Rows {
		row.Cells[1].PropertyBag = nil
	}
	for name := range spec.Dict {
		spec.Dict[name] = pooled{}
	}
	return spec
}

// buffers are those of the writers and restorers, by their names.
type buffers map[string]any

// usePools writes and restores an object by both carriers, and returns the buffers as they are
// after it.
func usePools(t *testing.T, size int) buffers {
	t.Helper()
	s, object := shape.Of(reflect.TypeFor[pooledSpec]()), pooledObject(size)
	goes := NewGoWriter(nil)
	text, written := goes.Bag(&Header{}, s, s, unsafe.Pointer(object), nil)
	bag := string(text)
	goes.Done()
	data, err := jsontext.Marshal(object)
	if err != nil || !written {
		t.Fatal(written, err)
	}
	inJSON := NewJSONWriter()
	if text, _ := inJSON.Bag(&Header{}, s, s, data, nil, nil); string(text) != bag {
		t.Fatalf("the bag of JSON is %s, and that of the object %s", text, bag)
	}
	inJSON.Done()
	b, err := Read(bag)
	if err != nil {
		t.Fatal(err)
	}
	into := NewGoRestorer(nil)
	visible := bareObject(size)
	into.Restore(&b, s, nil, unsafe.Pointer(visible), nil)
	into.Done()
	bare, err := jsontext.Marshal(bareObject(size))
	if err != nil {
		t.Fatal(err)
	}
	intoJSON := NewJSONRestorer()
	if _, ok := intoJSON.Append(nil, s, bare, &b, b.Spec); !ok {
		t.Fatal("the JSON is not restored")
	}
	intoJSON.Done()
	return buffers{
		"entries of a writer of objects": goes.parts.entries, "members of it": goes.parts.members,
		"elements of it": goes.writer.elements, "lists of its printer": goes.printer.lists,
		"entries of a writer of JSON": inJSON.parts.entries, "members of the writer of JSON": inJSON.parts.members,
		"elements of the writer of JSON":    inJSON.writer.elements,
		"elements of a restorer of objects": into.restorer.elements, "open entries of it": into.open,
		"elements of a restorer of JSON": intoJSON.restorer.elements, "members of it in JSON": intoJSON.jsonTarget.members,
	}
}

// TestPoolsRetainNothing wants the buffers of writers and restorers to be empty up to their
// capacity once an object is done.
func TestPoolsRetainNothing(t *testing.T) {
	for name, buffer := range usePools(t, 20) {
		all := reflect.ValueOf(buffer)
		if all.Len() != 0 || all.Cap() == 0 {
			t.Errorf("%s: %d of %d are in use", name, all.Len(), all.Cap())
		}
		for i, all := 0, all.Slice(0, all.Cap()); i < all.Len(); i++ {
			if !all.Index(i).IsZero() {
				t.Errorf("%s: %d retains %v", name, i, all.Index(i))
			}
		}
	}
}

// TestClearingTakesAsLongAsFilling checks that a small object does not clear the unused part of
// buffers that a large one made long.
func TestClearingTakesAsLongAsFilling(t *testing.T) {
	sentinel := node[span]{at: span{7, 7}}
	w, r := NewJSONWriter(), NewJSONRestorer()
	for name, elements := range map[string]*[]node[span]{"writer": &w.writer.elements, "restorer": &r.restorer.elements} {
		all := make([]node[span], 1000)
		all[len(all)-1] = sentinel
		*elements = all[:0]
		w.forget()
		r.restorer.forget()
		if all[len(all)-1] != sentinel {
			t.Errorf("%s: what no object used is cleared", name)
		}
		*elements = nil
	}
	w.Done()
	r.Done()
}
