package config_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/golden"
)

// FuzzDecode checks that no input panics. An error has a position within the file, and a second
// call gives the same one. A result is complete.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte("? {a: [*x]}\n: &x <<: !!binary\n---\n\xff"))
	archives, _ := filepath.Glob("testdata/misuse/*.txtar")
	for _, name := range archives {
		f.Add([]byte(golden.Read(f, name)["strata.yaml"]))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		c, err := config.Decode("strata.yaml", body)
		if err == nil {
			checkComplete(t, c)
			return
		}
		failure, ok := err.(*diag.Failure)
		if !ok {
			t.Fatalf("%T: %v", err, err)
		}
		sources := diag.NewSources(nil)
		sources.Add("strata.yaml", body)
		for _, m := range failure.Messages() {
			if m.Pos.File != "strata.yaml" || m.Pos.Offset > len(body) || m.Text == "" {
				t.Errorf("a message without a place: %+v", m)
			}
		}
		var first, second bytes.Buffer
		_, again := config.Decode("strata.yaml", body)
		printer := diag.Printer{Sources: sources}
		if printer.Text(&first, failure.Messages()) != nil || printer.Text(&second, again.(*diag.Failure).Messages()) != nil {
			t.Fatal("printing failed")
		}
		if first.String() != second.String() {
			t.Errorf("two runs differ:\n%s\n%s", &first, &second)
		}
	})
}

func checkComplete(t *testing.T, c *config.Config) {
	t.Helper()
	if len(c.Sources) == 0 || c.Output.Dir == "" || c.Output.Module == "" || c.Output.Runtime == "" || c.Groups.Suffix == "" {
		t.Errorf("an incomplete config: %+v", c)
	}
	for _, source := range c.Sources {
		if trees := source.Trees(); len(trees) == 0 || trees[0].Root == "" || len(trees[0].Include) == 0 {
			t.Errorf("an incomplete source: %+v", source)
		}
	}
	for _, r := range c.Renames {
		if r.Group == "" || r.Version == "" || r.Type == "" || r.To == "" || c.At(r.Pos.Path).File == "" {
			t.Errorf("an incomplete rename: %+v", r)
		}
	}
}
