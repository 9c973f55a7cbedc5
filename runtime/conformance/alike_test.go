package conformance

import (
	"encoding/json"
	"reflect"
	"testing"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
)

// TestElementsAreIdentified checks that an edited element is recognized by an unchanged scalar, and
// by nothing less. Fingerprints have no leaf for empty values, however many there are.
func TestElementsAreIdentified(t *testing.T) {
	type leaf struct {
		Text  *string         `json:"text,omitempty"`
		Parts []leaf          `json:"parts,omitempty"`
		Named map[string]leaf `json:"named,omitempty"`
	}
	tests := []struct {
		reason, was, is string
		recognized      bool
	}{
		{"a text is as before", `{"text":"a"}`, `{"text":"a","parts":[{}]}`, true},
		{"a text deep within is as before", `{"parts":[{},{"named":{"k":{"text":"a"}}}]}`, `{"text":"new","parts":[{},{"named":{"k":{"text":"a"}}}]}`, true},
		{"the text is another", `{"text":"a"}`, `{"text":"b"}`, false},
		{"an empty text is as before", `{"text":"","parts":[{"text":""}]}`, `{"text":"","parts":[{"text":""},{"text":"new"}]}`, false},
		{"there are lists of nothing", `{"parts":[{},{}]}`, `{"text":"new","parts":[{},{}]}`, false},
		{"there are keys of nothing", `{"parts":[{"named":{"k":{},"l":{"parts":[{}]}}}]}`, `{"text":"new","parts":[{"named":{"k":{},"l":{"parts":[{}]}}}]}`, false},
	}
	for _, tt := range tests {
		looks := make([]look, 2)
		for i, text := range []string{tt.was, tt.is} {
			var object leaf
			if err := json.Unmarshal([]byte(text), &object); err != nil {
				t.Fatal(err)
			}
			looks[i] = newLook(reflect.TypeFor[leaf](), unsafe.Pointer(&object))
		}
		e := elements{was: looks[:1], are: looks[1:]}
		if recognized := e.isRecognized(looks[0], looks[1]); recognized != tt.recognized {
			t.Errorf("%s: recognized %t", tt.reason, recognized)
		}
	}
}

// TestBagsOfAdditionalMembersAreNotSeen compares objects by their visible values. An additional
// member that shows only empty values does not count, whatever its bag has, as in fingerprints.
func TestBagsOfAdditionalMembersAreNotSeen(t *testing.T) {
	for _, test := range []struct {
		reason  string
		members map[string]openPart
		same    bool
	}{
		{"a bag", map[string]openPart{"k": {PropertyBag: runtime.PropertyBag{"size": runtime.JSON("1")}}}, true},
		{"a zero value beside a bag", map[string]openPart{"k": {Size: new(int64), PropertyBag: runtime.PropertyBag{"size": runtime.JSON("1")}}}, true},
		{"a bag within", map[string]openPart{"k": {AdditionalProperties: map[string]openPart{"l": {PropertyBag: runtime.PropertyBag{"size": runtime.JSON("1")}}}}}, true},
		{"a value", map[string]openPart{"k": {Size: new(int64(1))}}, false},
	} {
		object, none := openPart{AdditionalProperties: test.members}, openPart{}
		of := reflect.TypeFor[openPart]()
		if same := newLook(of, unsafe.Pointer(&object)).text == newLook(of, unsafe.Pointer(&none)).text; same != test.same {
			t.Errorf("%s is seen: %t", test.reason, !same)
		}
	}
}

// openPart is an object of storage that is open to others of its type.
type openPart struct {
	Size                 *int64              `json:"size,omitzero"`
	AdditionalProperties map[string]openPart `json:"-"`
	PropertyBag          runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

func (o openPart) MarshalJSON() ([]byte, error) {
	type fixed openPart
	return genruntime.MarshalOpen(fixed(o), o.AdditionalProperties)
}

func TestIsRecognized(t *testing.T) {
	of := func(members ...string) look {
		l := look{members: map[string]member{}}
		for i := 0; i < len(members); i += 2 {
			l.members[members[i]] = member{text: members[i+1], hasValues: true}
		}
		return l
	}
	a, b := of("licence", "a", "age", "1"), of("licence", "b", "age", "2")
	tests := []struct {
		reason  string
		keys    []string
		was, is look
		want    bool
	}{
		{"what a stated key says is known again, whatever else was edited", []string{"licence"}, a, of("licence", "a", "age", "5"), true},
		{"whoever edits a stated key makes another element", []string{"licence"}, a, of("licence", "c", "age", "1"), false},
		{"no key is stated: what is as before tells", nil, a, of("licence", "c", "age", "1"), true},
		{"all keys together tell", []string{"licence", "age"}, a, of("licence", "a", "age", "5"), false},
		{"a name is a key without being stated", nil, of("name", "a", "age", "1"), of("name", "c", "age", "1"), false},
	}
	for _, tt := range tests {
		e := elements{keys: tt.keys, was: []look{tt.was, b}, are: []look{tt.is, b}}
		if got := e.isRecognized(tt.was, tt.is); got != tt.want {
			t.Errorf("%s: got %t", tt.reason, got)
		}
	}
}
