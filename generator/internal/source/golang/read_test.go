package golang_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/golden"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/golang"
)

// TestRead reads packages, and compares the models of all versions, and the renames and
// changes between them.
func TestRead(t *testing.T) {
	golden.Run(t, "testdata/read/*.txtar", "want", func(t *testing.T, files golden.Files) string {
		dir := unpack(t, files)
		result := read(t, dir)
		for _, b := range result.Broken {
			for _, m := range b.Messages {
				t.Errorf("%v", m)
			}
		}
		out := string(model.Print(result.Resources...))
		for _, n := range result.Renames {
			out += fmt.Sprintf("rename %s %s %s.%s to %s", n.Resource, n.Version, n.Type, n.Property, n.To)
			if n.Leaf != "" {
				out += " in " + n.Leaf
			}
			out += "\n"
		}
		for _, c := range result.Changes {
			out += fmt.Sprintf("change %s %s %s.%s %s", c.Resource, c.Version, c.Type, c.Property, c.Operation)
			if c.In != "" {
				out += " in " + c.In
			}
			out += "\n"
		}
		for _, f := range result.Functions {
			out += fmt.Sprintf("function %s %s %s.%s%s\n", f.Resource, f.Version, f.Type, f.Property, calls(f))
		}
		for _, n := range result.Notes {
			out += strings.ReplaceAll(n.Error(), dir, "$WORK") + "\n"
		}
		again, err := model.Parse("want", model.Print(result.Resources...))
		if err != nil {
			t.Errorf("what is read cannot be told: %v", err)
		}
		if string(model.Print(again...)) != string(model.Print(result.Resources...)) {
			t.Error("what is read is told otherwise when it is read again")
		}
		return out
	})
}

// TestReadNothing checks the error if there is nothing to generate from.
func TestReadNothing(t *testing.T) {
	dir := unpack(t, golden.Files{"shop/shop.go": "package shop\n"})
	t.Setenv("GOWORK", "off")
	_, err := golang.Read(t.Context(), golang.Options{Dir: dir, Packages: []string{"./..."}})
	if err == nil || !strings.Contains(err.Error(), "declares a resource") {
		t.Errorf("a package without resources is read: %v", err)
	}
}

func calls(f source.Function) string {
	var out string
	for _, c := range []struct {
		what string
		call *source.Call
	}{{"up", f.Up}, {"down", f.Down}, {"fill", f.Fill}} {
		if c.call != nil {
			out += fmt.Sprintf(" %s %s.%s fails=%t", c.what, c.call.Package, c.call.Name+c.call.Value, c.call.Fails)
		}
	}
	if f.Values != nil {
		out += fmt.Sprintf(" values %q", f.Values)
	}
	return out
}
