package genruntime_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
)

// freeNames and freeWhole have free JSON that hand-written steps convert, in all kinds of members.
type freeNames struct {
	Names       runtime.JSON            `json:"names,omitzero"`
	Rows        []freeRow               `json:"rows,omitzero"`
	More        map[string]runtime.JSON `json:"more,omitzero"`
	PropertyBag runtime.PropertyBag     `json:"$propertyBag,omitzero"`
}

type freeRow struct {
	Cell *runtime.JSON `json:"cell,omitzero"`
	note string
}

type freeWhole struct {
	Full        runtime.JSON        `json:"full,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

// TestStepsOfFreeJSON reads an object through a hand-written step and writes it without an edit.
// The API server sorts the members of free JSON in between.
func TestStepsOfFreeJSON(t *testing.T) {
	properties := []string{"names", "names", "rows", "rows", "more", "more"}
	value := func(text string) *freeNames {
		cell := runtime.JSON(text)
		return &freeNames{Names: runtime.JSON(text), Rows: []freeRow{{Cell: &cell, note: text}}, More: map[string]runtime.JSON{"k": runtime.JSON(text)}}
	}
	const unsorted, sorted, edited = `{"b":[{"d":1,"c":1.50}],"a":"\u00e4"}`, `{"a":"\u00e4","b":[{"c":1.50,"d":1}]}`, `{"a":"\u00e4","b":[{"c":1.5,"d":2}]}`
	far, near := &freeNames{}, &freeWhole{Full: runtime.JSON(`1`), PropertyBag: runtime.PropertyBag{"names": runtime.JSON(`"before"`)}}
	assign := func(dst *freeNames, _ *freeWhole) error {
		bag := dst.PropertyBag
		*dst = *value(unsorted)
		dst.PropertyBag = bag
		return nil
	}
	if err := genruntime.AugmentFrom("step", far, near, false, assign, nil, properties...); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]runtime.JSON{sorted: runtime.JSON(`1`), edited: runtime.JSON(`2`)} {
		back := value(text)
		back.PropertyBag = far.PropertyBag.Clone()
		written := &freeWhole{Full: runtime.JSON(`1`), PropertyBag: far.PropertyBag.Clone()}
		err := genruntime.AugmentTo("step", back, written, true, func(_ *freeNames, dst *freeWhole) error {
			dst.Full = runtime.JSON(`2`)
			return nil
		}, func(*freeNames, *freeWhole) error { return errors.New("refused") }, properties...)
		if diff := cmp.Diff(want, written.Full); err != nil || diff != "" {
			t.Errorf("written back as %s: %v\n%s", text, err, diff)
		}
	}
}

// TestFunctionsOfFreeJSON converts free JSON with a function whose result has the members in
// another order than the API server. The value is the same, so that the restored one stands.
func TestFunctionsOfFreeJSON(t *testing.T) {
	far, near := &freeNames{Names: runtime.JSON(`{"a":1,"b":2}`)}, &freeWhole{Full: runtime.JSON(`"restored"`)}
	err := genruntime.DeriveTo("step", far, near, true, func(_ *freeNames, dst *freeWhole) error {
		dst.Full = runtime.JSON(`"derived"`)
		return nil
	}, func(dst *freeNames, _ *freeWhole) error {
		dst.Names = runtime.JSON(`{"b":2,"a":1}`)
		return nil
	}, "names", "names")
	if err != nil || string(near.Full) != `"restored"` {
		t.Errorf("the value is %s, %v", near.Full, err)
	}
}

// steppedRow refers to itself, and has free JSON only in its bag.
type steppedRow struct {
	Text        *string             `json:"text,omitzero"`
	Rows        []*steppedRow       `json:"rows,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

// TestStepsCopyNoValuesWithoutFreeJSON checks that the checksum of a step allocates nothing for
// each value of a type without free JSON.
func TestStepsCopyNoValuesWithoutFreeJSON(t *testing.T) {
	assign := func(*steppedRow, *freeWhole) error { return nil }
	allocations := func(rows int, properties ...string) float64 {
		far, near := &steppedRow{PropertyBag: runtime.PropertyBag{}}, &freeWhole{PropertyBag: runtime.PropertyBag{}}
		for range rows {
			far.Rows = append(far.Rows, &steppedRow{Text: new("some text")})
		}
		return testing.AllocsPerRun(10, func() {
			if err := genruntime.AugmentFrom("step", far, near, false, assign, nil, properties...); err != nil {
				t.Fatal(err)
			}
		})
	}
	const rows = 1000
	without := allocations(rows, "none", "none")
	if with := allocations(rows, "rows", "rows"); with-without > rows/10 {
		t.Errorf("the checksum of %d rows takes %v allocations", rows, with-without)
	}
}
