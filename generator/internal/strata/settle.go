package strata

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

// typeOf is the type that the configuration chooses for a property on which declarations disagree,
// empty if it chooses none.
func (b *build) typeOf(resource, version, path string) string {
	c, _ := b.config.TypeOf(resource, version, path)
	return c.Type
}

// disagreements reports the properties on which declarations disagree, the first with lines to paste that
// settle all.
func (b *build) disagreements(result *refine.Result) {
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
		m := diag.Errorf(b.places.At(p.Pos), "%s %s: %s", p.Type, p.Version, p.Text)
		where, lines := "at the end of", "types:\n"
		if len(b.config.Types) > 0 {
			where, lines = "below types in", ""
		}
		what := fmt.Sprintf("exclude one of the files, use --lenient to keep the property as free JSON, or choose its type (%s; any is free JSON)", strings.Join(p.Choices, ", "))
		if i > 0 {
			b.Messages.Add(m.WithHint("%s with the lines that the first such error has", what))
			continue
		}
		for _, p := range open {
			lines += lineOf(p)
		}
		b.Messages.Add(m.WithHint("%s with these lines %s %s:", what, where, filepath.Base(b.config.File)).WithPaste(lines))
	}
}

// lineOf is the line that settles a disagreement, with the type that the first declaration gives.
func lineOf(p refine.Problem) string {
	line := fmt.Sprintf("  - {resource: %s, version: %q, property: %s, type: %s}", plainYAML(p.Type), p.Version, plainYAML(p.Path), p.Choices[0])
	if len(p.Choices) > 1 {
		line += " # or " + strings.Join(p.Choices[1:], ", ")
	}
	return line + "\n"
}

// unusedTypes reports choices that settle nothing.
func (b *build) unusedTypes(result *refine.Result) {
	for _, c := range b.config.Types {
		if !b.isUsed(c, result.Settled) && b.couldUse(c) {
			b.Messages.Add(b.unused(c, result))
		}
	}
}

// unused says which word of a choice that settles nothing is wrong.
func (b *build) unused(c config.TypeChoice, result *refine.Result) diag.Message {
	var types, versions []string
	for _, r := range b.raw {
		types = append(types, r.Type)
		for _, v := range r.Versions {
			if strings.EqualFold(r.Type, c.Resource) {
				versions = append(versions, v.Name)
			}
		}
	}
	at := func(key string) diag.Pos { return b.config.At(c.Pos.Path + "." + key) }
	is := func(name string) func(string) bool {
		return func(other string) bool { return strings.EqualFold(name, other) }
	}
	switch {
	case !slices.ContainsFunc(types, is(c.Resource)):
		return nearest(diag.Errorf(at("resource"), "there is no resource %s", c.Resource), c.Resource, types, "strata show prints the resources that there are")
	case !slices.ContainsFunc(versions, is(c.Version)):
		return nearest(diag.Errorf(at("version"), "there is no version %s of %s", c.Version, c.Resource), c.Version, versions, "strata show prints the versions that there are")
	}
	return nearest(diag.Errorf(at("property"), "no declarations of %s %s disagree on %q", c.Resource, c.Version, c.Property), c.Property, pathsOf(c, result),
		"remove the entry: the declarations agree, or there is no such property")
}

var plainWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._/$-]*$`)

// plainYAML is a text within braces of YAML.
func plainYAML(text string) string {
	if plainWord.MatchString(text) {
		return text
	}
	return fmt.Sprintf("%q", text)
}

func (b *build) isUsed(c config.TypeChoice, settled []refine.Settled) bool {
	return slices.ContainsFunc(settled, func(s refine.Settled) bool {
		used, ok := b.config.TypeOf(s.Type, s.Version, s.Path)
		return ok && used.Pos == c.Pos
	})
}

// couldUse reports whether the run would have used a choice that is right: a narrowed run, one without
// the schemas, or a lenient one that has left something out, would not.
func (b *build) couldUse(c config.TypeChoice) bool {
	if !b.Only.IsZero() || len(b.omitted) > 0 || b.Lenient {
		return false
	}
	isRead := slices.ContainsFunc(b.raw, func(r *model.Resource) bool {
		return strings.EqualFold(r.Type, c.Resource) && r.Version(b.spelled(r, c.Version)) != nil
	})
	return isRead || b.old.Version(c.Resource, c.Version) == nil
}

// spelled is a version's name as a resource has it, whatever its letter case.
func (b *build) spelled(r *model.Resource, name string) string {
	for _, v := range r.Versions {
		if strings.EqualFold(v.Name, name) {
			return v.Name
		}
	}
	return name
}

// pathsOf are the properties on which declarations of a resource version disagree.
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
	for _, s := range result.Settled {
		if is(s.Type, s.Version) {
			out = append(out, s.Path)
		}
	}
	return out
}
