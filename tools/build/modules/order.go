package modules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

func withSiblings(found []Module, required map[string][]string) []Module {
	isOurs := map[string]bool{}
	for _, m := range found {
		isOurs[m.Path] = true
	}
	for i, m := range found {
		for _, path := range required[m.Path] {
			if isOurs[path] {
				found[i].Siblings = append(found[i].Siblings, path)
			}
		}
		slices.Sort(found[i].Siblings)
	}
	return found
}

// order sorts modules so that each comes after its siblings. Modules that require one another are
// an error that shows the cycle.
func order(found []Module) ([]Module, error) {
	slices.SortFunc(found, func(a, b Module) int { return cmp.Compare(a.Path, b.Path) })
	byPath := map[string]Module{}
	for _, m := range found {
		byPath[m.Path] = m
	}

	var ordered []Module
	done := map[string]bool{}
	var visit func(m Module, trail []string) error
	visit = func(m Module, trail []string) error {
		if i := slices.Index(trail, m.Path); i >= 0 {
			return fmt.Errorf("modules require one another: %s", strings.Join(append(trail[i:], m.Path), " -> "))
		}
		if done[m.Path] {
			return nil
		}
		for _, path := range m.Siblings {
			if err := visit(byPath[path], append(trail, m.Path)); err != nil {
				return err
			}
		}
		done[m.Path] = true
		ordered = append(ordered, m)
		return nil
	}
	for _, m := range found {
		if err := visit(m, nil); err != nil {
			return nil, err
		}
	}
	return ordered, nil
}
