package explorer_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/augmentation"
	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/chain/chaintest"
	"github.com/stratakube/strata/generator/internal/emit/explorer"
	"github.com/stratakube/strata/generator/internal/golden"
	"github.com/stratakube/strata/generator/internal/plan"
)

// TestHistory compares histories with the texts of archives. "model" is refined, "renames" has
// lines of version, type, property and new name, "changes" declared changes, and "hands" lines of
// hand-written methods.
func TestHistory(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", "history", func(t *testing.T, files golden.Files) string {
		opts := chain.Options{Suffix: "example.com"}
		for line := range strings.Lines(files["renames"]) {
			w := strings.Fields(line)
			opts.Renames = append(opts.Renames, chain.Rename{Folder: "contoso-shop", Version: w[0], Type: w[1], Property: w[2], To: w[3]})
		}
		for _, d := range chaintest.ParseDeclared(files["changes"]) {
			opts.Changes = append(opts.Changes, chain.Change{Folder: "contoso-shop", Version: d.Version, Type: d.Type, Property: d.Property, Operation: d.Operation})
		}
		c, problems := chain.Link(context.Background(), chaintest.Parse(t, files["model"]), opts)
		for _, p := range problems {
			t.Error(p.Text)
		}
		var out strings.Builder
		for _, g := range plan.Decide(context.Background(), c, plan.Options{Augmentations: methods(files["hands"])}).Groups {
			print(&out, explorer.New(g))
		}
		return out.String()
	})
}

// methods reads lines of folder, receiver, method, and the folder and the name of the parameter.
func methods(lines string) []augmentation.Method {
	var out []augmentation.Method
	for line := range strings.Lines(lines) {
		w := strings.Fields(line)
		out = append(out, augmentation.Method{Folder: w[0], Receiver: w[1], Method: w[2], ParamFolder: w[3], Param: w[4]})
	}
	return out
}

// print writes a line for each version with hand-written steps, and for each property and each run
// of equal cells.
func print(out *strings.Builder, h *explorer.History) {
	for _, k := range h.Kinds {
		fmt.Fprintf(out, "%s/%s\n", h.Group, k.Name)
		for _, v := range k.Versions {
			if len(v.ByHand) > 0 {
				fmt.Fprintf(out, "  by hand in %s: %s\n", v.Label, strings.Join(v.ByHand, ", "))
			}
		}
		for _, o := range k.Objects {
			for _, p := range o.Properties {
				fmt.Fprintf(out, "  %s\n", strings.TrimPrefix(o.Path+"."+p.ID, "."))
				for i, c := range p.Cells {
					fmt.Fprintf(out, "    %s %s\n", k.Versions[i].Label, text(k, c))
				}
				for _, d := range p.Declared {
					fmt.Fprintf(out, "    declared in %s: %s %s\n", k.Versions[d.Version].Label, d.Text, d.Other)
				}
			}
		}
	}
}

func text(k *explorer.Kind, c explorer.Cell) string {
	out := string(c.State)
	add := func(set bool, format string, args ...any) {
		if set {
			out += fmt.Sprintf(format, args...)
		}
	}
	add(c.Name != "", " %s (%s)", c.Name, c.Type.Text)
	add(c.Was != "", ", renamed from %s", c.Was)
	add(c.WasType != "", ", retyped from %s", c.WasType)
	add(c.Converted, ", converted")
	add(c.Child != 0, ", object %d", c.Child)
	add(c.Required, ", required")
	add(c.Secret, ", secret")
	add(c.Dropped, ", dropped")
	add(c.Moved != "", ", moved to %s", c.Moved)
	for _, key := range c.Keys {
		add(true, ", key %q (%s, of %s)", key.Name, key.Type, k.Versions[key.Since].Label)
		add(key.Old, " old")
	}
	return out
}
