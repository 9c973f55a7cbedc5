package corpus_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/corpus/labtest"
)

var showWhole = sync.OnceValues(func() (corpus.Models, error) {
	l, err := labtest.Open()
	if err != nil {
		return nil, err
	}
	run, err := generateWhole()
	if err != nil {
		return nil, err
	}
	return l.Show(context.Background(), run.Project)
})

func models(t *testing.T) corpus.Models {
	t.Helper()
	labtest.WithSchemas(t)
	all, err := showWhole()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestConflictsAreFewAndReported requires that what becomes free JSON although its schema gives it
// a type is little, and that a report names each such property at its position in the model.
func TestConflictsAreFewAndReported(t *testing.T) {
	tier.Long(t, "generates from all published schemas")
	const most = 60
	reported, err := corpus.ReadConflicts(whole(t).Output())
	if err != nil {
		t.Fatal(err)
	}
	if len(reported) > most {
		t.Errorf("%d properties are free JSON because branches conflict, want at most %d", len(reported), most)
	}
	if counted := whole(t).Summary.FreeJSON; counted != len(reported) {
		t.Errorf("the reports name %d properties, and the run says %d", len(reported), counted)
	}
	inModels := conflicts(models(t))
	for _, c := range reported {
		if inModels[c.ID][c.Path] == 0 {
			t.Errorf("%v: the model has no conflict at %s, which a report names", c.ID, c.Path)
		}
		inModels[c.ID][c.Path]--
	}
	for id, paths := range inModels {
		for path, left := range paths {
			if left > 0 {
				t.Errorf("%v: no report names %s", id, path)
			}
		}
	}
}

// conflicts lists the free JSON in models that a conflict of declarations caused. An object at
// several positions counts at the first.
func conflicts(models corpus.Models) map[corpus.ID]map[string]int {
	found := map[corpus.ID]map[string]int{}
	for id, model := range models {
		for _, position := range model.Positions() {
			if position.Conflict == "" {
				continue
			}
			if found[id] == nil {
				found[id] = map[string]int{}
			}
			found[id][position.Path] = 1
		}
	}
	return found
}

// TestNoPropertyIsLost compares the models with a count of the properties of each schema, made
// without the generator. It counts the name of a resource, too, and the branches of a union apart,
// so that it is larger in schemas with unions.
func TestNoPropertyIsLost(t *testing.T) {
	const (
		nameToo = 1
		equal   = 2380 // versions at least; the others have unions
	)
	counted, err := labtest.WithSchemas(t).Properties()
	if err != nil {
		t.Fatal(err)
	}
	same := 0
	var other []string
	for id, model := range models(t) {
		if model.Count()+nameToo == counted[id] {
			same++
			continue
		}
		other = append(other, fmt.Sprintf("%v: %d, not %d", id, model.Count()+nameToo, counted[id]))
	}
	if same < equal {
		slices.Sort(other)
		t.Errorf("%d versions have the counted properties, want %d; the others are\n%s", same, equal, strings.Join(other, "\n"))
	}
}

// TestPropertiesStandWhereTheyWereSeen looks up the properties that are known to change from
// version to version.
func TestPropertiesStandWhereTheyWereSeen(t *testing.T) {
	tier.Long(t, "looks for all properties of the corpus")
	all, err := labtest.WithSchemas(t).Observations()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 2000 {
		t.Fatalf("only %d properties were seen", len(all))
	}
	for _, seen := range all {
		model := models(t)[seen.ID]
		if model == nil {
			t.Errorf("there is no %v", seen.ID)
			continue
		}
		if there := model.Has(seen.Path); there != seen.There {
			t.Errorf("%v: that it has %s is %t, want %t", seen.ID, seen.Path, there, seen.There)
		}
	}
}
