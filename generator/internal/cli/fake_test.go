package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"
	"time"

	"os"

	"github.com/stratakube/strata/generator/internal/analysis/diff"
	"github.com/stratakube/strata/generator/internal/analysis/explain"
	"github.com/stratakube/strata/generator/internal/analysis/migrate"
	"github.com/stratakube/strata/generator/internal/analysis/removals"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/conversion"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/doctor"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/finding"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/scaffold"
	"github.com/stratakube/strata/generator/internal/source"
)

// fake is an engine that makes a Go file of every schema, which is a text: of
// BROKEN it makes an error, an omission when lenient; for SLOW it waits until
// it is interrupted; of ODD it warns.
type fake struct{}

// Init returns its request as a result.
func (fake) Init(_ context.Context, r engine.InitRequest) (engine.InitResult, error) {
	c := r.Choices
	found := &scaffold.Found{Module: "example.com/demo", Sources: []scaffold.Source{{Kind: "go", Path: "shop"}}}
	var err error
	if r.Ask != nil {
		if c, err = r.Ask(found, c); err != nil {
			return engine.InitResult{}, err
		}
	}
	c, err = c.Complete(found)
	return engine.InitResult{Found: found, Choices: c, Files: []string{strings.TrimSpace(strings.Join([]string{c.Output, c.Module, c.Suffix, c.Webhook}, " "))}}, err
}

// Import finds a difference among the readings of one object, and a finding among those of two.
func (fake) Import(_ context.Context, r engine.ImportRequest) (engine.ImportResult, error) {
	var out engine.ImportResult
	if r.Cases == 1 || r.Cases == 2 {
		out.Readings = []migrate.Reading{{Kind: "crm/Person", Differences: []migrate.Difference{{Version: "v1", Path: "spec.name"}}}}
	}
	if r.Cases == 2 {
		out.Findings = []migrate.Finding{{Resource: "crm/Person"}}
	}
	return out, nil
}

// Convert returns each path as a file, whose text changes unless it is "same".
func (fake) Convert(_ context.Context, r engine.ConvertRequest) (engine.ConvertResult, error) {
	var out engine.ConvertResult
	for _, path := range r.Paths {
		f := &conversion.Result{File: conversion.File{Name: path, Text: "a: 1\n"}, After: "a: 1\n"}
		if path != "same" {
			f.After = "b: 1\n"
			f.Objects = []conversion.Object{{Kind: "Order", Before: `{"a":1}`, After: `{"b":1}`}}
		}
		out.Files = append(out.Files, f)
	}
	return out, nil
}

func (fake) Eject(context.Context, engine.EjectRequest) (*output.Changes, error) {
	return new(output.Changes), nil
}

func (fake) Names(string) ([]engine.Name, error) {
	return []engine.Name{{Folder: "crm", Kind: "Person", Type: "Crm/persons"}, {Folder: "crm", Kind: "Note", Type: "Crm/notes"}}, nil
}

func (fake) Inputs(context.Context, engine.Request) (output.Digest, error) {
	return output.Digest{}, nil
}

func (fake) Doctor(context.Context, engine.DoctorRequest) ([]doctor.Finding, error) {
	return []doctor.Finding{{ID: "unserved", Severity: doctor.Note, Subject: "versions", Explanation: "`v1`"}}, nil
}

func (fake) Explorer(context.Context, engine.ExplorerRequest) error { return nil }

func (fake) Install(context.Context, engine.InstallRequest) error { return nil }

func (fake) Generate(ctx context.Context, r engine.GenerateRequest) (engine.GenerateResult, error) {
	c, err := config.Read(r.Config, r.Sources)
	if err != nil {
		return engine.GenerateResult{}, err
	}
	run := output.Run{Dir: c.Output.Dir}
	if err := read(ctx, c, r.Request, &run); err != nil {
		return engine.GenerateResult{}, err
	}
	if run.Previous, err = output.ReadManifest(c.Output.Dir, r.Sources); err != nil {
		return engine.GenerateResult{}, err
	}
	changes, err := output.Compare(ctx, run)
	if err != nil {
		return engine.GenerateResult{}, err
	}
	r.Messages.Add(changes.Messages...)
	result := engine.GenerateResult{Changes: changes, Summary: engine.Summary{
		Groups: 1, Resources: len(run.Resources), Versions: len(run.Resources), Files: len(changes.Outputs), Omitted: len(run.Omitted),
	}}
	if os.Getenv("FAKE_UP_TO_DATE") != "" {
		result.Changes, result.Summary.UpToDate = nil, true
	}
	if r.Check || r.DryRun {
		return result, nil
	}
	return result, changes.Apply(ctx)
}

func read(ctx context.Context, c *config.Config, r engine.Request, run *output.Run) error {
	root := c.Sources[0].ARM.Root
	files, err := source.List(root, os.DirFS(root))
	if err != nil {
		return err
	}
	r.Progress.Stage("read", len(files))
	for _, file := range files {
		name := strings.TrimSuffix(path.Base(file), ".json")
		if !c.Sources[0].ARM.Match(file) || !r.Only.Allows(name, path.Dir(file)) {
			continue
		}
		body, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return err
		}
		makeFile(ctx, r, run, name, filepath.Join(root, file), body)
		r.Progress.Add(1, 1)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return r.Messages.Err()
}

func makeFile(ctx context.Context, r engine.Request, run *output.Run, name, file string, body []byte) {
	source := output.Source{Kind: "arm", Type: name, Version: path.Base(path.Dir(filepath.ToSlash(file)))}
	if at := bytes.Index(body, []byte("ODD")); at >= 0 {
		r.Messages.Warnf(diag.At(file, at, "definitions"), "odd")
	}
	if at := bytes.Index(body, []byte("SLOW")); at >= 0 {
		fmt.Fprintln(os.Stderr, "waiting")
		select {
		case <-ctx.Done():
		case <-time.After(time.Minute):
		}
	}
	if at := bytes.Index(body, []byte("BROKEN")); at >= 0 {
		if r.Lenient {
			run.Omitted = append(run.Omitted, output.Omitted{Source: source, Reason: "broken"})
			return
		}
		r.Messages.Add(diag.Errorf(diag.At(file, at, "definitions."+name), "broken").WithHint("mend it"))
		return
	}
	run.Resources = append(run.Resources, output.Resource{Source: source, Group: "crm.example.com", Kind: name, Version: source.Version})
	run.Files = append(run.Files, output.File{Path: "crm/" + name + ".go", Body: []byte(output.Header + "\npackage crm // " + string(body))})
}

func (fake) Show(ctx context.Context, r engine.ShowRequest) error {
	c, err := config.Read(r.Config, r.Sources)
	if err != nil {
		return err
	}
	var run output.Run
	if err := read(ctx, c, r.Request, &run); err != nil {
		return err
	}
	for _, row := range run.Resources {
		if _, err := io.WriteString(r.Out, "resource "+row.Kind+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// Check, Diff and Explain add one message each, and fail without a configuration.
func (fake) Check(_ context.Context, r engine.CheckRequest) (engine.CheckResult, error) {
	c, err := config.Read(r.Config, r.Sources)
	if err != nil {
		return engine.CheckResult{}, err
	}
	found := &removals.Finding{Group: "crm", Version: "2011-01-01", Next: "2012-02-02", Type: "Person", Property: "a", Kinds: []string{"Person"}, Path: "a"}
	return engine.CheckResult{Strict: c.Check.Strict, Findings: []*removals.Finding{found}, At: nowhere}, nil
}

func nowhere(model.Pos) diag.Pos { return diag.Pos{} }

func (fake) Diff(_ context.Context, r engine.DiffRequest) (engine.DiffResult, error) {
	one := diff.Change{Kind: diff.Removed, Severity: finding.Clients, Path: "a", Old: "string | int"}
	all := []diff.Comparison{{Resource: "Crm/persons", Kind: "Person", From: r.Old, To: r.New, Changes: []diff.Change{one}}}
	return engine.DiffResult{Comparisons: all, At: nowhere}, nil
}

func (fake) Explain(_ context.Context, r engine.ExplainRequest) (engine.ExplainResult, error) {
	rows := []explain.Row{{Version: "2011-01-01", State: explain.Live, Path: r.Path, Type: "string", Hub: true}}
	return engine.ExplainResult{Group: "crm", Kind: r.Kind, Properties: []explain.Property{{Path: r.Path, Rows: rows}}}, nil
}
