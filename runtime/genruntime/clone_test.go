package genruntime_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

func (a *address) DeepCopyInto(out *address) {
	*out = address{
		Street:      genruntime.Clone(a.Street),
		Number:      genruntime.Clone(a.Number),
		Height:      genruntime.Clone(a.Height),
		Listed:      genruntime.Clone(a.Listed),
		Lines:       genruntime.CloneList(a.Lines),
		Labels:      genruntime.CloneMap(a.Labels),
		Former:      genruntime.CopyList(a.Former),
		Free:        a.Free.DeepCopy(),
		PropertyBag: a.PropertyBag.DeepCopy(),
	}
}

func TestCopiesEqualAndShareNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawAddress(t, 2)
		before, err := jsontext.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		out := genruntime.CopyObject(in)
		if diff := cmp.Diff(in, out); diff != "" {
			t.Fatal(diff)
		}
		spoil(out)
		if after, _ := jsontext.Marshal(in); string(after) != string(before) {
			t.Fatalf("the source changed with its copy, from %s to %s", before, after)
		}
	})
}

// spoil changes all that an address points to.
func spoil(a *address) {
	if a.Street != nil {
		*a.Street += "!"
	}
	if a.Number != nil {
		*a.Number++
	}
	for i := range a.Lines {
		a.Lines[i] += "!"
	}
	for key := range a.Labels {
		a.Labels[key] += "!"
	}
	for i := range a.Former {
		spoil(&a.Former[i])
	}
	for i := range a.Free {
		a.Free[i] = 'x'
	}
	for _, value := range a.PropertyBag {
		value[0] = 'x'
	}
}

func TestCopiesKeepAbsentAndEmpty(t *testing.T) {
	texts := func(in []string) []string { return genruntime.CloneList(in) }
	for reason, same := range map[string]bool{
		"absent scalar":          genruntime.Clone[string](nil) == nil,
		"absent object":          genruntime.CopyObject[address](nil) == nil,
		"absent list":            genruntime.CloneList[string](nil) == nil,
		"absent map":             genruntime.CloneMap[string, string](nil) == nil,
		"absent list of lists":   genruntime.CloneListFunc(nil, texts) == nil,
		"absent map of lists":    genruntime.CloneMapFunc(map[string][]string(nil), texts) == nil,
		"absent list of objects": genruntime.CopyList[address](nil) == nil,
		"absent map of objects":  genruntime.CopyMap[address](nil) == nil,
		"empty list":             genruntime.CloneList([]string{}) != nil,
		"empty map":              genruntime.CloneMap(map[string]string{}) != nil,
		"empty list of lists":    genruntime.CloneListFunc([][]string{}, texts) != nil,
		"empty map of lists":     genruntime.CloneMapFunc(map[string][]string{}, texts) != nil,
		"empty list of objects":  genruntime.CopyList([]address{}) != nil,
		"empty map of objects":   genruntime.CopyMap(map[string]address{}) != nil,
	} {
		if !same {
			t.Errorf("%s is not kept", reason)
		}
	}
}

func TestNestedLifts(t *testing.T) {
	in := map[string][][]address{"a": {{{Number: new(int64(1))}}, {}, nil}}
	out := genruntime.CloneMapFunc(in, func(lists [][]address) [][]address { return genruntime.CloneListFunc(lists, genruntime.CopyList) })
	if diff := cmp.Diff(in, out); diff != "" {
		t.Error(diff)
	}
	*out["a"][0][0].Number = 2
	if *in["a"][0][0].Number != 1 {
		t.Error("the copy shares memory")
	}
	matrix := [][]string{{"a"}}
	genruntime.CloneListFunc(matrix, genruntime.CloneList)[0][0] = "b"
	tables := map[string]map[string]string{"a": {"b": "c"}}
	genruntime.CloneMapFunc(tables, genruntime.CloneMap)["a"]["b"] = "d"
	if matrix[0][0] != "a" || tables["a"]["b"] != "c" {
		t.Error("the copy shares memory")
	}
}

func TestCopyMap(t *testing.T) {
	in := map[string]address{"a": {Street: new("x")}, "b": {}}
	out := genruntime.CopyMap(in)
	if diff := cmp.Diff(in, out); diff != "" {
		t.Error(diff)
	}
	*out["a"].Street = "y"
	if *in["a"].Street != "x" {
		t.Error("the copy shares memory")
	}
}

func TestCopiesOfOwners(t *testing.T) {
	in := &runtime.Owner{Name: new("group"), ExternalID: new("/subscriptions/1")}
	out := in.DeepCopy()
	if diff := cmp.Diff(in, out); diff != "" {
		t.Error(diff)
	}
	if in.Name == out.Name || in.ExternalID == out.ExternalID || (*runtime.Owner)(nil).DeepCopy() != nil {
		t.Error("the copy shares memory, or is one of nothing")
	}
}
