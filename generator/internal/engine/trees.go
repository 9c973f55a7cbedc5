package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/git"
	"github.com/stratakube/strata/generator/internal/ledger"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/version"
)

// tree is one side of a comparison of schema trees.
type tree struct {
	resources []*model.Resource
	// temp is the folder into which the files of a git revision were unpacked, with their paths
	// in the repository. It is empty if the tree is on disk.
	temp    string
	sources *diag.Sources
	added   map[string]bool // the files in sources, by their names in the repository
}

// close removes the unpacked files.
func (t *tree) close() error {
	if t == nil || t.temp == "" {
		return nil
	}
	return os.RemoveAll(t.temp)
}

// inRepository replaces the file name in a position within temp by its name in the repository, and
// stores the file's content for messages.
func (t *tree) inRepository(pos model.Pos) model.Pos {
	if t.temp == "" {
		return pos
	}
	name, err := filepath.Rel(t.temp, pos.File)
	if err != nil || !filepath.IsLocal(name) || pos.File == "" {
		return pos
	}
	if !t.added[name] {
		if body, err := os.ReadFile(pos.File); err == nil {
			t.sources.Add(name, body)
		}
		t.added[name] = true
	}
	pos.File = name
	return pos
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// open reads the tree that an argument names: a folder, a cluster with some API groups, a revision
// with a folder, or a revision of the schemas that the configuration names. No name means the
// configuration's sources on disk.
func (d *comparison) open(ctx context.Context, name string, groups []string) (*tree, error) {
	t := &tree{sources: d.Sources, added: map[string]bool{}}
	switch {
	case name == "":
		noFiles := func(s config.Source) bool { return s.Trees() == nil } // they are not in revisions either
		return t, d.read(ctx, t, slices.DeleteFunc(slices.Clone(d.config.Sources), noFiles)...)
	case isCluster(name):
		return t, d.openCluster(ctx, t, name, groups)
	case isFolder(name):
		return t, d.read(ctx, t, everything(ctx, name)...)
	}
	revision, folder, isPath := strings.Cut(name, ":")
	if !isPath && d.Config == "" {
		return t, diag.Errorf(diag.Pos{}, "%s is no folder, and a revision needs a folder", name).
			WithHint("write %s:FOLDER, or name a configuration with --config", name)
	}
	d.Progress.Stage("unpacking schemas", 0)
	g, err := git.Open(ctx, d.config.Dir, revision)
	if ctx.Err() != nil {
		return t, ctx.Err()
	}
	if err != nil {
		return t, diag.Errorf(diag.Pos{}, "%s is no folder, and %v", name, err)
	}
	if t.temp, err = os.MkdirTemp("", "strata-diff-"); err != nil {
		return t, fmt.Errorf("unpack %s: %w", name, err)
	}
	if isPath {
		folder = filepath.FromSlash(strings.Trim(folder, "/"))
		if err := g.Unpack(ctx, t.temp, folder); ctx.Err() != nil {
			return t, ctx.Err()
		} else if err != nil {
			return t, diag.Errorf(diag.Pos{}, "%v", err)
		}
		return t, d.read(ctx, t, everything(ctx, filepath.Join(t.temp, folder))...)
	}
	sources, err := d.unpackSources(ctx, t, g)
	if err != nil {
		return t, err
	}
	return t, d.read(ctx, t, sources...)
}

// everything returns sources for all schemas below a folder. If there is an OpenAPI document,
// they are the OpenAPI documents. If there are YAML files and no JSON files, they are CRDs. Else
// they are Bicep types, by the name of their files, and all other JSON files as ARM schemas.
func everything(ctx context.Context, root string) []config.Source {
	const types = "types.json"
	schemas := config.Source{ARM: &config.Tree{Root: root, Include: []string{"**/*.json"}, Exclude: []string{"**/" + types}}}
	bicep := config.Source{Bicep: &config.Tree{Root: root, Include: []string{"**/" + types}}}
	crds := config.Source{CRD: &config.Tree{Root: root, Include: []string{"**/*.{yaml,yml}"}}}
	all, _ := source.List(root, os.DirFS(root)) // the front-end that reads it reports errors
	has := func(s config.Source) bool { return len(s.Trees()[0].Files(all)) > 0 }
	documents := config.Source{OpenAPI: &config.Tree{Root: root, Include: []string{"**/*.{json,yaml,yml}"}}}
	switch {
	case slices.ContainsFunc(documents.OpenAPI.Files(all), func(path string) bool {
		return ctx.Err() != nil || isOpenAPI(filepath.Join(root, path)) // reading ends with the context
	}):
		return []config.Source{documents}
	case has(crds) && !has(schemas) && !has(bicep):
		return []config.Source{crds}
	case !has(bicep):
		return []config.Source{schemas}
	case !has(schemas):
		return []config.Source{bicep}
	}
	return []config.Source{schemas, bicep}
}

var namesOpenAPI = regexp.MustCompile(`(?m)(^|[{,])\s*["']?(swagger|openapi)["']?\s*:\s*["']?[0-9]`)

// isOpenAPI reports whether a file is an OpenAPI document. It examines the beginning and, for
// JSON, the members, since a document with sorted names has its definitions first.
func isOpenAPI(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, 4<<10))
	return namesOpenAPI.Match(head) || hasOpenAPI(jsontext.NewDecoder(io.MultiReader(bytes.NewReader(head), f), jsontext.AllowDuplicateNames(true)))
}

// hasOpenAPI reports whether a JSON object has a member that states a version of OpenAPI. It
// stops at a member that OpenAPI documents do not have.
func hasOpenAPI(in *jsontext.Decoder) bool {
	if token, err := in.ReadToken(); err != nil || token.Kind() != '{' {
		return false
	}
	for in.PeekKind() == '"' {
		name, err := in.ReadToken()
		if err != nil {
			return false
		}
		switch name.String() {
		case "swagger", "openapi":
			return in.PeekKind() == '"' || in.PeekKind() == '0'
		case "$schema", "resourceDefinitions":
			return false
		}
		if in.SkipValue() != nil {
			return false
		}
	}
	return false
}

// unpackSources unpacks the configuration's sources from a revision.
func (d *comparison) unpackSources(ctx context.Context, t *tree, g *git.Commit) ([]config.Source, error) {
	var out []config.Source
	for _, s := range d.config.Sources {
		if s.Trees() == nil {
			continue
		}
		moved, err := s.Moved(func(tree *config.Tree) (string, error) {
			folder, err := g.Inside(tree.Root)
			if err == nil {
				err = g.Unpack(ctx, t.temp, folder)
			}
			if err != nil && ctx.Err() == nil {
				err = diag.Errorf(d.config.At(s.RootAt(tree)), "%v", err)
			}
			return filepath.Join(t.temp, folder), err
		})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		out = append(out, moved)
	}
	return out, nil
}

// read reads and refines the schemas of a tree, without a ledger. Its messages use the tree's
// names of files.
func (d *comparison) read(ctx context.Context, t *tree, sources ...config.Source) error {
	c := *d.config
	c.Sources, c.Only = sources, config.Only{}
	messages := new(diag.List)
	run := newRun(Request{Lenient: d.Lenient, Messages: messages, Sources: d.Sources, Progress: d.Progress}, &c)
	run.compares = true
	var err error
	t.resources, err = readTree(ctx, Sources{Run: run, Ledger: new(ledger.Ledger)})
	for _, m := range messages.Messages() {
		pos := t.inRepository(model.Pos{File: m.Pos.File, Offset: m.Pos.Offset})
		m.Pos.File = pos.File
		if m.Severity != diag.Note {
			d.Messages.Add(m)
		}
	}
	if failure := (*diag.Failure)(nil); errors.As(err, &failure) {
		return d.Messages.Err()
	}
	t.resources = withoutStorage(t.resources)
	if err == nil && len(t.resources) == 0 {
		err = noSchemas(sources)
	}
	return err
}

// withoutStorage removes the versions in which CRDs that Strata has generated store objects. No
// client uses them, and their names are not those of versions.
func withoutStorage(resources []*model.Resource) []*model.Resource {
	var out []*model.Resource
	for _, r := range resources {
		one := *r
		one.Versions = slices.DeleteFunc(slices.Clone(r.Versions), func(v *model.Version) bool {
			return version.IsStorage(v.Name)
		})
		if len(one.Versions) > 0 {
			out = append(out, &one)
		}
	}
	return out
}

// readTree returns refined models in which secrets are marked. Rules for secrets may match
// nothing in the tree.
func readTree(ctx context.Context, src Sources) ([]*model.Resource, error) {
	models, err := read(ctx, src)
	if err != nil {
		return nil, err
	}
	rf, _, err := refineModels(ctx, models)
	if err == nil {
		rf.markSecrets()
	}
	return rf.Resources, err
}

func noSchemas(sources []config.Source) error {
	var roots []string
	for _, s := range sources {
		for _, tree := range s.Trees() {
			roots = append(roots, tree.Root)
		}
	}
	if len(roots) == 0 {
		return diag.Errorf(diag.Pos{}, "no source has schemas that can be compared")
	}
	for _, root := range roots {
		if _, err := os.Stat(root); errors.Is(err, fs.ErrNotExist) {
			return diag.Errorf(diag.Pos{}, "no such folder: %s", root)
		}
	}
	return diag.Errorf(diag.Pos{}, "there is no resource in %s", strings.Join(roots, " and "))
}
