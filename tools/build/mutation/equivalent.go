package mutation

import (
	_ "embed"
	"errors"
	"fmt"

	"sigs.k8s.io/yaml"
)

// equivalents lists the mutants that behave as the package does, with the reason of each.
//
//go:embed equivalent.yaml
var equivalents []byte

// equivalent is one of them.
type equivalent struct {
	Package string
	Name
	Reason string
}

// readEquivalents reads a list of mutants. Each must have a reason.
func readEquivalents(text []byte) ([]equivalent, error) {
	var all []equivalent
	if err := yaml.UnmarshalStrict(text, &all); err != nil {
		return nil, fmt.Errorf("read equivalent.yaml: %w", err)
	}
	var errs []error
	for i, e := range all {
		if e.Nth == 0 {
			all[i].Nth = 1
		}
		if e.Reason == "" {
			errs = append(errs, fmt.Errorf("equivalent.yaml: %s %s: %s has no reason", e.Package, e.File, e.Change))
		}
	}
	return all, errors.Join(errs...)
}

// excuse gives the listed mutants of a target their verdict. A listed mutant that does not exist,
// or that tests kill, is an error: the list must not become stale.
func excuse(t Target, results []Result, listed []equivalent) error {
	var errs []error
	for _, e := range listed {
		if e.Package != t.Folder {
			continue
		}
		i := indexOf(results, e.Name)
		switch {
		case i < 0:
			errs = append(errs, fmt.Errorf("equivalent.yaml lists a mutant that %s does not have: %s, %s: %s: %s", t.Folder, e.File, e.Function, e.Source, e.Change))
		case results[i].Verdict == Killed || results[i].Verdict == TimedOut:
			errs = append(errs, fmt.Errorf("equivalent.yaml lists a mutant of %s that tests kill: %s, %s: %s: %s", t.Folder, e.File, e.Function, e.Source, e.Change))
		case results[i].Verdict != "":
			results[i].Verdict, results[i].Reason = Equivalent, e.Reason
		}
	}
	return errors.Join(errs...)
}

func indexOf(results []Result, name Name) int {
	for i, r := range results {
		if r.Name == name {
			return i
		}
	}
	return -1
}
