package licences

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"

	"github.com/stratakube/strata/tools/build/command"
)

// Rules are the licences that dependencies may have, by their SPDX identifiers, and the modules
// whose licence no program recognizes, with its name.
type Rules struct {
	Allowed  []string
	Excepted map[string]string
}

// known is the part of a text, in percent, that must be of known licences.
const known = 75

// Check checks the licences of a module, and of all modules that its packages import. in is its
// folder, and how go commands run.
func Check(ctx context.Context, in command.In, rules Rules) error {
	out, err := in.Output(ctx, "go", "list", "-deps", "-json=Dir,Module", "./...")
	if err != nil {
		return err
	}
	folders := map[string]map[string]bool{} // of packages, by the path of the module
	roots := map[string]string{}
	for decoder := json.NewDecoder(strings.NewReader(out)); ; {
		var p struct {
			Dir    string
			Module *struct{ Path, Dir string }
		}
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("list packages: %w", err)
		}
		if p.Module == nil {
			continue
		}
		if folders[p.Module.Path] == nil {
			folders[p.Module.Path] = map[string]bool{}
		}
		roots[p.Module.Path] = p.Module.Dir
		folders[p.Module.Path][p.Dir] = true
	}
	var errs []error
	for _, path := range slices.Sorted(maps.Keys(folders)) {
		errs = append(errs, check(path, roots[path], folders[path], rules))
	}
	return errors.Join(errs...)
}

func check(path, root string, packages map[string]bool, rules Rules) error {
	files, err := texts(root, packages)
	if err != nil {
		return fmt.Errorf("licence of %s: %w", path, err)
	}
	if name := rules.Excepted[path]; name != "" {
		if !slices.Contains(rules.Allowed, name) {
			return fmt.Errorf("licence of %s: %s is not allowed", path, name)
		}
		return nil
	}
	if len(files) == 0 {
		return fmt.Errorf("licence of %s: there is no file LICENSE or COPYING", path)
	}
	var errs []error
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("licence of %s: %w", path, err)
		}
		for _, fault := range faults(text, rules.Allowed) {
			errs = append(errs, fmt.Errorf("licence of %s: %s: %s", path, filepath.Base(file), fault))
		}
	}
	return errors.Join(errs...)
}

// faults returns what is wrong with the text of a licence.
func faults(text []byte, allowed []string) []string {
	coverage := licensecheck.Scan(text)
	if len(coverage.Match) == 0 || coverage.Percent < known {
		return []string{fmt.Sprintf("%.0f %% of it is a known licence, %d %% is required", coverage.Percent, known)}
	}
	var out []string
	for _, match := range coverage.Match {
		if fault := match.ID + " is not allowed"; !match.IsURL && !slices.Contains(allowed, match.ID) && !slices.Contains(out, fault) {
			out = append(out, fault)
		}
	}
	return out
}

var named = regexp.MustCompile(`(?i)^(licen[sc]e|copying|unlicense)([-._].*)?$`)

// texts returns the licence files that apply to packages: those of their folders, and of the
// folders above up to the root of the module.
func texts(root string, packages map[string]bool) ([]string, error) {
	seen := map[string]bool{}
	var out []string
	for dir := range packages {
		for ; strings.HasPrefix(dir, root) && !seen[dir]; dir = filepath.Dir(dir) {
			seen[dir] = true
			entries, err := os.ReadDir(dir)
			if err != nil {
				return nil, err
			}
			for _, e := range entries {
				if !e.IsDir() && named.MatchString(e.Name()) && filepath.Ext(e.Name()) != ".go" {
					out = append(out, filepath.Join(dir, e.Name()))
				}
			}
		}
	}
	slices.Sort(out)
	return out, nil
}
