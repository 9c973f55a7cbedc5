package gotest

import (
	"slices"
	"strings"
	"testing"
)

// graph are the edges of some nodes.
type graph map[string][]edge[string]

func (g graph) paths(by string) []string {
	return handPaths("root", "spec", func(n string) bool { return n == by }, func(n string) []edge[string] { return g[n] })
}

func TestHandPaths(t *testing.T) {
	g := graph{
		"root":    {{".a", "address"}, {".b", "address"}, {".other", "other"}, {".self", "root"}},
		"address": {{".place", "place"}, {".up", "root"}},
		"other":   {{".text", "text"}},
	}
	for by, want := range map[string]string{
		"place": "spec.a.place spec.b.place", "address": "spec.a spec.b", "text": "spec.other.text", "root": "spec", "nothing": "",
	} {
		if got := strings.Join(g.paths(by), " "); got != want {
			t.Errorf("paths to %s: %s, want %s", by, got, want)
		}
	}
}

// TestHandPathsAreFew checks a type that occurs at more paths than can be listed, and one that
// occurs nowhere. Every place of the first is below a path that is found.
func TestHandPathsAreFew(t *testing.T) {
	const rungs = 25
	name := func(i int) string { return "rung" + strings.Repeat("i", i) }
	g := graph{"root": {{".a", name(0)}, {".b", name(0)}}}
	for i := range rungs {
		g[name(i)] = []edge[string]{{".a", name(i + 1)}, {".b", name(i + 1)}}
	}
	found := g.paths(name(rungs))
	if most := mostPaths + 2*rungs; len(found) > most || len(found) < 2 {
		t.Errorf("%d paths, want at most %d", len(found), most)
	}
	for i := range 1 << 12 {
		path := "spec"
		for bit := range rungs + 1 {
			path += "." + string("ab"[i>>(bit%12)&1])
		}
		if !slices.ContainsFunc(found, func(f string) bool { return path == f || strings.HasPrefix(path, f+".") }) {
			t.Fatalf("no path is found above %s", path)
		}
	}
	if found := g.paths("nothing"); len(found) > 0 {
		t.Errorf("paths to nothing: %q", found)
	}
}
