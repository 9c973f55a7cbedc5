package convert

import (
	"testing"

	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// storedForms are specs of the open version of a chest, with their text in storage, and the spec
// that the other version reads. Objects of these forms exist in clusters, so that a row never
// changes.
var storedForms = []struct{ reason, spec, stored, named string }{
	{"a member that the other version names", `{"danger":true}`, `{"danger":true,"originalVersion":"v20110101"}`, `{"danger":true}`},
	{"the same of another type", `{"danger":"text"}`, `{"originalVersion":"v20110101","$propertyBag":{"$additionalProperties":{"danger":"text"}}}`, `{}`},
	{"the same without a value", `{"danger":null}`, `{"originalVersion":"v20110101","$propertyBag":{"$additionalProperties":{"danger":null}}}`, `{}`},
	{"an object that the other version names, with a member that it lacks", `{"inner":{"lid":true,"size":1}}`, `{"inner":{"size":1,"$propertyBag":{"lid":true}},"originalVersion":"v20110101"}`, `{"inner":{"size":1}}`},
	{"with a value of the wrong type", `{"inner":{"size":"s"}}`, `{"originalVersion":"v20110101","$propertyBag":{"$additionalProperties":{"inner":{"size":"s"}}}}`, `{}`},
	{"with names like keys", `{"inner":{"":1,"@":2,"size@v20190909!raw":"s"}}`, `{"inner":{"$propertyBag":{"@":1,"@@":2,"size@v20190909!raw@":"s"}},"originalVersion":"v20110101"}`, `{"inner":{}}`},
	{"with a property bag of the client", `{"inner":{"$propertyBag":{"size":1}}}`, `{"originalVersion":"v20110101","$propertyBag":{"$additionalProperties":{"inner":{"$propertyBag":{"size":1}}}}}`, `{}`},
	{"property bags of the client", `{"$$propertyBag":1,"$propertyBag":{"danger":true}}`, `{"originalVersion":"v20110101","$propertyBag":{"$additionalProperties":{"$$propertyBag":1,"$propertyBag":{"danger":true}}}}`, `{}`},
	{"names of entries of a bag", `{"$additionalProperties":{"danger":true},"$coveredProperties":1}`, `{"originalVersion":"v20110101","$propertyBag":{"$additionalProperties":{"$additionalProperties":{"danger":true},"$coveredProperties":1}}}`, `{}`},
	{"members without a name, and with names like keys", `{"":1,"@":2,"danger":true,"known@v20110101!raw":7}`, `{"danger":true,"originalVersion":"v20110101","$propertyBag":{"$additionalProperties":{"":1,"@":2,"known@v20110101!raw":7}}}`, `{"danger":true}`},
	{"a property of the wrong type", `{"known":1}`, `{"originalVersion":"v20110101","$propertyBag":{"known@v20110101!raw":1}}`, `{}`},
	{"lists and maps of the wrong type", `{"tags":["a"],"trays":7}`, `{"originalVersion":"v20110101","$propertyBag":{"tags@v20110101!raw":["a"],"trays@v20110101!raw":7}}`, `{}`},
	{"elements of the wrong type", `{"trays":[1,{"size":2},{"size":"s"},"t"]}`, `{"trays":[{"size":2},{"$propertyBag":{"size@v20110101!raw":"s"}}],"originalVersion":"v20110101","$propertyBag":{"trays@v20110101!elements!raw":[[0,[1]],[3,["t"]]]}}`, `{"trays":[{"size":2},{}]}`},
	{"keys of a map called like property bags", `{"tags":{"":"c","$$propertyBag":"b","$propertyBag":"a"}}`, `{"tags":{"":"c","$$$propertyBag":"b","$$propertyBag":"a"},"originalVersion":"v20110101"}`, `{"tags":{"":"c","$$propertyBag":"b","$propertyBag":"a"}}`},
}

// TestStoredForms checks the stored text byte by byte, and that both versions read it.
func TestStoredForms(t *testing.T) {
	for _, test := range storedForms {
		t.Run(test.reason, func(t *testing.T) {
			stored, err := upOpen(chestOf(openVersion, test.spec))
			if err != nil {
				t.Fatal(err)
			}
			if got := string(jsontext.MemberOf(stored, "spec")); got != test.stored {
				t.Errorf("it is stored as\n%s, want\n%s", got, test.stored)
			}
			hub := chestOf(namedVersion+"storage", test.stored)
			for _, side := range []struct {
				down func([]byte) ([]byte, error)
				want string
			}{{downOpen, test.spec}, {downNamed, test.named}} {
				visible, err := side.down(hub)
				if err != nil {
					t.Fatal(err)
				}
				fixtures.SameJSONText(t, "read again", jsontext.MemberOf(visible, "spec"), side.want)
			}
		})
	}
}

// TestStoredFormsOfOpenObjects checks the names of members in open objects and maps whose storage
// type is of the same version.
func TestStoredFormsOfOpenObjects(t *testing.T) {
	for _, test := range []struct{ spec, stored string }{
		{`{"any":{"$propertyBag":{"k":1},"x":2}}`, `{"any":{"$$propertyBag":{"k":1},"x":2},"originalVersion":"v20140404"}`},
		{`{"any":{"$$$propertyBag":[1],"x":2}}`, `{"any":{"$$$$propertyBag":[1],"x":2},"originalVersion":"v20140404"}`},
		{`{"any":{"$$propertyBag":"own"}}`, `{"any":{"$$$propertyBag":"own"},"originalVersion":"v20140404"}`},
		{`{"any":{"x":null}}`, `{"any":{"x":null},"originalVersion":"v20140404"}`},
	} {
		stored, err := gadgetUp([]byte(gadgetHead + `,"spec":` + test.spec + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(jsontext.MemberOf(stored, "spec")); got != test.stored {
			t.Errorf("%s is stored as\n%s, want\n%s", test.spec, got, test.stored)
		}
		visible, err := gadgetDown([]byte(gadgetHubHead + `,"spec":` + test.stored + `}`))
		if err != nil {
			t.Fatal(err)
		}
		fixtures.SameJSONText(t, "read again", jsontext.MemberOf(visible, "spec"), test.spec)
	}
}
