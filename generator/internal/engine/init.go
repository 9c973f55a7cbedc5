package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/stratakube/strata/generator"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/scaffold"
)

// Init writes all files of a new project, or none. In a project that has a strata.yaml, it adds the
// files that the choices need beside it. If the user chooses so, it then edits the user's Go files.
// After an error the folder is as it was before.
func (Engine) Init(ctx context.Context, r InitRequest) (InitResult, error) {
	var before output.Saved
	result, err := r.begin(ctx, &before)
	if err == nil {
		return result, nil
	}
	if undone := before.Restore(); undone != nil {
		err = errors.Join(err, fmt.Errorf("restore the files: %w", undone))
	}
	return InitResult{}, err
}

// begin writes the files of a project, and edits the user's files. It saves those that it changes.
func (r InitRequest) begin(ctx context.Context, before *output.Saved) (InitResult, error) {
	found, err := scaffold.Look(ctx, r.Dir)
	if err != nil {
		return InitResult{}, err
	}
	choices, isConfigured, err := r.configured()
	if err != nil {
		return InitResult{}, err
	}
	if r.Ask != nil && !isConfigured {
		if choices, err = r.Ask(found, choices); err != nil {
			return InitResult{}, err
		}
	}
	if choices, err = choices.Complete(found); err != nil {
		return InitResult{}, err
	}
	if choices, err = choices.CheckOut(r.Dir, found); err != nil {
		return InitResult{}, err
	}
	files := choices.Files(generator.Schema)
	if isConfigured {
		files = slices.DeleteFunc(files, func(f scaffold.File) bool {
			return f.Path == scaffold.ConfigFile || f.Path == scaffold.SchemaFile
		})
	} else if err := tryConfig(files[0]); err != nil {
		return InitResult{}, err
	}
	if files, err = r.missing(files); err != nil {
		return InitResult{}, err
	}
	result := InitResult{Found: found, Choices: choices}
	var all []output.File
	for _, f := range files {
		all = append(all, output.File(f))
		result.Files = append(result.Files, f.Path)
	}
	if err := before.Save(r.Dir, result.Files); err != nil {
		return InitResult{}, err
	}
	if err := output.Put(ctx, r.Dir, all); err != nil {
		if ctx.Err() != nil {
			return InitResult{}, ctx.Err()
		}
		return InitResult{}, fmt.Errorf("begin a project: %w", err)
	}
	err = r.change(ctx, &result, before)
	return result, err
}

// change edits the user's files if it is asked to. Otherwise, the result has what it would change
// in the files that build and install CRDs.
func (r InitRequest) change(ctx context.Context, result *InitResult, before *output.Saved) error {
	if !result.Choices.Write && !result.Choices.ReadsKinds(result.Found) {
		return nil
	}
	c, err := config.Read(filepath.Join(r.Dir, scaffold.ConfigFile), r.Sources)
	if err != nil {
		return err
	}
	builds, err := r.buildEdits(c, result)
	if err != nil || !result.Choices.Write {
		return err
	}
	if err := r.edit(ctx, c, builds, result, before); err != nil {
		return err
	}
	isLeft := len(result.Kept) > 0 && len(builds) > 0
	if result.Found, err = scaffold.Look(ctx, r.Dir); err == nil && isLeft {
		result.Found.Build.Edits = len(builds)
	} else {
		result.Patch = nil
	}
	return err
}

// configured returns the choices of the strata.yaml in the folder, and those of flags about other
// files. It reports false, with the choices of flags, if there is no such file or it is to be
// written again. Flags that contradict the file are an error.
func (r InitRequest) configured() (scaffold.Choices, bool, error) {
	file := filepath.Join(r.Dir, scaffold.ConfigFile)
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) || r.Force {
		return r.Choices, false, nil
	}
	if of := r.Choices; of.New != nil || of.Sources != nil || of.Output+of.Module+of.Suffix+of.GoModule != "" {
		return of, false, diag.Errorf(diag.Pos{}, "%s is there already", file).WithHint("edit it; or let --force overwrite it")
	}
	c, err := config.Read(file, r.Sources)
	if err == nil {
		_, err = output.ReadManifest(c.Output.Dir, r.Sources) // generate fails where the files were ejected
	}
	if err != nil {
		return r.Choices, false, err
	}
	out := r.Choices
	for _, s := range c.Sources {
		out.Sources = append(out.Sources, sourcesOf(r.Dir, s)...)
	}
	out.Module, out.Suffix = c.Output.Module, c.Groups.Suffix
	out.Output, err = filepath.Rel(r.Dir, c.Output.Dir)
	out.Output = filepath.ToSlash(out.Output)
	return out, true, err
}

// sourcesOf returns the sources of an entry, as strata init names them.
func sourcesOf(dir string, s config.Source) []scaffold.Source {
	var out []scaffold.Source
	if s.Go != nil {
		for _, pattern := range s.Go.Packages {
			out = append(out, scaffold.Source{Kind: "go", Path: filepath.ToSlash(filepath.Clean(pattern))})
		}
	}
	for kind, trees := range map[string][]*config.Tree{"arm": {s.ARM}, "bicep": {s.Bicep}, "openapi": {s.OpenAPI}, "crd": append(slices.Clone(s.Releases), s.CRD)} {
		for _, tree := range trees {
			if tree == nil {
				continue
			}
			root := tree.Root
			if below, err := filepath.Rel(dir, root); err == nil {
				root = below
			}
			out = append(out, scaffold.Source{Kind: kind, Path: filepath.ToSlash(root), Include: tree.Include})
		}
	}
	return out
}

// tryConfig checks the configuration before it is written: the user's choices may produce an
// invalid one.
func tryConfig(f scaffold.File) error {
	_, err := config.Decode(f.Path, f.Body)
	var wrong *diag.Failure
	if errors.As(err, &wrong) {
		m := wrong.Messages()[0]
		m.Pos = diag.Pos{}
		return m
	}
	return err
}

// missing returns the files that do not exist as they are. Files that exist with another content
// are errors, all at once, unless they are to be overwritten.
func (r InitRequest) missing(files []scaffold.File) ([]scaffold.File, error) {
	var out []scaffold.File
	var there diag.List
	for _, f := range files {
		name := filepath.Join(r.Dir, filepath.FromSlash(f.Path))
		info, err := os.Lstat(name)
		if err == nil && info.Mode().IsRegular() {
			if body, err := os.ReadFile(name); err == nil && bytes.Equal(body, f.Body) {
				continue
			}
		}
		if !errors.Is(err, fs.ErrNotExist) && !r.Force {
			there.Add(diag.Errorf(diag.Pos{}, "%s is there already", name).WithHint("%s", withForce(f.Path)))
		}
		out = append(out, f)
	}
	return out, there.Err()
}

// withForce returns what --force does with a file that exists.
func withForce(file string) string {
	if file == scaffold.WorkFile {
		return "--force adds the modules of the checkout to it"
	}
	return "--force overwrites it"
}
