package engine

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/output"
)

// recall reads the manifest of the run before. What was generated must be in
// the ledger: without it, keys would be given anew, and stored objects read
// wrongly.
func (b *build) recall(context.Context) error {
	previous, err := output.ReadManifest(b.config.Output.Dir, b.Sources)
	if err != nil || previous == nil {
		return err
	}
	b.manifest = previous
	said := map[string]bool{}
	for i, row := range previous.Resources {
		key := strings.ToLower(row.Source.Type)
		if key == "" || said[key] || b.old.Version(row.Source.Type, row.Source.Version) != nil {
			continue
		}
		said[key] = true
		b.Messages.Add(diag.Errorf(b.inManifest(i), "the ledger has lost %s %s, which was generated", row.Source.Type, row.Source.Version).
			WithHint("restore the ledger from version control; if nothing is stored yet, remove it and the manifest to begin anew"))
	}
	return nil
}

// inManifest is the place of a row of resources.
func (b *build) inManifest(i int) diag.Pos {
	file := filepath.Join(b.config.Output.Dir, output.ManifestFile)
	body, ok := b.Sources.Body(file)
	if !ok {
		return diag.InFile(file)
	}
	return diag.JSONValue(file, body, jsontext.Pointer(fmt.Sprintf("/resources/%d", i)))
}
