package reviews

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/tools/build/ratios"
)

// counted returns what a run counts if requests cost as given.
func counted(costs func(request string) Costs) (all []Count) {
	for _, request := range Requests {
		for _, storage := range []bool{true, false} {
			for _, caches := range []bool{true, false} {
				for _, c := range cases(request, storage, caches) {
					all = append(all, Count{c, costs(request).predicted(c)})
				}
			}
		}
	}
	for _, c := range idleCases() {
		all = append(all, Count{c, costs(Idle).predicted(c)})
	}
	return all
}

// made returns different costs for each request.
func made(request string) Costs {
	if request == Idle {
		return Costs{Served: 3}
	}
	n := len(request)
	c := Costs{Storage: n, Other: 2 * n, Served: 3, Managers: [2][2]int{{n, n + 1}, {n + 2, n + 3}}, Policies: 2}
	if request == "create" {
		c.Managers = [2][2]int{}
	}
	return c
}

// TestTable finds the costs of each cause in counts.
func TestTable(t *testing.T) {
	got, err := Table(counted(made))
	if err != nil {
		t.Fatal(err)
	}
	for _, request := range rows() {
		if diff := cmp.Diff(made(request), got[request]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", request, diff)
		}
	}
}

// TestCountsThatDoNotAddUp changes one count after the other. Each time there is an error.
func TestCountsThatDoNotAddUp(t *testing.T) {
	for i := range counted(made) {
		all := counted(made)
		all[i].Reviews++
		if _, err := Table(all); err == nil || !strings.Contains(err.Error(), "not the sum of its causes") {
			t.Errorf("with one review more in %+v, the error is %v", all[i].Case, err)
		}
	}
}

// TestGuideHasNumbersOfReport requires that the guide explains the numbers that the report has.
func TestGuideHasNumbersOfReport(t *testing.T) {
	docs := filepath.Join("..", "..", "..", "docs")
	all, err := ratios.Read(filepath.Join(docs, "reports", ratios.File))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{
		"update, through the storage version":              0,
		"update, through another version":                  6,
		"update, a version of managers more":               3,
		"update, a version of policies more":               2,
		"update, a served version more":                    1,
		"apply, through another version":                   9,
		"patch, through another version":                   6,
		"patch, a version of managers more":                3,
		"update of the status, a version of managers more": 3,
		"update of the status, through another version":    6,
		Idle + ", a served version more":                   1,
	} {
		if got, has := all["reviews"][name]; !has || got != want {
			t.Errorf("the report has %v for %s, and docs/guide/explanation/reviews.md says %v", got, name, want)
		}
	}
}
