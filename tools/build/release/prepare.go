package release

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/pack"
	"github.com/stratakube/strata/tools/build/release/settings"
	"github.com/stratakube/strata/tools/build/standalone"
)

// Prepare writes the versions of a release into releases.yaml, go.work, the changelog, and the
// go.mod and go.sum of all modules, and commits them. It asks no network: the sums of modules that
// require one another are those of the trees that the commit will have. If it fails, the work tree
// is what it was.
func (r *Release) Prepare(ctx context.Context, wanted ...string) (plan Plan, err error) {
	if err := r.Repository.Clean(ctx); err != nil {
		return nil, err
	}
	if plan, err = r.Plan(ctx, wanted...); err != nil {
		return plan, err
	}
	if !slices.ContainsFunc(plan, func(e Entry) bool { return e.Version != "" }) {
		return plan, errors.New("nothing changed since the last releases")
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.undo(context.WithoutCancel(ctx)))
		}
	}()
	if err := r.write(ctx, plan); err != nil {
		return plan, hinted(err)
	}
	_, err = r.Repository.Git(ctx, "commit", "--quiet", "--message", "release: "+plan.title())
	return plan, err
}

// undo restores the commit that is checked out. The work tree had nothing else before.
func (r *Release) undo(ctx context.Context) error {
	if err := r.stage(ctx); err != nil { // so that new files go, too
		return err
	}
	_, err := r.Repository.Git(ctx, "reset", "--quiet", "--hard", "HEAD")
	return err
}

// write writes and stages all files of a release.
func (r *Release) write(ctx context.Context, plan Plan) error {
	versions := maps.Clone(r.Settings.Versions)
	if versions == nil {
		versions = map[string]string{}
	}
	for _, e := range plan {
		if e.Version != "" {
			versions[e.Module.Name] = e.Version
		}
	}
	edits := []func() error{
		func() error { return r.record(ctx, plan) }, // before go.work and go.mod differ
		func() error {
			return r.edit(settings.File, func(text []byte) ([]byte, error) { return settings.WithVersions(text, versions) })
		},
		func() error {
			return r.edit("go.work", func(text []byte) ([]byte, error) { return r.replacing(text, versions) })
		},
		func() error {
			return r.edit(changelog, func(text []byte) ([]byte, error) { return entitled(text, plan.title()) })
		},
		func() error { return r.stage(ctx) },
		func() error { return r.require(ctx, plan, versions) },
		func() error { return r.stage(ctx) },
	}
	for _, edit := range edits {
		if err := edit(); err != nil {
			return err
		}
	}
	return nil
}

func (r *Release) stage(ctx context.Context) error {
	_, err := r.Repository.Git(ctx, "add", "--all")
	return err
}

func (r *Release) edit(name string, change func([]byte) ([]byte, error)) error {
	path := filepath.Join(r.Workspace.Root, filepath.FromSlash(name))
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if text, err = change(text); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o666)
}

// replacing returns a go.work that replaces the modules' versions by their folders.
func (r *Release) replacing(text []byte, versions map[string]string) ([]byte, error) {
	work, err := modfile.ParseWork("go.work", text, nil)
	if err != nil {
		return nil, err
	}
	for _, replace := range slices.Clone(work.Replace) {
		i := slices.IndexFunc(r.Workspace.Modules, func(m modules.Module) bool { return m.Path == replace.Old.Path })
		if i < 0 || versions[r.Workspace.Modules[i].Name] == "" {
			continue
		}
		path, folder := replace.Old.Path, replace.New.Path // DropReplace clears them
		if err := work.DropReplace(path, replace.Old.Version); err != nil {
			return nil, err
		}
		if err := work.AddReplace(path, versions[r.Workspace.Modules[i].Name], folder, ""); err != nil {
			return nil, err
		}
	}
	work.Cleanup()
	work.SortBlocks()
	return modfile.Format(work.Syntax), nil
}

const (
	changelog  = "CHANGELOG.md"
	unreleased = "## [Unreleased]\n"
)

// entitled gives the entries of a changelog that are not released yet the title of a release.
func entitled(text []byte, title string) ([]byte, error) {
	before, after, ok := bytes.Cut(text, []byte(unreleased))
	if !ok {
		return nil, fmt.Errorf("%s has no line %q", changelog, strings.TrimSpace(unreleased))
	}
	heading := fmt.Sprintf("%s\n## %s (%s)\n", unreleased, title, time.Now().UTC().Format(time.DateOnly))
	return slices.Concat(before, []byte(heading), after), nil
}

// title names a release: v0.2.0 if all modules get that version.
func (p Plan) title() string {
	var words []string
	versions := map[string]bool{}
	for _, e := range p {
		versions[e.Version] = true
		if e.Version != "" {
			words = append(words, e.Module.Name+" "+e.Version)
		}
	}
	if len(versions) == 1 {
		return p[0].Version
	}
	return strings.Join(words, ", ")
}

// record adds the records of the modules that are released.
func (r *Release) record(ctx context.Context, plan Plan) error {
	for _, record := range r.Settings.Records {
		i := slices.IndexFunc(plan, func(e Entry) bool { return e.Module.Name == record.Module })
		if i < 0 || plan[i].Version == "" {
			continue
		}
		named := func(s string) string { return strings.ReplaceAll(s, "VERSION", plan[i].Version) }
		if record.Copy != "" {
			to := filepath.Join(r.Workspace.Root, filepath.FromSlash(named(record.To)))
			if err := os.RemoveAll(to); err != nil {
				return err
			}
			if err := os.CopyFS(to, os.DirFS(filepath.Join(r.Workspace.Root, filepath.FromSlash(record.Copy)))); err != nil {
				return fmt.Errorf("record %s: %w", record.Copy, err)
			}
			continue
		}
		words := make([]string, len(record.Run))
		for i, word := range record.Run {
			words[i] = named(word)
		}
		if _, err := (command.In{Dir: r.Workspace.Root}).Output(ctx, words[0], words[1:]...); err != nil {
			return fmt.Errorf("record %s: %w", record.Module, err)
		}
	}
	return nil
}

// require writes the go.mod and go.sum of all modules, in the order in which they require one
// another. A module is packed once its own files are final, and the next ones get its sum.
func (r *Release) require(ctx context.Context, plan Plan, versions map[string]string) error {
	var released []pack.Packed
	for _, m := range r.Workspace.Modules {
		if len(m.Siblings) > 0 {
			if err := r.requireIn(ctx, m, released); err != nil {
				return fmt.Errorf("require siblings in %s: %w", m.Name, err)
			}
		}
		version := versions[m.Name]
		if version == "" {
			continue
		}
		from := TagOf(m, version)
		if slices.ContainsFunc(plan, func(e Entry) bool { return e.Module.Path == m.Path && e.Version != "" }) {
			tree, err := r.Repository.Git(ctx, "write-tree")
			if err != nil {
				return err
			}
			from = strings.TrimSpace(tree)
		}
		p, err := r.packed(ctx, m, version, from)
		if err != nil {
			return err
		}
		released = append(released, p)
	}
	return nil
}

// requireIn writes and stages the go.mod and go.sum of a module whose siblings are released.
func (r *Release) requireIn(ctx context.Context, m modules.Module, released []pack.Packed) error {
	dir, err := os.MkdirTemp("", "strata-release-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	proxy, err := pack.Serve(ctx, dir, released)
	if err != nil {
		return err
	}
	mod, sums, err := standalone.WithReleases(ctx, m, proxy)
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{"go.mod": mod, "go.sum": sums} {
		if err := os.WriteFile(filepath.Join(m.Dir, name), text, 0o666); err != nil {
			return err
		}
	}
	return r.stage(ctx)
}
