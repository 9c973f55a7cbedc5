package history_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/e2e/history"
)

func TestOrder(t *testing.T) {
	got := []string{"2015-05-05", "2014-04-04", "2014-04-04-preview", "2013-03-03", "2015-05-05-beta", "2015-05-05-alpha"}
	slices.SortFunc(got, history.Order)
	want := []string{"2013-03-03", "2014-04-04-preview", "2014-04-04", "2015-05-05-alpha", "2015-05-05-beta", "2015-05-05"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestHistoriesOfVersions looks at which versions there are at each stage. Versions are years, of
// previews with a p.
func TestHistoriesOfVersions(t *testing.T) {
	for _, test := range []struct {
		reason, versions string
		renames          []history.Rename
		want             map[string]string // stages, by history
	}{
		{
			reason: "one version can only lose its schema", versions: "2011",
			want: map[string]string{"gone": "2011; 2011 without 2011; 2011 without 2011 secret *"},
		},
		{
			reason: "without previews, no history is about them", versions: "2011 2012 2013",
			want: map[string]string{
				"arrivals": "2011; 2011 2012; 2011 2012 2013",
				"late":     "2013; 2012 2013; 2011 2012 2013",
				"chosen":   "2011 2012 2013; 2011 2012 2013 hub 2012; 2011 2012 2013; 2011 2012 2013 hub 2011",
				"pruned":   "2011 2012 2013; 2011 2012 2013 pruned 2011",
				"gone":     "2011 2012 2013; 2011 2012 2013 without 2012; 2011 2012 2013 without 2012 2011; 2011 2012 2013 without 2012 2011 2013; 2011 2012 2013 without 2012 2011 2013 secret *",
			},
		},
		{
			reason: "the last stable version that a preview follows is overtaken; leading previews come first", versions: "2011p 2012 2013 2014p 2015",
			want: map[string]string{
				"overtaken": "2011p 2012 2014p; 2011p 2012 2013 2014p; 2011p 2012 2013 2014p 2015",
				"previews":  "2011p; 2011p 2012; 2011p 2012 2013 2014p 2015",
			},
		},
		{
			reason: "where no preview leads, all come first", versions: "2011 2012p 2013",
			want: map[string]string{"previews": "2012p; 2012p 2011; 2011 2012p 2013"},
		},
		{
			reason: "the last version arrives after a rename that it has nothing to do with", versions: "2011 2012 2013",
			renames: []history.Rename{{Version: source("2011"), Type: "T", Property: "a", To: "b"}},
			want:    map[string]string{"renamed": "2011 2012; 2011 2012; 2011 2012 2013"},
		},
		{
			reason: "a version that a rename leads to cannot arrive after it", versions: "2011 2012",
			renames: []history.Rename{{Version: source("2011"), Type: "T", Property: "a", To: "b"}},
			want:    map[string]string{"renamed": "2011 2012; 2011 2012"},
		},
	} {
		t.Run(test.reason, func(t *testing.T) {
			var versions []string
			for _, year := range strings.Fields(test.versions) {
				versions = append(versions, source(year))
			}
			got := map[string]string{}
			for _, h := range history.Histories(versions, test.renames) {
				got[h.Name] = describe(h)
			}
			for name, want := range test.want {
				if got[name] != want {
					t.Errorf("%s is\n%s, want\n%s", name, got[name], want)
				}
			}
		})
	}
}

func source(year string) string {
	return strings.TrimSuffix(year, "p") + "-01-01" + strings.Repeat("-preview", strings.Count(year, "p"))
}

func describe(h history.History) string {
	short := strings.NewReplacer("-01-01-preview", "p", "-01-01", "")
	var stages []string
	for _, s := range h.Stages {
		text := strings.Join(s.Versions, " ")
		if len(s.Gone) > 0 {
			text += " without " + strings.Join(s.Gone, " ")
		}
		if len(s.Pruned) > 0 {
			text += " pruned " + strings.Join(s.Pruned, " ")
		}
		if s.Hub != "" {
			text += " hub " + s.Hub
		}
		if s.Secrets != "" {
			text += " secret " + s.Secrets
		}
		stages = append(stages, short.Replace(text))
	}
	return strings.Join(stages, "; ")
}

func TestReadResults(t *testing.T) {
	r := history.ReadResults(`+ go test -json ./...
{"Action":"run","Package":"a","Test":"TestHistory/s01"}
{"Action":"output","Package":"a","Test":"TestHistory/s01","Output":"fine\n"}
{"Action":"pass","Package":"a","Test":"TestHistory/s01"}
{"Action":"output","Package":"a","Test":"TestHistory/s02","Output":"lost\n"}
{"Action":"fail","Package":"a","Test":"TestHistory/s02"}
{"Action":"build-output","ImportPath":"b","Output":"undefined: x\n"}
{"Action":"build-fail","ImportPath":"b"}
`)
	if !r.Passed["a/TestHistory/s01"] || len(r.Passed) != 1 {
		t.Errorf("passed: %v", r.Passed)
	}
	if r.Failed["a/TestHistory/s02"] != "lost\n" || r.Failed["b"] != "undefined: x\n" || len(r.Failed) != 2 {
		t.Errorf("failed: %q", r.Failed)
	}
}

// TestStepsOfSeveralTreesDoNotClash requires that each declaration of a tree's steps begins with
// the name of the tree, and that uses follow.
func TestStepsOfSeveralTreesDoNotClash(t *testing.T) {
	tree := history.Tree{
		Subject: history.Subject{Type: "Contoso.Shop/boxes"}, History: "chosen", Stage: history.Stage{Name: "s01"}, Output: t.TempDir(),
		Resources: []corpus.Resource{{Kind: "Box", Package: "example.com/api/shop/v2021", Version: "v2021"}},
	}
	file := filepath.Join(tree.Output, tree.Resources[0].Folder(), "conversiontest", "box_steps_test.go")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	const steps = "package conversiontest\n\nfunc v1ToV2() int { return furthers[0] }\n\nvar furthers = []int{1}\n\nvar (\n\tmore = furthers\n)\n"
	if err := os.WriteFile(file, []byte(steps), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := tree.Steps("proofs")
	if err != nil {
		t.Fatal(err)
	}
	at := tree.Variable()
	want := strings.NewReplacer("conversiontest", "proofs", "v1ToV2", at+"v1ToV2", "furthers", at+"furthers", "more", at+"more").Replace(steps)
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
