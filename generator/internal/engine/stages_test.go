package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/progress"
)

// subcommand is a command of the engine, from the configuration of a folder.
type subcommand func(ctx context.Context, r engine.Request) error

func generates(ctx context.Context, r engine.Request) error {
	_, err := engine.Engine{}.Generate(ctx, engine.GenerateRequest{Request: r})
	return err
}

func generatesLeniently(ctx context.Context, r engine.Request) error {
	r.Lenient = true
	return generates(ctx, r)
}

func checks(ctx context.Context, r engine.Request) error {
	_, err := engine.Engine{}.Check(ctx, engine.CheckRequest{Request: r})
	return err
}

func comparesVersions(ctx context.Context, r engine.Request) error {
	_, err := engine.Engine{}.Diff(ctx, engine.DiffRequest{Request: r})
	return err
}

func comparesTrees(ctx context.Context, r engine.Request) error {
	dir := filepath.Dir(r.Config)
	r.Config = ""
	_, err := engine.Engine{}.Diff(ctx, engine.DiffRequest{Request: r, Old: filepath.Join(dir, "schemas/2010-01-01"), New: filepath.Join(dir, "schemas/2011-01-01")})
	return err
}

func explains(ctx context.Context, r engine.Request) error {
	_, err := engine.Engine{}.Explain(ctx, engine.ExplainRequest{Request: r, Kind: "contoso-shop/Order", Path: "properties.size"})
	return err
}

// imports needs Go packages, which it asks for once it has planned.
func imports(ctx context.Context, r engine.Request) error {
	_, err := engine.Engine{}.Import(ctx, engine.ImportRequest{Request: r})
	if err != nil && strings.Contains(err.Error(), "no source names Go packages") {
		return nil
	}
	return err
}

// TestStagesAreInterrupted cancels within each stage of each command, as soon as the stage has
// begun. The command reports it, and begins no further stage. It writes nothing unless it was
// writing.
func TestStagesAreInterrupted(t *testing.T) {
	common := []string{"reading the ledger", "reading schemas", "refining models"}
	planning := append(slices.Clone(common), "reading hand-written steps", "linking versions", "planning conversions")
	for _, tt := range []struct {
		name string
		run  subcommand
		want []string
	}{
		{"generate", generates, slices.Concat([]string{"looking for changes"}, planning,
			[]string{"printing CRDs", "printing reports", "printing code", "comparing files", "writing files"})},
		{"generate --lenient", generatesLeniently, slices.Concat([]string{"looking for changes"}, planning,
			[]string{"printing CRDs", "printing reports", "printing code", "comparing files", "writing files"})},
		{"check", checks, append(slices.Clone(common), "reading hand-written steps", "linking versions", "assessing removals")},
		{"diff of versions", comparesVersions, append(slices.Clone(common), "reading hand-written steps", "linking versions", "comparing versions")},
		{"diff of trees", comparesTrees, []string{"reading schemas", "refining models", "reading schemas", "refining models", "linking versions", "comparing versions"}},
		{"explain", explains, planning},
		{"import", imports, planning},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
			shop(t, dir, 3)
			if err := stages(t, dir, tt.run, len(tt.want)+1, tt.want); err != nil {
				t.Fatal(err)
			}
			for n := range tt.want {
				dir := filepath.Join(t.TempDir(), "work")
				shop(t, dir, 3)
				if err := stages(t, dir, tt.run, n+1, tt.want[:n+1]); !errors.Is(err, context.Canceled) {
					t.Errorf("cancelled while %s: %v", tt.want[n], err)
				}
				files, err := contents(filepath.Join(dir, "api"))
				if len(files) > 0 || err != nil && !os.IsNotExist(err) {
					t.Errorf("cancelled while %s: %d files, %v", tt.want[n], len(files), err)
				}
			}
		})
	}
}

// stages runs a command, cancels it when its nth stage begins, and wants its stages to be some.
func stages(t *testing.T, dir string, run subcommand, nth int, want []string) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var begun []string
	err := run(ctx, engine.Request{
		Config: filepath.Join(dir, "strata.yaml"), Only: config.Only{}, Messages: new(diag.List), Sources: diag.NewSources(nil),
		Progress: progress.Watch(func(stage string) {
			if begun = append(begun, stage); len(begun) == nth {
				cancel()
			}
		}),
	})
	if !slices.Equal(begun, want) {
		t.Errorf("stages %q, want %q", begun, want)
	}
	return err
}
