package code

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/corpus/labtest"
)

func TestMain(m *testing.M) { labtest.Main(m) }

// TestMeasure measures the code of the worked example, and of one of its kinds.
func TestMeasure(t *testing.T) {
	tier.Long(t, "compiles the worked example several times")
	l, err := labtest.Open()
	if err != nil {
		t.Fatal(err)
	}
	figures := map[string]Figures{}
	for name, kinds := range map[string][]string{"all": nil, "one": {"Microsoft.Crm/parties"}} {
		project := corpus.Project{Schemas: filepath.Join(l.Workspace.Root, "schemas", "crm"), Include: corpus.Of(), Kinds: kinds, Like: "webhook", NoCRDs: true}
		c, closing, err := generated(t.Context(), l, "code-example-"+name, project, func(corpus.ID) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		defer closing()
		c.Name, c.WithEngine = name, name == "all"
		f, err := c.Measure(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		times, err := Compile(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		f.Compile = times[0]
		t.Logf("%+v", f)
		figures[name] = f
	}
	all, one := figures["all"], figures["one"]
	if one.Versions == 0 || one.Lines == 0 || one.Compile <= 0 || one.Binary <= 0 || one.Heap <= 0 {
		t.Errorf("figures are missing: %+v", one)
	}
	if all.Versions <= one.Versions || all.Lines <= one.Lines || all.Compile <= one.Compile || all.Binary <= one.Binary || all.Heap <= one.Heap {
		t.Errorf("all kinds cost no more than one of them: %+v, %+v", all, one)
	}
}

// TestPage prints ratios for each resource version, and whether they reach the goal.
func TestPage(t *testing.T) {
	r := Results{
		Peer:   "v9.8.7",
		Ours:   Figures{Versions: 10, Lines: 5_000, Compile: time.Second, Binary: 1e6, Start: time.Millisecond, Heap: 1e5},
		Theirs: Figures{Versions: 20, Lines: 80_000, Compile: 2 * time.Second, Binary: 40e6, Start: 10 * time.Millisecond, Heap: 4e6},
		All:    []Figures{{Name: "two providers", Versions: 1000, Start: 2 * time.Millisecond, Heap: 3e6}},
	}
	page := r.Page()
	for _, want := range []string{
		"Azure Service Operator (v9.8.7)",
		"| lines of Go | 500 | 4000 | 0.12 | reached |\n",
		"| processor time to compile | 100 ms | 100 ms | 1.00 | missed |\n",
		"| size of the program | 100 KB | 2000 KB | 0.05 | reached |\n",
		"| heap | 10 KB | 200 KB | 0.05 | reached |\n",
		"| two providers | 1000 | 2.0 ms | 3.0 MB | 3.0 KB | 29 ms |\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in the page:\n%s", want, page)
		}
	}
	set := r.Ratios()
	if got := set["heap, times Azure Service Operator"]; got != 0.05 || set["two providers, KB of heap for each version"] != 3 {
		t.Errorf("the ratios are %v", set)
	}
}
