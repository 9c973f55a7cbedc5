package genruntime_test

import (
	"encoding/json"
	"testing"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// TestStoredFormsOfCovers checks, byte by byte, the entries of bags that store covers and foreign
// members. Objects of these forms exist in clusters, so that the texts must never change.
func TestStoredFormsOfCovers(t *testing.T) {
	const (
		named   = `{"danger":true,"inner":{"size":1},"$propertyBag":{"danger@v3":"very"}}`
		covered = `{"danger":true,"inner":{"size":1},"$propertyBag":{"$coveredProperties":{"danger":{"key":"danger","shown":true,"stored":{"danger":true,"danger@v3":"very"}}}}}`
	)
	src := namedBox{Danger: new(true), Inner: &innerBox{Size: new(int64(1))}, PropertyBag: runtime.PropertyBag{"danger@v3": runtime.JSON(`"very"`)}}
	var open openBox
	openFromNamed(&src, &open)
	data, err := genruntime.MarshalOpen(fixedBox(open), open.AdditionalProperties)
	if err != nil || string(data) != covered {
		t.Errorf("the open version stores %s, %v, want\n%s", data, err, covered)
	}
	var read openBox
	if err := genruntime.UnmarshalOpen([]byte(covered), (*fixedBox)(&read), &read.AdditionalProperties, "known", "$propertyBag"); err != nil {
		t.Fatal(err)
	}
	var back namedBox
	openToNamed(&read, &back)
	fixtures.SameText(t, "read again", &back, named)

	const foreign = `{"$propertyBag":{"$foreignProperties":{"danger":true}}}`
	stranger := openBox{AdditionalProperties: map[string]runtime.JSON{"danger": runtime.JSON("true")}}
	other := namedBox{PropertyBag: genruntime.Lower(&stranger, boxFurthers, "danger")}
	genruntime.Raise(&other, boxFurthers)
	if data, err := jsontext.Marshal(&other); err != nil || string(data) != foreign {
		t.Errorf("a member with the name of another property is stored as %s, %v", data, err)
	}
	var again namedBox
	if err := json.Unmarshal([]byte(foreign), &again); err != nil {
		t.Fatal(err)
	}
	visible := openBox{PropertyBag: genruntime.Lower(&again, boxFurthers)}
	genruntime.Raise(&visible, boxFurthers, "danger")
	if got := string(visible.AdditionalProperties["danger"]); got != "true" || visible.PropertyBag != nil {
		t.Errorf("it comes back as %s, with %v", got, visible.PropertyBag)
	}
}

// TestStoredFormsOfNamedMembers checks the text of a typed additional member that covers a wrong
// one.
func TestStoredFormsOfNamedMembers(t *testing.T) {
	src := typedToLidded(&typedBox{AdditionalProperties: map[string]lidBox{"danger": wrongSize(`"s"`)}})
	const wrong = `{"$propertyBag":{"$additionalProperties":{"danger":{"$propertyBag":{"size@v1!raw":"s"}}}}}`
	if data, err := jsontext.Marshal(&src); err != nil || string(data) != wrong {
		t.Errorf("it is stored as %s, %v", data, err)
	}
	src.Danger = &lidBox{Size: new(int64(1))}
	covers := typedFromLidded(&src)
	const covered = `{"$coveredProperties":{"danger":{"key":"danger","shown":{"size":1},"stored":{"$additionalProperties":{"$propertyBag":{"size@v1!raw":"s"}},"danger":{"size":1}}}}}`
	if data, err := jsontext.Marshal(covers.PropertyBag); err != nil || string(data) != covered {
		t.Errorf("the cover is %s, %v", data, err)
	}
}
