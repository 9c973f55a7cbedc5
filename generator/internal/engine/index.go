package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/ledger"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/output"
	"github.com/stratakube/strata/generator/internal/source"
)

// index describes a complete run, so that a run with --only finds the files that it must read. It
// is in the cache folder.
type index struct {
	// Key is the digest of the program, the configuration, the ledger's index and the shared files.
	Key output.Digest `json:"key"`
	// Shared are the generated files that belong to no group.
	Shared  []string        `json:"shared"`
	Sources []indexedSource `json:"sources"`
}

type indexedSource struct {
	Root  string        `json:"root"`
	Paths output.Digest `json:"paths"` // of all files below the root
	Files []indexedFile `json:"files"`
	// Used are the digests of the files that others refer to.
	Used map[string]output.Digest `json:"used"`
}

type indexedFile struct {
	Path    string        `json:"path"`
	Sum     output.Digest `json:"sum"`
	Folders []string      `json:"folders"` // of the groups of its resources; "" if one is unknown
	Uses    []string      `json:"uses,omitempty"`
}

// isIndexable reports whether each file that a configuration asks for belongs to one group, or
// depends only on which groups exist. Each source must list what its files declare.
func isIndexable(c *config.Config) bool {
	isOther := func(s config.Source) bool { return s.ARM == nil }
	return len(c.Sources) > 0 && !slices.ContainsFunc(c.Sources, isOther) &&
		c.Install.Kustomize == "" && c.Install.Helm == "" && !c.Output.CRDPackage && !c.Output.Kustomization && c.Output.Explorer == "" &&
		len(c.Versions.Evidence) == 0 && len(c.Groups.StoredBy) == 0
}

// digestOfProgram returns the digest of the program and of the configuration's text.
func digestOfProgram(ctx context.Context, r Request) (output.Digest, error) {
	var in output.Inputs
	if err := in.AddExecutable(); err != nil {
		return output.Digest{}, err
	}
	in.AddFile("config", r.Config)
	in.AddBytes("options", []byte(r.Config))
	return in.Digest(ctx)
}

// keyOf returns the key of an index. sum returns the digest of a file of the output folder.
func keyOf(ctx context.Context, program output.Digest, shared []string, sum func(path string) (output.Digest, error)) (output.Digest, error) {
	var in output.Inputs
	in.AddBytes("program", program[:])
	for _, path := range append([]string{output.LedgerDir + "/" + ledger.IndexFile}, shared...) {
		digest, err := sum(path)
		if err != nil {
			return output.Digest{}, err
		}
		in.AddBytes(path, digest[:])
	}
	return in.Digest(ctx)
}

func digestOfPaths(paths []string) output.Digest {
	var in output.Inputs
	in.AddBytes("paths", fmt.Appendf(nil, "%q", paths))
	digest, _ := in.Digest(context.Background()) // of bytes: no error
	return digest
}

// index stores the index of a complete run. Without it, runs with --only read everything.
func (pl Plan) index(ctx context.Context, program output.Digest, changes *output.Changes) error {
	if !pl.Only.IsZero() || pl.Lenient || len(pl.Omitted) > 0 || !isIndexable(pl.config) || len(pl.units) != len(pl.config.Sources) {
		return nil
	}
	ix := index{}
	sums := map[string]output.Digest{}
	for _, row := range changes.Outputs {
		sums[row.Path] = row.SHA256
		if row.Path != output.ManifestFile && isShared(row.Path) {
			ix.Shared = append(ix.Shared, row.Path)
		}
	}
	for i, s := range inOrder(pl.config.Sources) {
		if pl.units[i] == nil {
			return nil
		}
		root := s.Trees()[0].Root
		paths, err := pl.listings.below(root)
		if err != nil {
			return err
		}
		ix.Sources = append(ix.Sources, indexedSource{Root: root, Paths: digestOfPaths(paths)})
		if err := ix.Sources[i].add(pl.units[i], pl.folderOf); err != nil {
			return err
		}
	}
	var err error
	ix.Key, err = keyOf(ctx, program, ix.Shared, func(path string) (output.Digest, error) { return sums[path], nil })
	if err != nil {
		return err
	}
	body, err := json.Marshal(ix)
	if err != nil {
		return err
	}
	return output.WriteIndex(pl.config.Output.Dir, body)
}

func (s *indexedSource) add(units []source.Unit, folderOf func(*model.Resource) string) error {
	s.Used = map[string]output.Digest{}
	for _, u := range units {
		file := indexedFile{Path: u.Path}
		folders := map[string]bool{}
		for _, typ := range u.Types {
			if typ == "" {
				folders[""] = true
				continue
			}
			folders[folderOf(&model.Resource{Type: typ})] = true
		}
		file.Folders = slices.Sorted(maps.Keys(folders))
		for i, used := range u.Files {
			var sum output.Digest
			if err := sum.UnmarshalText([]byte(used.Digest)); err != nil {
				return err
			}
			if i == 0 {
				file.Sum = sum
				continue
			}
			file.Uses = append(file.Uses, used.Path)
			s.Used[used.Path] = sum
		}
		s.Files = append(s.Files, file)
	}
	return nil
}

// isShared reports whether a generated file belongs to no group.
func isShared(path string) bool { return scope{types: map[string]bool{}}.hasPath(path) }

// part limits a run with --only to the groups of its resources. The run reads only the files that
// declare something of them, and those that have changed since the index was written.
type part struct {
	folders map[string]bool
	skipped map[string]map[string]bool // by root and path
	rest    *output.Rest
}

// partOf returns the part of the output that a run with --only is about, or nil if the run must
// read everything.
func partOf(ctx context.Context, r Request, run *Run, program output.Digest) *part {
	if len(r.Only.Resources) == 0 || r.Lenient || !isIndexable(run.config) {
		return nil
	}
	dir := run.config.Output.Dir
	var ix index
	if json.Unmarshal(output.ReadIndex(dir), &ix) != nil {
		return nil
	}
	key, err := keyOf(ctx, program, ix.Shared, func(path string) (output.Digest, error) { return (*output.Sums)(nil).Of(dir, path) })
	if err != nil || key != ix.Key {
		return nil
	}
	p := &part{folders: map[string]bool{}, skipped: map[string]map[string]bool{}}
	for _, typ := range ledger.TypesOf(filepath.Join(dir, output.LedgerDir)) {
		if r.Only.AllowsType(typ) {
			p.folders[run.folderOf(&model.Resource{Type: typ})] = true
		}
	}
	sources := inOrder(run.config.Sources)
	if len(p.folders) == 0 || len(ix.Sources) != len(sources) {
		return nil
	}
	sums := output.ReadSums(dir, inputStates)
	for i, s := range sources {
		root := s.Trees()[0].Root
		paths, err := run.listings.below(root)
		if err != nil || ix.Sources[i].Root != root || ix.Sources[i].Paths != digestOfPaths(paths) || p.skipped[root] != nil {
			return nil
		}
		if p.skipped[root], err = p.skippable(ix.Sources[i], sums); err != nil {
			return nil
		}
	}
	return p
}

// skippable returns the files that are unchanged, refer only to unchanged files, and declare
// nothing of the part.
func (p *part) skippable(s indexedSource, sums *output.Sums) (map[string]bool, error) {
	changed := map[string]bool{}
	check := func(path string, want output.Digest) error {
		sum, err := sums.Of(s.Root, path)
		changed[path] = changed[path] || sum != want
		return err
	}
	for path, want := range s.Used {
		if err := check(path, want); err != nil {
			return nil, err
		}
	}
	for _, f := range s.Files {
		if err := check(f.Path, f.Sum); err != nil {
			return nil, err
		}
	}
	out := map[string]bool{}
	isPart := func(folder string) bool { return folder == "" || p.folders[folder] }
	for _, f := range s.Files {
		if !changed[f.Path] && !slices.ContainsFunc(f.Uses, func(path string) bool { return changed[path] }) && !slices.ContainsFunc(f.Folders, isPart) {
			out[f.Path] = true
		}
	}
	return out, nil
}

// hasPath reports whether a path below the output folder belongs to the groups of the part.
func (p *part) hasPath(path string) bool {
	return !isShared(path) && scope{types: map[string]bool{}, folders: p.folders}.hasPath(path)
}

// below returns the folders of the part's Go code.
func (p *part) below() []string { return slices.Sorted(maps.Keys(p.folders)) }

// isWhole reports whether a plan has the groups of the part, and no new resource. Then it changes
// no file of other groups, and none that is shared.
func (p *part) isWhole(pl Plan) bool {
	var folders []string
	for _, g := range pl.chain.Groups {
		folders = append(folders, g.Folder)
	}
	slices.Sort(folders)
	return slices.Equal(folders, p.below()) && len(pl.Next.Entries) == len(pl.Ledger.Entries) && len(pl.Omitted) == 0
}
