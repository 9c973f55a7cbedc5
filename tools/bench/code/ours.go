package code

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stratakube/strata/tools/corpus"
)

// Pair generates code for the resource versions that the peer has. It keeps those groups of the
// peer for whose versions there are schemas. Call close when nothing is measured any more.
func Pair(ctx context.Context, l *corpus.Lab, p Peer, dir string) (ours, theirs Code, closing func(), err error) {
	groups, err := p.groups()
	if err != nil {
		return ours, theirs, nil, err
	}
	files, err := schemas(l.Schemas())
	if err != nil {
		return ours, theirs, nil, err
	}
	var include, kinds []string
	wanted := map[corpus.ID]bool{}
	for name, of := range groups {
		own, found := files.of(of)
		if !found {
			delete(groups, name)
			continue
		}
		include = append(include, own...)
		for _, resources := range of {
			for _, id := range resources {
				kinds, wanted[id] = append(kinds, id.Type), true
			}
		}
	}
	slices.Sort(include)
	slices.Sort(kinds)
	project := corpus.Project{Schemas: l.Schemas(), Include: include, Kinds: slices.Compact(kinds), Like: "webhook", NoCRDs: true}
	ours, closing, err = generated(ctx, l, "code", project, func(id corpus.ID) bool { return wanted[id] })
	if err != nil {
		return ours, theirs, nil, err
	}
	ours.Name = "Strata"
	theirs, err = p.code(dir, groups)
	if err := errors.Join(err, ours.has(), theirs.has()); err != nil {
		closing()
		return ours, theirs, nil, err
	}
	return ours, theirs, closing, nil
}

// All generates code for all schemas of some providers, of which none means all.
func All(ctx context.Context, l *corpus.Lab, name string, providers ...string) (c Code, closing func(), err error) {
	project := corpus.Project{Schemas: l.Schemas(), Include: corpus.Of(providers...), Like: "webhook", NoCRDs: true}
	c, closing, err = generated(ctx, l, name, project, func(corpus.ID) bool { return true })
	c.WithEngine = true
	return c, closing, err
}

// generated generates the code of a project, and counts the resource versions that are wanted.
func generated(ctx context.Context, l *corpus.Lab, name string, project corpus.Project, isWanted func(corpus.ID) bool) (c Code, closing func(), err error) {
	m, unlock, err := corpus.OpenModule(l.Workspace, name, project)
	if err != nil {
		return c, nil, err
	}
	defer func() {
		if err != nil {
			unlock()
		}
	}()
	if err := os.RemoveAll(m.Output()); err != nil { // no ledger: every run is a first one
		return c, nil, fmt.Errorf("remove generated code: %w", err)
	}
	if _, err := l.Generate(ctx, m.Project); err != nil {
		return c, nil, err
	}
	manifest, err := corpus.ReadManifest(m.Output())
	if err != nil {
		return c, nil, err
	}
	root := corpus.ModulePath + "/api"
	c = Code{Prefix: root + "/", Dir: m.Dir, Packages: []string{root}}
	for _, row := range manifest.Resources {
		if isWanted(row.ID()) {
			c.Versions++
		}
	}
	return c, unlock, nil
}

// has fails if there is no code.
func (c Code) has() error {
	if c.Versions == 0 {
		return fmt.Errorf("%s has no resource that is measured", c.Name)
	}
	return nil
}

// files has the names of schemas below a folder, by what they are in lower case.
type files map[string]string

func schemas(root string) (files, error) {
	all := files{}
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, file)
		all[strings.ToLower(filepath.ToSlash(name))] = filepath.ToSlash(name)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list schemas: %w", err)
	}
	return all, nil
}

// of returns the schemas of a group, and reports whether there is one for each version.
func (f files) of(g group) ([]string, bool) {
	names := map[string]bool{}
	for _, resources := range g {
		for _, id := range resources {
			provider, _, _ := strings.Cut(id.Type, "/")
			name, found := f[path.Join(id.Version, provider+".json")]
			if !found {
				return nil, false
			}
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names)), true
}
