package declared

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/operation"
)

// bags is an object that has nothing but a value and a bag.
type bags struct {
	Object
	value runtime.JSON
	bag   runtime.PropertyBag
}

func (o *bags) Bag([]string) *runtime.PropertyBag { return &o.bag }

func (o *bags) Value([]string) runtime.JSON { return o.value }

// TestValuesAreTakenOutOfEntries wants the objects around a value to go with it if they are empty
// then, apart from the outermost that must stay. A bag is no such object, and goes if it is empty.
func TestValuesAreTakenOutOfEntries(t *testing.T) {
	for _, test := range []struct {
		value string
		path  []string
		stay  int
		want  string // empty for nothing
	}{
		{`1`, nil, 0, ``},
		{`1`, nil, 1, ``},
		{`{"a":1}`, []string{"a"}, 0, ``},
		{`{"a":1}`, []string{"a"}, 1, `{}`},
		{`{"a":null}`, []string{"a"}, 0, ``},
		{`{"a":null,"b":1}`, []string{"a", "x"}, 0, `{"b":1}`},
		{`{"b":2,"a":1,"c":null}`, []string{"a"}, 0, `{"b":2,"c":null}`},
		{`{"b":2}`, []string{"a"}, 0, `{"b":2}`},
		{`{}`, []string{"a"}, 0, `{}`},
		{`{"a":{"x":1}}`, []string{"a", "x"}, 0, ``},
		{`{"a":{"x":1}}`, []string{"a", "x"}, 1, `{}`},
		{`{"a":{"x":1}}`, []string{"a", "x"}, 2, `{"a":{}}`},
		{`{"a":{"x":1,"y":2}}`, []string{"a", "x"}, 0, `{"a":{"y":2}}`},
		{`{"$propertyBag":{"x":1}}`, []string{bag.Name, "x"}, 0, ``},
		{`{"$propertyBag":{"x":1}}`, []string{bag.Name, "x"}, 1, `{}`},
		{`{"$propertyBag":{"x":1},"b":2}`, []string{bag.Name, "x"}, 2, `{"b":2}`},
		{`{"$propertyBag":{"x":1,"y":2}}`, []string{bag.Name, "x"}, 0, `{"$propertyBag":{"y":2}}`},
		{`{"$propertyBag":{"x":{"y":1}}}`, []string{bag.Name, "x", "y"}, 1, `{}`},
		{`{"$propertyBag":{"x":{"y":1}}}`, []string{bag.Name, "x", "y"}, 2, `{"$propertyBag":{"x":{}}}`},
	} {
		if got := string(without(runtime.JSON(test.value), test.path, test.stay)); got != test.want {
			t.Errorf("%s without %v, %d stay: %s, want %s", test.value, test.path, test.stay, got, test.want)
		}
	}
}

// TestObjectsInEntriesAreCounted wants the objects of an entry around the property, and no bag.
func TestObjectsInEntriesAreCounted(t *testing.T) {
	for _, test := range []struct {
		entry  string // empty for none
		within []string
		want   int
	}{
		{``, []string{"a"}, 0},
		{`null`, []string{"a"}, 0},
		{`1`, nil, 0},
		{`{}`, []string{"a"}, 1},
		{`{"a":1}`, []string{"a"}, 1},
		{`{}`, []string{"a", "x"}, 1},
		{`{"a":{}}`, []string{"a", "x"}, 2},
		{`{"a":{"x":{"y":1}}}`, []string{"a", "x", "y"}, 3},
		{`{"a":null}`, []string{"a", "x", "y"}, 1},
		{`{"$propertyBag":{"x":1}}`, []string{bag.Name, "x"}, 1},
		{`{"$propertyBag":{"a":{"x":1}}}`, []string{bag.Name, "a", "x"}, 2},
		{`{"a":{"$propertyBag":{"x":1}}}`, []string{"a", bag.Name, "x"}, 2},
	} {
		other := &bags{bag: runtime.PropertyBag{}}
		if test.entry != "" {
			other.bag["k"] = runtime.JSON(test.entry)
		}
		if got := (movedEnd{MovedEnd: MovedEnd{Key: "k", Within: test.within}}).stored(other); got != test.want {
			t.Errorf("%s has %d objects around %v, want %d", test.entry, got, test.within, test.want)
		}
	}
}

// TestRecordsReturn wants the record that was in the bag before. It counts the objects around the
// property again if their number has changed.
func TestRecordsReturn(t *testing.T) {
	const note, absent = `{"values":"v","objects":2}`, `{"values":"v","absent":true,"objects":2}`
	for _, test := range []struct {
		reason                  string
		record                  string
		around, before, emptied int
		want                    string // empty for none
	}{
		{"the objects are the same", note, 1, 1, 0, note},
		{"as many are empty", note, 2, 1, 2, note},
		{"fewer are empty", note, 2, 1, 1, `{"objects":1,"values":"v"}`},
		{"none is empty", note, 2, 1, 0, ``},
		{"none is empty, and the value stays absent", absent, 2, 1, 0, `{"absent":true,"values":"v"}`},
		{"a note that does not read", `{"other":1}`, 2, 1, 1, `{"other":1}`},
	} {
		near := &bags{bag: runtime.PropertyBag{}, value: runtime.JSON(`7`)}
		m := &movement{
			id: "m", src: movedEnd{MovedEnd{Key: "k"}, &bags{}}, dst: movedEnd{MovedEnd{Path: []string{"p"}}, near}, around: test.around, emptied: test.emptied,
			recorded: &movedRecord{Made: Sum(near.value), Record: runtime.JSON(test.record), Around: test.before},
		}
		m.putBack()
		if got := string(near.bag[m.key()]); got != test.want {
			t.Errorf("%s: the note is %s, want %s", test.reason, got, test.want)
		}
	}
}

// TestEntriesReturnWithoutRecord wants the earlier entry to return, and a new record to stay if
// there was none. Nothing returns if the result is another.
func TestEntriesReturnWithoutRecord(t *testing.T) {
	for made, want := range map[string]runtime.PropertyBag{
		`7`: {"k": runtime.JSON(`5`), bag.RecordPrefix + "m": runtime.JSON(`{"values":"new"}`)},
		`8`: {bag.RecordPrefix + "m": runtime.JSON(`{"values":"new"}`)},
	} {
		near := &bags{bag: runtime.PropertyBag{bag.RecordPrefix + "m": runtime.JSON(`{"values":"new"}`)}, value: runtime.JSON(`7`)}
		m := &movement{
			id: "m", src: movedEnd{MovedEnd{Key: "k"}, &bags{}}, dst: movedEnd{MovedEnd{Path: []string{"p"}}, near},
			recorded: &movedRecord{Made: Sum(runtime.JSON(made)), Before: runtime.JSON(`5`)},
		}
		m.putBack()
		if diff := cmp.Diff(want, near.bag); diff != "" {
			t.Errorf("the result was %s:\n%s", made, diff)
		}
	}
}

// TestPropertiesOfOneEntry wants two properties to be in one entry if they are in one value of the
// same object.
func TestPropertiesOfOneEntry(t *testing.T) {
	end := func(objects int, path ...string) movedEnd {
		return movedEnd{MovedEnd: MovedEnd{Path: path, Objects: path[:objects]}}
	}
	one := end(1, "a", "b", "c")
	for _, test := range []struct {
		other movedEnd
		want  bool
	}{
		{one, true}, {end(1, "a", "b", "d"), true}, {end(1, "a", "b"), true},
		{end(1, "a", "d", "c"), false}, {end(1, "d", "b", "c"), false}, {end(0, "a", "b", "c"), false}, {end(2, "a", "b", "c"), false},
	} {
		if got := one.isIn(test.other); got != test.want {
			t.Errorf("%v of %v is in the entry: %t", test.other.Path, test.other.Objects, got)
		}
	}
}

// property is a [Property].
type property struct{ value runtime.JSON }

func (p *property) JSON() runtime.JSON { return p.value }

func (p *property) Set(value runtime.JSON) error { p.value = value; return nil }

// TestRestoredValuesStayWithoutRecord restores a value that is more exact than the other side's. It
// must stay, and needs no record, since a write without an edit restores it again.
func TestRestoredValuesStayWithoutRecord(t *testing.T) {
	toSeconds, toMilliseconds := operation.ScaleWhole(1, 1000), operation.ScaleWhole(1000, 1)
	for _, test := range []struct {
		far, near, want string
		isRecorded      bool
	}{
		{`1500`, `1`, `1500`, false}, {`1500`, `2`, `2000`, true}, {``, `2`, `2000`, false},
	} {
		far, b := &property{}, runtime.PropertyBag{}
		if test.far != "" {
			far.value = runtime.JSON(test.far)
		}
		if err := From(Keys{ID: "m", Far: "f", Near: "n"}, &b, far, runtime.JSON(test.near), toSeconds, toMilliseconds); err != nil {
			t.Error(err)
		}
		if _, isRecorded := b[bag.RecordPrefix+"m"]; isRecorded != test.isRecorded || string(far.value) != test.want {
			t.Errorf("%s with %s is %s, want %s; the bag is %v", test.near, test.far, far.value, test.want, b)
		}
	}
}
