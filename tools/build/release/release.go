package release

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/pack"
	"github.com/stratakube/strata/tools/build/release/repository"
	"github.com/stratakube/strata/tools/build/release/settings"
)

// Release is the repository with what is set about its releases.
type Release struct {
	Workspace  *modules.Workspace
	Repository repository.Repository
	Settings   *settings.Settings
}

// Open reads the workspace of a folder.
func Open(dir string) (*Release, error) {
	w, err := modules.Find(dir)
	if err != nil {
		return nil, err
	}
	s, w, err := settings.Read(w)
	if err != nil {
		return nil, err
	}
	return &Release{w, repository.Repository{Dir: w.Root}, s}, nil
}

// modules are those that are released, in the order of the workspace.
func (r *Release) modules() []modules.Module { return r.Settings.Released(r.Workspace) }

// last returns the newest version of a module that has a tag; empty if none has.
func (r *Release) last(ctx context.Context, m modules.Module) (string, error) {
	versions, err := r.Repository.Versions(ctx, m.Name)
	if err != nil || len(versions) == 0 {
		return "", err
	}
	return versions[len(versions)-1], nil
}

// hinted adds a hint to the error of a go command that would have asked a network for a module.
func hinted(err error) error {
	if err == nil || !strings.Contains(err.Error(), "module lookup disabled by GOPROXY=off") {
		return err
	}
	return fmt.Errorf("%w\nno network is used, and the module cache lacks this module: run go tool mage modules first", err)
}

// TagOf is the name of the tag of a module at a version.
func TagOf(m modules.Module, version string) string { return m.Name + "/" + version }

// packed packs a module as a commit has it.
func (r *Release) packed(ctx context.Context, m modules.Module, version, commit string) (pack.Packed, error) {
	files, err := r.Repository.Files(ctx, commit, m.Name)
	if err != nil {
		return pack.Packed{}, err
	}
	return pack.Release(m, version, files)
}

// Pending returns the modules whose version of releases.yaml has no tag yet.
func (r *Release) Pending(ctx context.Context) ([]modules.Module, error) {
	var out []modules.Module
	for _, m := range r.modules() {
		version := r.Settings.Versions[m.Name]
		if version == "" {
			continue
		}
		tagged, err := r.Repository.Versions(ctx, m.Name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(tagged, version) {
			out = append(out, m)
		}
	}
	return out, nil
}

// Current packs the modules at their versions of releases.yaml: those without a tag from a commit,
// and the others from their tags.
func (r *Release) Current(ctx context.Context, commit string) ([]pack.Packed, error) {
	pending, err := r.Pending(ctx)
	if err != nil {
		return nil, err
	}
	var out []pack.Packed
	for _, m := range r.modules() {
		version := r.Settings.Versions[m.Name]
		if version == "" {
			continue
		}
		from := TagOf(m, version)
		if isIn(pending, m) {
			from = commit
		}
		p, err := r.packed(ctx, m, version, from)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// All packs every version of every module that has a tag, the oldest first.
func (r *Release) All(ctx context.Context) ([]pack.Packed, error) {
	var out []pack.Packed
	for _, m := range r.modules() {
		versions, err := r.Repository.Versions(ctx, m.Name)
		if err != nil {
			return nil, err
		}
		for _, version := range versions {
			p, err := r.packed(ctx, m, version, TagOf(m, version))
			if err != nil {
				return nil, fmt.Errorf("pack %s: %w", TagOf(m, version), err)
			}
			out = append(out, p)
		}
	}
	return out, nil
}
