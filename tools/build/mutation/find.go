package mutation

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
)

// found is what gremlins reports of a mutant.
type found struct {
	Line, Column int
	Type         string
}

// kinds are gremlins' mutations that it leaves out unless it is asked for them.
var kinds = []string{
	"--invert-assignments", "--invert-bitwise", "--invert-bwassign", "--invert-logical", "--invert-loopctrl", "--remove-self-assignments",
}

// find lists the mutants of a package, by file and place. Packages below it are left out.
func find(ctx context.Context, w *modules.Workspace, t Target) ([]Mutant, error) {
	box := command.In{Dir: filepath.Join(w.Root, "tools", "build", "mutation", "gremlins"), Env: []string{"GOWORK=off"}}
	gremlins, err := box.Output(ctx, "go", "tool", "-n", "gremlins")
	if err != nil {
		return nil, fmt.Errorf("build gremlins: %w", err)
	}
	dir, err := os.MkdirTemp("", "strata-mutants-*")
	if err != nil {
		return nil, fmt.Errorf("find mutants: %w", err)
	}
	defer os.RemoveAll(dir)
	list := filepath.Join(dir, "list.json")
	work, err := workspaceIn(w, dir)
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(w.Root, filepath.FromSlash(t.Folder))
	flags, err := withoutTests(folder, dir)
	if err != nil {
		return nil, err
	}
	args := append([]string{"unleash", "--dry-run", "--exclude-files", "/", "--output", list}, kinds...)
	// Gremlins looks for its module from the folder that it is given, and requires an absolute
	// path.
	printed, err := command.In{Dir: folder, Env: []string{"GOWORK=" + work, "GOFLAGS=" + flags}}.Output(ctx, strings.TrimSpace(gremlins), append(args, folder)...)
	if err != nil {
		return nil, fmt.Errorf("find mutants of %s: %w\n%s", t.Folder, err, printed)
	}
	return readList(list, folder)
}

// withoutTests returns flags of the go command that hide the tests below a folder. Gremlins asks
// for their coverage before it lists mutants, and would build and run all of them; which tests
// reach a mutant is learned later.
func withoutTests(folder, dir string) (flags string, err error) {
	replace := map[string]string{}
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			replace[path] = ""
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("find tests: %w", err)
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	overlay := filepath.Join(dir, "overlay.json")
	if err := errors.Join(err, os.WriteFile(overlay, list, 0o600)); err != nil {
		return "", fmt.Errorf("hide tests: %w", err)
	}
	return strings.TrimSpace(os.Getenv("GOFLAGS") + " '-overlay=" + overlay + "'"), nil
}

// workspaceIn copies go.work and go.work.sum into a folder. Gremlins downloads modules by go mod
// download, which would write the sums of all of them into the go.work.sum that is committed.
func workspaceIn(w *modules.Workspace, dir string) (work string, err error) {
	text, err := os.ReadFile(filepath.Join(w.Root, "go.work"))
	if err != nil {
		return "", fmt.Errorf("copy workspace: %w", err)
	}
	work = filepath.Join(dir, "go.work")
	parsed, err := modfile.ParseWork("go.work", text, nil)
	if err != nil {
		return "", fmt.Errorf("copy workspace: %w", err)
	}
	var folders []string
	for _, use := range parsed.Use {
		folders = append(folders, use.Path) // dropping one changes it
	}
	for _, folder := range folders {
		err = errors.Join(err, parsed.DropUse(folder), parsed.AddUse(filepath.Join(w.Root, folder), ""))
	}
	parsed.Cleanup()
	for _, r := range slices.Clone(parsed.Replace) {
		if modfile.IsDirectoryPath(r.New.Path) {
			err = errors.Join(err, parsed.AddReplace(r.Old.Path, r.Old.Version, filepath.Join(w.Root, r.New.Path), ""))
		}
	}
	if err != nil {
		return "", fmt.Errorf("copy workspace: %w", err)
	}
	if err := os.WriteFile(work, modfile.Format(parsed.Syntax), 0o600); err != nil {
		return "", fmt.Errorf("copy workspace: %w", err)
	}
	sums, err := os.ReadFile(filepath.Join(w.Root, "go.work.sum"))
	if errors.Is(err, fs.ErrNotExist) {
		return work, nil
	}
	if err == nil {
		err = os.WriteFile(work+".sum", sums, 0o600)
	}
	if err != nil {
		return "", fmt.Errorf("copy workspace: %w", err)
	}
	return work, nil
}

func readList(list, folder string) ([]Mutant, error) {
	text, err := os.ReadFile(list)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // gremlins writes no list of nothing
	}
	if err != nil {
		return nil, fmt.Errorf("read mutants: %w", err)
	}
	var listed struct {
		Files []struct {
			Name      string `json:"file_name"`
			Mutations []found
		}
	}
	if err := json.Unmarshal(text, &listed); err != nil {
		return nil, fmt.Errorf("read mutants: %w", err)
	}
	var mutants []Mutant
	for _, f := range listed.Files {
		source, err := readSource(filepath.Join(folder, f.Name))
		if err != nil {
			return nil, err
		}
		for _, m := range f.Mutations {
			mutant, makesSense, err := source.mutant(m)
			if err != nil {
				return nil, err
			}
			if makesSense {
				mutants = append(mutants, mutant)
			}
		}
	}
	compare := func(a, b Mutant) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.offset, b.offset), cmp.Compare(a.Change, b.Change))
	}
	slices.SortFunc(mutants, compare)
	mutants = slices.CompactFunc(mutants, func(a, b Mutant) bool { return compare(a, b) == 0 }) // two kinds may change the same
	number(mutants)
	return mutants, nil
}

// number distinguishes mutants that are otherwise named alike, in their order.
func number(mutants []Mutant) {
	seen := map[Name]int{}
	for i := range mutants {
		name := mutants[i].Name
		seen[name]++
		mutants[i].Nth = seen[name]
	}
}
