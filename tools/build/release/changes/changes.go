package changes

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/zip"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/release/settings"
)

// Trees are two extracted trees of a repository: that of the last release of a module, and the
// present one.
type Trees struct{ Before, After string }

// Of returns the changes of a module, those first that require the highest version.
func Of(ctx context.Context, t Trees, w *modules.Workspace, m modules.Module, s *settings.Settings) ([]Change, error) {
	own, err := t.files(w, m)
	if err != nil {
		return nil, fmt.Errorf("compare %s with its last release: %w", m.Name, err)
	}
	all := own
	if len(own) > 0 {
		further, err := t.apis(ctx, w, m)
		if err != nil {
			return nil, fmt.Errorf("compare %s with its last release: %w", m.Name, err)
		}
		all = append(all, further...)
	}
	for _, f := range s.Formats {
		if f.Module != m.Name {
			continue
		}
		changes, err := compareFormat(t.Before, t.After, f)
		if err != nil {
			return nil, fmt.Errorf("compare %s with its last release: %w", m.Name, err)
		}
		all = append(all, changes...)
	}
	if g := s.Generated; g != nil && g.Module == m.Name && len(own) > 0 {
		changes, err := compareGenerated(ctx, t.Before, t.After, w, g)
		if err != nil {
			return nil, fmt.Errorf("compare %s with its last release: %w", m.Name, err)
		}
		all = append(all, changes...)
	}
	slices.SortStableFunc(all, func(a, b Change) int { return int(b.Bump) - int(a.Bump) })
	return all, nil
}

func (t Trees) apis(ctx context.Context, w *modules.Workspace, m modules.Module) ([]Change, error) {
	changes, err := compareModules(ctx, t.Before, t.After, m)
	if err != nil {
		return nil, err
	}
	requirements, err := compareRequirements(t.Before, t.After, m, w)
	return append(changes, requirements...), err
}

// files returns a change if the files of a module differ. The versions of siblings do not count,
// since the release of a sibling changes them.
func (t Trees) files(w *modules.Workspace, m modules.Module) ([]Change, error) {
	was, err := own(filepath.Join(t.Before, filepath.FromSlash(m.Name)), w)
	if err != nil {
		return nil, err
	}
	is, err := own(filepath.Join(t.After, filepath.FromSlash(m.Name)), w)
	if err != nil {
		return nil, err
	}
	var changed []string
	for name := range is {
		if before, ok := was[name]; !ok || !bytes.Equal(before, is[name]) {
			changed = append(changed, name)
		}
	}
	for name := range was {
		if _, ok := is[name]; !ok {
			changed = append(changed, name)
		}
	}
	if len(changed) == 0 {
		return nil, nil
	}
	slices.Sort(changed)
	text := fmt.Sprintf("%d files changed, among them %s", len(changed), changed[0])
	return []Change{{"files", Patch, text}}, nil
}

// own returns the files of a module as its zip has them, without the versions of siblings.
func own(dir string, w *modules.Workspace) (map[string][]byte, error) {
	all, err := filesBelow(dir)
	if err != nil {
		return nil, err
	}
	checked, err := zip.CheckDir(dir)
	if err != nil {
		return nil, err
	}
	valid := map[string]bool{}
	for _, name := range checked.Valid {
		relative, err := filepath.Rel(dir, name)
		if err != nil {
			return nil, err
		}
		valid[filepath.ToSlash(relative)] = true
	}
	maps.DeleteFunc(all, func(name string, _ []byte) bool { return !valid[name] })
	if all["go.mod"], err = withoutVersions(all["go.mod"], w); err != nil {
		return nil, err
	}
	var sums bytes.Buffer
	for line := range strings.Lines(string(all["go.sum"])) {
		if path, _, _ := strings.Cut(line, " "); !isSibling(w, path) {
			sums.WriteString(line)
		}
	}
	all["go.sum"] = sums.Bytes()
	return all, nil
}

func withoutVersions(text []byte, w *modules.Workspace) ([]byte, error) {
	mod, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		return nil, err
	}
	for _, r := range mod.Require {
		if !isSibling(w, r.Mod.Path) {
			continue
		}
		if err := mod.AddRequire(r.Mod.Path, modules.Unpublished); err != nil {
			return nil, err
		}
	}
	mod.Cleanup()
	return mod.Format()
}
