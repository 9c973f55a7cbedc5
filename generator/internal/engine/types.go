package engine

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/refine"
)

// typeOf returns the type that the configuration chooses for a property on which declarations
// disagree; empty if there is none.
func (run *Run) typeOf(resource, version, path string) string {
	c, _ := run.config.TypeOf(resource, version, path)
	return c.Type
}

// disagreements reports the properties on which declarations disagree. The first error contains
// lines to paste that resolve all of them.
func (ms Models) disagreements(result *refine.Result) {
	var open []refine.Problem
	for _, p := range result.Problems {
		if p.Choices != nil {
			open = append(open, p)
		}
	}
	slices.SortStableFunc(open, func(p, q refine.Problem) int {
		return cmp.Or(cmp.Compare(p.Pos.File, q.Pos.File), cmp.Compare(p.Pos.Offset, q.Pos.Offset))
	})
	for i, p := range open {
		m := diag.Errorf(ms.positions.At(p.Pos), "%s %s: %s", p.Type, p.Version, p.Text)
		where, lines := ms.positionOfTypes()
		what := fmt.Sprintf("exclude one of the files, use --lenient to keep the property as free JSON, or choose its type (%s; any is free JSON)", strings.Join(p.Choices, ", "))
		if i > 0 {
			ms.Messages.Add(m.WithHint("%s with the lines that the first such error has", what))
			continue
		}
		var all strings.Builder
		all.WriteString(lines)
		for _, p := range open {
			all.WriteString(lineOf(p.Type, p.Version, p.Path, first(kindOf(ms.knownAt(p.Type, p.Version, p.Path)), p.Choices)))
		}
		ms.Messages.Add(m.WithHint("%s with these lines %s %s:", what, where, filepath.Base(ms.config.File)).WithPaste(all.String()))
	}
}

// positionOfTypes describes where lines about types belong, and returns the line that must
// precede them.
func (run *Run) positionOfTypes() (where, lines string) {
	if len(run.config.Types) > 0 {
		return "below types in", ""
	}
	return "at the end of", "types:\n"
}

// lineOf returns the configuration line that chooses the first of some types for a property.
func lineOf(resource, version, path string, choices []string) string {
	line := fmt.Sprintf("  - {resource: %s, version: %q, property: %s, type: %s}", plainYAML(resource), version, plainYAML(path), choices[0])
	if len(choices) > 1 {
		line += " # or " + strings.Join(choices[1:], ", ")
	}
	return line + "\n"
}

// maxNoted is the maximum number of properties for which a note has lines.
const maxNoted = 20

// noteFreeJSON notes the properties of new versions that are free JSON because unions, or
// declarations of a lenient run, cannot be merged. The first note contains lines that give them
// types. Properties in the ledger keep their types.
func (rf Refined) noteFreeJSON() {
	var fresh []refine.Conflict
	for _, c := range rf.Merged {
		if rf.Ledger.Version(c.Type, c.Version) == nil {
			fresh = append(fresh, c)
		}
	}
	slices.SortStableFunc(fresh, func(c, d refine.Conflict) int {
		return cmp.Or(cmp.Compare(c.Pos.File, d.Pos.File), cmp.Compare(c.Pos.Offset, d.Pos.Offset))
	})
	where, lines := rf.positionOfTypes()
	count := 0
	for _, c := range fresh {
		if c.Choices != nil && count < maxNoted {
			lines += lineOf(c.Type, c.Version, c.Path, slices.Concat([]string{refine.FreeJSON}, slices.DeleteFunc(slices.Clone(c.Choices), isFree)))
			count++
		}
	}
	reported := false
	for _, c := range fresh {
		m := diag.Notef(diag.At(c.Pos.File, c.Pos.Offset, ""), "%s %s: %s is free JSON: %s", c.Type, c.Version, c.Path, c.Reason)
		if c.Choices != nil && !reported {
			reported = true
			m = m.WithHint("to give it a type, choose one before objects are stored, and generate anew without what this run adds to the ledger, with lines as these %s %s:",
				where, filepath.Base(rf.config.File)).WithPaste(lines)
		}
		rf.Messages.Add(m)
	}
}

func isFree(choice string) bool { return choice == refine.FreeJSON }

// unusedTypes reports choices of types that have no effect. omits means that the run omits
// resource versions.
func (ms Models) unusedTypes(result *refine.Result, omits bool) {
	used := map[diag.Pos]bool{}
	for _, s := range result.Chosen {
		if c, ok := ms.config.TypeOf(s.Type, s.Version, s.Path); ok {
			used[c.Pos] = true
		}
	}
	for _, c := range ms.config.Types {
		if !used[c.Pos] && ms.couldUse(c, omits) {
			ms.Messages.Add(ms.unused(c, result))
		}
	}
}

// unused returns the error for a choice of a type that has no effect.
func (ms Models) unused(c config.TypeChoice, result *refine.Result) diag.Message {
	var types, versions []string
	for _, r := range ms.Resources {
		types = append(types, r.Type)
		for _, v := range r.Versions {
			if strings.EqualFold(r.Type, c.Resource) {
				versions = append(versions, v.Name)
			}
		}
	}
	at := func(key string) diag.Pos { return ms.config.At(c.Pos.Path + "." + key) }
	is := func(name string) func(string) bool {
		return func(other string) bool { return strings.EqualFold(name, other) }
	}
	switch {
	case !slices.ContainsFunc(types, is(c.Resource)):
		return nearest(diag.Errorf(at("resource"), "there is no resource %s", c.Resource), c.Resource, types, "strata show prints the resources that there are")
	case !slices.ContainsFunc(versions, is(c.Version)):
		return nearest(diag.Errorf(at("version"), "there is no version %s of %s", c.Version, c.Resource), c.Version, versions, "strata show prints the versions that there are")
	}
	return nearest(diag.Errorf(at("property"), "no declarations or branches of %s %s disagree on %q", c.Resource, c.Version, c.Property), c.Property, pathsOf(c, result),
		"remove the entry: the declarations agree, or there is no such property")
}

var plainWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._/$-]*$`)

// plainYAML formats a text for use within braces of YAML.
func plainYAML(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return fmt.Sprintf("%q", text)
}

// couldUse reports whether the run would use a correct choice. Runs with --only, without the
// schemas, or lenient runs with omissions would not.
func (ms Models) couldUse(c config.TypeChoice, omits bool) bool {
	if !ms.Only.IsZero() || omits || ms.Lenient {
		return false
	}
	r := ms.rawOf(c.Resource)
	return r != nil && r.Version(ms.spelled(r, c.Version)) != nil || ms.Ledger.Version(c.Resource, c.Version) == nil
}

// spelled returns a version's name as a resource spells it, whatever the letter case of name.
func (ms Models) spelled(r *model.Resource, name string) string {
	for _, v := range r.Versions {
		if strings.EqualFold(v.Name, name) {
			return v.Name
		}
	}
	return name
}

// pathsOf returns the properties of a resource version on which declarations, or the branches of
// unions, disagree.
func pathsOf(c config.TypeChoice, result *refine.Result) []string {
	var out []string
	is := func(resource, version string) bool {
		return strings.EqualFold(resource, c.Resource) && strings.EqualFold(version, c.Version)
	}
	for _, p := range result.Problems {
		if p.Choices != nil && is(p.Type, p.Version) {
			out = append(out, p.Path)
		}
	}
	for _, s := range result.Chosen {
		if is(s.Type, s.Version) {
			out = append(out, s.Path)
		}
	}
	for _, free := range result.Conflicts {
		if free.Choices != nil && is(free.Type, free.Version) {
			out = append(out, free.Path)
		}
	}
	return out
}
