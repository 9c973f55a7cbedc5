package importrules

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/packages"
)

func TestImports(t *testing.T) {
	for _, breach := range Breaches(list(t), Bans) {
		t.Error(breach)
	}
}

// TestPatternsMatchSomething finds patterns on either side of a ban that match no package,
// because a package was renamed. Such a ban forbids nothing, or permits an import that no package
// needs.
func TestPatternsMatchSomething(t *testing.T) {
	for _, pattern := range Stale(list(t), Bans) {
		t.Errorf("no package matches %s: was it renamed?", pattern)
	}
}

func TestStale(t *testing.T) {
	all := []packages.Package{{ImportPath: ours + "/a"}, {ImportPath: ours + "/b/c"}}
	bans := []Ban{
		{In: []string{"~/a", "~/gone"}, NotIn: []string{"~/left/..."}, Imports: []string{"~/b/...", "k8s.io/...", "~/old"}, But: []string{"std", "~/b/d"}},
		{In: []string{"~/gone"}, Imports: []string{"..."}},
	}
	if diff := cmp.Diff([]string{"~/gone", "~/left/...", "~/old", "~/b/d"}, Stale(all, bans)); diff != "" {
		t.Error(diff)
	}
}

func TestEveryBanHasReason(t *testing.T) {
	for _, ban := range Bans {
		if len(strings.Fields(ban.Reason)) < 4 || strings.HasSuffix(ban.Reason, ".") {
			t.Errorf("the reason for %s is %q: it should go on after \"because\"", strings.Join(ban.In, ", "), ban.Reason)
		}
	}
}

func TestBreaches(t *testing.T) {
	low := Ban{In: []string{"~/low/..."}, Imports: []string{"~/high/..."}, Reason: "low is below high"}
	lean := Ban{
		In: []string{"~/lean/..."}, NotIn: []string{"~/lean/fat"},
		Imports: []string{"..."}, But: []string{"std", "~/lean/..."}, Tests: true, Reason: "lean stays lean",
	}
	tests := []struct {
		reason string
		of     packages.Package
		ban    Ban
		want   []string
	}{
		{
			"an import from below is shown with the reason",
			packages.Package{ImportPath: ours + "/low/a", Imports: []string{"fmt", ours + "/high/b"}}, low,
			[]string{"~/low/a imports ~/high/b, which it may not, because low is below high"},
		},
		{
			"the other way round is free",
			packages.Package{ImportPath: ours + "/high/b", Imports: []string{ours + "/low/a"}}, low, nil,
		},
		{
			"a path that starts alike is another package",
			packages.Package{ImportPath: ours + "/lower", Imports: []string{ours + "/high"}}, low, nil,
		},
		{
			"tests are free where the ban is not about them",
			packages.Package{ImportPath: ours + "/low", TestImports: []string{ours + "/high"}}, low, nil,
		},
		{
			"a package may be left out",
			packages.Package{ImportPath: ours + "/lean/fat", Imports: []string{"example.com/x"}}, lean, nil,
		},
		{
			"what may be imported is no breach, in tests neither, and each other import is one, once",
			packages.Package{
				ImportPath:   ours + "/lean",
				Imports:      []string{"net/http", ours + "/lean/part", "example.com/x"},
				TestImports:  []string{"example.com/x", "testing"},
				XTestImports: []string{ours + "/lean", "example.com/y"},
			}, lean,
			[]string{
				"~/lean imports example.com/x, which it may not, because lean stays lean",
				"~/lean imports example.com/y, which it may not, because lean stays lean",
			},
		},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			var got []string
			for _, breach := range Breaches([]packages.Package{test.of}, []Ban{test.ban}) {
				got = append(got, breach.String())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMatch(t *testing.T) {
	tests := []struct {
		pattern, path string
		want          bool
	}{
		{"~/a/...", ours + "/a", true},
		{"~/a/...", ours + "/a/b/c", true},
		{"~/a/...", ours + "/ab", false},
		{"~/a/.../test", ours + "/a/b/c/test", true},
		{"~/a/.../test", ours + "/a/test/x", false},
		{"~/a", ours + "/a/b", false},
		{"std", "net/http", true},
		{"std", "example.com/net/http", false},
		{"k8s.io/...", "sigs.k8s.io/json", false},
		{"sigs.k8s.io/json", "sigsxk8s.io/json", false},
		{"...", "anything/at/all", true},
	}
	for _, test := range tests {
		if got := match(test.pattern, test.path); got != test.want {
			t.Errorf("match(%q, %q) = %t", test.pattern, test.path, got)
		}
	}
}

func list(t *testing.T) []packages.Package {
	t.Helper()
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	all, err := packages.List(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	return all
}
