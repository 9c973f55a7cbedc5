package genruntime_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
)

// TestDeclaredFreeJSON reads an object in which an edit through the hub has left an entry that no
// longer counts, and writes it without an edit. The API server sorts the members of free JSON in
// between.
func TestDeclaredFreeJSON(t *testing.T) {
	const id = "v2.Party.Names"
	plural, singular := genruntime.Plural(), genruntime.Singular()
	names, stale := []runtime.JSON{runtime.JSON(`{"b":1,"a":[2]}`)}, runtime.JSON(`"stale"`)

	var first runtime.JSON
	bag := runtime.PropertyBag{"first": stale}
	genruntime.Recall(&bag, "first", &first)
	genruntime.Stash(&bag, "names", names)
	if err := genruntime.DeclareFrom(id, &bag, &first, names, "names", "first", plural, singular); err != nil {
		t.Fatal(err)
	}

	first = runtime.JSON(`{"a":[2],"b":1}`)
	var again []runtime.JSON
	genruntime.Recall(&bag, "names", &again)
	genruntime.Stash(&bag, "first", first)
	if err := genruntime.DeclareTo(id, &bag, first, &again, "first", plural, singular); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(runtime.PropertyBag{"first": stale}, bag); diff != "" {
		t.Error("the bag of the hub changed", diff)
	}
}
