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

	"github.com/stratakube/strata/tools/modules"
	"github.com/stratakube/strata/tools/run"
)

// found is what gremlins says of a mutant.
type found struct {
	Line, Column int
	Type         string
	Status       string // RUNNABLE, or NOT COVERED by tests
}

// kinds are gremlins' mutations that it leaves out unless it is asked for them.
var kinds = []string{
	"--invert-assignments", "--invert-bitwise", "--invert-bwassign", "--invert-logical", "--invert-loopctrl", "--remove-self-assignments",
}

// find lists the mutants of a package, by file and place. Packages below it are left out.
func find(ctx context.Context, w *modules.Workspace, t Target) ([]Mutant, error) {
	box := run.In{Dir: filepath.Join(w.Root, "tools", "mutate"), Env: []string{"GOWORK=off"}}
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
	args := append([]string{"unleash", "--dry-run", "--exclude-files", "/", "--output", list}, kinds...)
	// gremlins looks for its module from the folder that it is given, and wants that to be absolute.
	folder := filepath.Join(w.Root, filepath.FromSlash(t.Folder))
	said, err := run.In{Dir: folder}.Output(ctx, strings.TrimSpace(gremlins), append(args, folder)...)
	if err != nil {
		return nil, fmt.Errorf("find mutants of %s: %w\n%s", t.Folder, err, said)
	}
	return readList(list, folder, t)
}

func readList(list, folder string, t Target) ([]Mutant, error) {
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

// number tells apart mutants that are otherwise named alike, in their order.
func number(mutants []Mutant) {
	seen := map[Name]int{}
	for i := range mutants {
		name := mutants[i].Name
		seen[name]++
		mutants[i].Nth = seen[name]
	}
}
