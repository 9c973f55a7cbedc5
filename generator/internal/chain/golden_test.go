package chain

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/golden"
	"github.com/stratakube/strata/generator/internal/model"
)

// TestLink links the refined models of every archive in testdata/link. An archive optionally has
// renames, and the models of an earlier run whose keys are in the ledger.
func TestLink(t *testing.T) {
	golden.Run(t, "testdata/link/*.txtar", "chain.txt", func(t *testing.T, files golden.Files) string {
		opts := Options{Suffix: "example.com", Renames: renames(files["renames.txt"]), Records: keys(files["keys.txt"]), Prune: dropped(files["dropped.txt"]), Hub: func(*model.Resource) string { return strings.TrimSpace(files["hub.txt"]) }}
		if before := files["before.txt"]; before != "" {
			earlier, _ := Link(context.Background(), models(t, before), opts)
			opts.Records = earlier.records()
		}
		return list(Link(context.Background(), models(t, files["model.txt"]), opts))
	})
}

// records returns the records of all resources, in the form in which the ledger passes them to
// the next run.
func (c *Chain) records() map[string]*Record {
	out := map[string]*Record{}
	for _, g := range c.Groups {
		for _, r := range g.Resources {
			out[strings.ToLower(r.Model.Type)] = r.Record()
		}
	}
	return out
}

// renames reads lines of a folder, a version, a type or a type's property, and the name in the
// next version or in a stated one. The word stated ends the lines of renames that sources state.
func renames(text string) []Rename {
	var out []Rename
	for line := range strings.Lines(text) {
		line, isStated := strings.CutSuffix(strings.TrimSpace(line), " stated")
		w := strings.Fields(line)
		typ, property, _ := strings.Cut(w[2], ".")
		out = append(out, Rename{Folder: w[0], Version: w[1], Type: typ, Property: property, To: w[3], In: strings.Join(w[4:], ""), Stated: isStated})
	}
	return out
}

// dropped reads the versions that the chain skips.
func dropped(text string) func(resourceType, version string) Pruning {
	return func(_, version string) Pruning {
		if slices.Contains(strings.Fields(text), version) {
			return Dropped
		}
		return Whole
	}
}

// keys reads lines of a resource type, a version, a place with dots, and a key.
func keys(text string) map[string]*Record {
	out := map[string]*Record{}
	for line := range strings.Lines(text) {
		w := strings.Fields(line)
		path := strings.Split(w[2], ".")
		last := len(path) - 1
		row := KeyRow{Version: w[1], Path: path[:last], Property: path[last], Name: w[3]}
		r := out[strings.ToLower(w[0])]
		if r == nil {
			r = &Record{}
			out[strings.ToLower(w[0])] = r
		}
		r.Keys = append(r.Keys, row)
	}
	return out
}

// list prints a chain: every resource with its versions, its places with their
// lineages, and its keys.
func list(c *Chain, problems []Problem) string {
	var b strings.Builder
	for _, g := range c.Groups {
		fmt.Fprintf(&b, "group %s in %s\n", g.Name, g.Folder)
		for _, r := range g.Resources {
			fmt.Fprintf(&b, "  resource %s\n", r.Model.Type)
			for _, v := range r.Versions {
				fmt.Fprintf(&b, "    %s%s\n", v.Label, listVersion(r, v))
			}
			for n, p := range r.places {
				listPlace(&b, n+1, p)
			}
			record := r.Record()
			for _, row := range record.Keys {
				fmt.Fprintf(&b, "    key %s %s = %s%s\n", row.Version, dotted(row.Path, row.Property), row.Name, via(row))
			}
			for _, n := range record.Lineages {
				fmt.Fprintf(&b, "    lineage %s %s = %s\n", n.Version, dotted(n.Path, n.Property), n.Name)
			}
			for _, j := range record.Joins {
				fmt.Fprintf(&b, "    join %s %s = %s\n", j.Version, dotted(j.Path, j.Property), dotted(j.To))
			}
		}
	}
	for _, p := range problems {
		fmt.Fprintf(&b, "problem: %s\n  hint: %s\n", p.Text, p.Hint)
	}
	return b.String()
}

func dotted(path []string, more ...string) string {
	return strings.Join(slices.Concat(path, more), ".")
}

func via(row KeyRow) string {
	if !row.Via() {
		return ""
	}
	return " by compat of " + row.Compat
}

func listVersion(r *Resource, v *Version) string {
	var out string
	if v.Preview {
		out += " preview"
	}
	if v.Leaf {
		out += " leaf"
	}
	if v == r.Hub {
		return out + " hub"
	}
	return out + " -> " + v.Next.Label
}

// listPlace prints a place with its number. For each lineage it prints the names by version, and
// the number of the place that it leads to. A bar means that the value is stored in the bag
// before the next version that has it.
func listPlace(b *strings.Builder, n int, p *Place) {
	fmt.Fprintf(b, "    place %d\n", n)
	for _, l := range p.Lineages {
		fmt.Fprintf(b, "      %s:", l.Name())
		for i, q := range l.Live {
			if q == nil {
				continue
			}
			v := p.Resource.Versions[i]
			fmt.Fprintf(b, " %s", v.Label)
			if q.Name != l.Name() {
				fmt.Fprintf(b, "(%s)", q.Name)
			}
			if c := l.Child(i); c != nil {
				fmt.Fprintf(b, ">%d", placeNumber(c))
			}
			if v.Next != nil && p.Defs[v.Next.Index] != nil && !l.Transfers(i, v.Next.Index) {
				b.WriteString(" |")
			}
		}
		b.WriteString("\n")
	}
}

func placeNumber(p *Place) int {
	for i, q := range p.Resource.places {
		if q == p {
			return i + 1
		}
	}
	return 0
}

func models(t testing.TB, text string) []*model.Resource {
	t.Helper()
	got, err := model.Parse("model.txt", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return got
}
