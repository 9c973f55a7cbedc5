package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/ledger"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/source"
)

// list reads the ledger.
func list(ctx context.Context, run *Run) (Sources, error) {
	if err := run.enter(ctx, "reading the ledger"); err != nil {
		return Sources{}, err
	}
	known, err := ledger.ReadPart(ctx, filepath.Join(run.config.Output.Dir, output.LedgerDir), run.partHas())
	return Sources{Run: run, Ledger: known}, run.leave(ctx, err)
}

// recall reads the manifest of the last run. Every version in it must be in the ledger. Otherwise
// the run would assign keys again, and read stored objects wrongly.
func recall(ctx context.Context, src Sources) (Sources, error) {
	previous, err := src.readManifest()
	if err != nil || previous == nil {
		return src, src.leave(ctx, err)
	}
	src.Manifest = previous
	reported := map[string]bool{}
	for i, row := range previous.Resources {
		key := strings.ToLower(row.Source.Type)
		if key == "" || reported[key] || src.Ledger.Version(row.Source.Type, row.Source.Version) != nil {
			continue
		}
		reported[key] = true
		src.Messages.Add(diag.Errorf(src.inManifest(i), "the ledger has lost %s %s, which was generated", row.Source.Type, row.Source.Version).
			WithHint("restore ledger and manifest.json of one commit, or of one side of a merge; if nothing is stored yet, remove both to begin anew"))
	}
	return src, src.leave(ctx, nil)
}

// partHas returns which resource types belong to the part of a run; nil if all do.
func (run *Run) partHas() func(resourceType string) bool {
	if run.part == nil {
		return nil
	}
	return func(typ string) bool { return run.part.folders[run.folderOf(&model.Resource{Type: typ})] }
}

// readManifest reads the manifest, or the rows of the run's part.
func (src Sources) readManifest() (*output.Manifest, error) {
	dir := src.config.Output.Dir
	if src.part == nil {
		return output.ReadManifest(dir, src.Sources)
	}
	m, rest, ok := output.ReadPart(dir, src.Sources, src.partHas(), src.part.hasPath)
	if !ok {
		return nil, errNoPart
	}
	src.part.rest = rest
	return m, nil
}

// inManifest returns the position of a row of resources.
func (run *Run) inManifest(i int) diag.Pos {
	file := filepath.Join(run.config.Output.Dir, output.ManifestFile)
	body, ok := run.Sources.Body(file)
	if !ok {
		return diag.InFile(file)
	}
	return diag.JSONValue(file, body, jsontext.Pointer(fmt.Sprintf("/resources/%d", i)))
}

// listings are the files below the roots of sources. A run lists each root once, so that all of
// its stages read the same files.
type listings map[string][]string

func (l listings) below(root string) ([]string, error) {
	if paths, known := l[root]; known {
		return paths, nil
	}
	paths, err := source.List(root, os.DirFS(root))
	if err == nil {
		l[root] = paths
	}
	return paths, err
}
