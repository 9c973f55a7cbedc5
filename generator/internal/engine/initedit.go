package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/stratakube/strata/generator/internal/analysis/migrate"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/goedit"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/scaffold"
)

// comparedCases is the number of random objects of every version for which the conversions must
// agree before hand-written ones are removed.
const comparedCases = 60

// edit changes the files of the project: it adds the field for hidden values to statuses, removes
// the conversions that generated ones replace, and registers the generated package. If all are
// generated, it also changes what builds and installs CRDs.
func (r InitRequest) edit(ctx context.Context, c *config.Config, builds []scaffold.Edit, result *InitResult, before *output.Saved) error {
	if err := r.decide(ctx, result); err != nil {
		return err
	}
	var edits []scaffold.Edit
	for _, p := range result.Found.Packages {
		if !result.Choices.Reads(p) {
			continue
		}
		changed, err := r.editPackage(p, result.Kept, c.Output.Runtime)
		if err != nil {
			return err
		}
		edits = append(edits, changed...)
	}
	registered, err := r.register(c.Output.Module, result)
	if err != nil {
		return err
	}
	edits = append(edits, registered...)
	if len(result.Kept) == 0 {
		edits = append(edits, builds...)
	}
	return r.apply(ctx, edits, result, before)
}

// register returns the changes of the programs that register the user's packages. If no program
// does, or is seen to do, the result says so.
func (r InitRequest) register(module string, result *InitResult) ([]scaffold.Edit, error) {
	known := result.known()
	if known == nil {
		return nil, nil
	}
	var out []scaffold.Edit
	isRegistered := result.Choices.Webhook != ""
	for _, program := range result.Found.Programs {
		_, before, err := r.read(program)
		if err != nil {
			return nil, err
		}
		body, has, err := goedit.Register(program, before, module, known)
		if err != nil {
			return nil, err
		}
		isRegistered = isRegistered || has
		if !bytes.Equal(body, before) {
			out = append(out, scaffold.Edit{Path: program, Body: body})
		}
	}
	if !isRegistered {
		result.Unregistered = module
	}
	return out, nil
}

// known returns the import paths of the user's packages that a source reads.
func (result InitResult) known() []string {
	var out []string
	for _, p := range result.Found.Packages {
		if result.Choices.Reads(p) {
			out = append(out, path.Join(result.Found.Module, p.Dir))
		}
	}
	return out
}

// decide decides which kinds' hand-written conversions must stay: those that strata import has a
// finding for, and those for which it does not show that all objects are read as before.
// Conversions that copy only metadata lose all else, so that readings are no reason to keep them.
func (r InitRequest) decide(ctx context.Context, result *InitResult) error {
	if _, conversions := result.Found.ToEdit(result.Choices); conversions == 0 {
		return nil
	}
	request := ImportRequest{Request: r.Request, Cases: comparedCases}
	request.Config = filepath.Join(r.Dir, scaffold.ConfigFile)
	found, err := Engine{}.Import(ctx, request)
	if err != nil {
		return err
	}
	for _, p := range result.Found.Packages {
		for _, kind := range p.Conversions {
			resource := p.Resource(kind)
			hasFinding := slices.ContainsFunc(found.Findings, func(f migrate.Finding) bool { return p.Declares(kind, f.Resource) })
			differs := func(r migrate.Reading) bool { return p.Declares(kind, r.Kind) && len(r.Differences) > 0 }
			switch {
			case !result.Choices.Reads(p):
			case hasFinding, !readAsBefore(found.Readings, p, kind) && result.Found.Converts(result.Choices, resource):
				result.Kept = append(result.Kept, resource)
			case slices.ContainsFunc(found.Readings, differs):
				result.Stubs = append(result.Stubs, resource)
			}
		}
	}
	for _, list := range []*[]string{&result.Kept, &result.Stubs} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return nil
}

// readAsBefore reports whether objects of a kind were compared, and all of them were read as
// before. An object that a conversion refuses was not compared.
func readAsBefore(readings []migrate.Reading, p scaffold.Package, kind string) bool {
	n := 0
	for _, r := range readings {
		if !p.Declares(kind, r.Kind) {
			continue
		}
		if n++; r.Read == 0 || r.Refused > 0 || len(r.Differences) > 0 {
			return false
		}
	}
	return n > 0
}

// editPackage returns the changes of one package.
func (r InitRequest) editPackage(p scaffold.Package, kept []string, runtime string) ([]scaffold.Edit, error) {
	files, err := r.goFiles(p.Dir)
	if err != nil {
		return nil, err
	}
	kinds := slices.DeleteFunc(slices.Clone(p.Kinds), func(kind string) bool { return slices.Contains(kept, p.Resource(kind)) })
	changed, err := goedit.Remove(files, kinds)
	if err != nil {
		return nil, err
	}
	for _, f := range changed {
		files[slices.IndexFunc(files, func(g goedit.File) bool { return g.Name == f.Name })] = f
	}
	for i, f := range files {
		var structs []string
		for _, s := range p.Statuses {
			if s.File == f.Name {
				structs = append(structs, s.Type)
			}
		}
		if structs == nil || f.Body == nil {
			continue
		}
		if files[i].Body, err = goedit.Embed(f.Name, f.Body, structs, runtime, "strata", "VersionedStatus"); err != nil {
			return nil, err
		}
		changed = slices.DeleteFunc(changed, func(g goedit.File) bool { return g.Name == f.Name })
		changed = append(changed, files[i])
	}
	var out []scaffold.Edit
	for _, f := range changed {
		out = append(out, scaffold.Edit{Path: f.Name, Body: f.Body})
	}
	return out, nil
}

// goFiles returns the Go files of a folder, tests and generated ones too.
func (r InitRequest) goFiles(dir string) ([]goedit.File, error) {
	entries, err := os.ReadDir(filepath.Join(r.Dir, filepath.FromSlash(dir)))
	if err != nil {
		return nil, fmt.Errorf("edit: %w", err)
	}
	var out []goedit.File
	for _, entry := range entries {
		if !entry.Type().IsRegular() || path.Ext(entry.Name()) != ".go" {
			continue
		}
		name := path.Join(dir, entry.Name())
		_, body, err := r.read(name)
		if err != nil {
			return nil, err
		}
		out = append(out, goedit.File{Name: name, Body: body})
	}
	return out, nil
}

// read returns a file of the project, and its text with line feeds at the ends of lines.
func (r InitRequest) read(name string) (file, text []byte, err error) {
	file, err = os.ReadFile(filepath.Join(r.Dir, filepath.FromSlash(name)))
	if err != nil {
		return nil, nil, fmt.Errorf("edit: %w", err)
	}
	if !hasReturns(file) {
		return file, file, nil
	}
	return file, bytes.ReplaceAll(file, []byte("\r\n"), []byte("\n")), nil
}

// hasReturns reports whether all lines of a file end with a carriage return and a line feed.
func hasReturns(file []byte) bool {
	lines := bytes.Count(file, []byte("\n"))
	return lines > 0 && bytes.Count(file, []byte("\r\n")) == lines
}

// endedAs returns an edited text with the ends of lines that its file has.
func endedAs(file, text []byte) []byte {
	if !hasReturns(file) {
		return text
	}
	return bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
}

// apply saves the files to edit, writes all edits, then removes the files of which nothing is left.
func (r InitRequest) apply(ctx context.Context, edits []scaffold.Edit, result *InitResult, saved *output.Saved) error {
	var written []output.File
	for _, e := range edits {
		if e.Body == nil {
			result.Removed = append(result.Removed, e.Path)
			continue
		}
		name := filepath.Join(r.Dir, filepath.FromSlash(e.Path))
		before, err := os.ReadFile(name)
		after := endedAs(before, e.Body)
		if err == nil && bytes.Equal(before, after) {
			continue
		}
		result.Edited = append(result.Edited, e.Path)
		written = append(written, output.File{Path: e.Path, Body: after})
	}
	slices.Sort(result.Edited)
	slices.Sort(result.Removed)
	names := slices.Concat(result.Edited, result.Removed)
	if err := r.writable(names); err != nil {
		return err
	}
	if err := saved.Save(r.Dir, names); err != nil {
		return err
	}
	if err := output.Put(ctx, r.Dir, written); err != nil {
		return fmt.Errorf("edit: %w", err)
	}
	var err error
	for _, name := range result.Removed {
		err = errors.Join(err, os.Remove(filepath.Join(r.Dir, filepath.FromSlash(name))))
	}
	return err
}

// writable returns an error for all files that their owner has made read-only. Writing replaces a
// file, which the permissions of its folder allow.
func (r InitRequest) writable(names []string) error {
	var out diag.List
	for _, below := range names {
		name := filepath.Join(r.Dir, filepath.FromSlash(below))
		if info, err := os.Stat(name); err == nil && info.Mode().Perm()&0o200 == 0 {
			out.Add(diag.Errorf(diag.InFile(name), "strata init --write would edit this file, and it is read-only").
				WithHint("chmod u+w makes it writable; nothing was edited"))
		}
	}
	return out.Err()
}
