package removals

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
)

// Faults returns errors about metadata that matches nothing in a chain, or that is no longer
// needed, in the order of the configuration.
func Faults(c *chain.Chain, m Metadata) []diag.Message {
	var out []diag.Message
	spelled := map[key]string{}
	judge := func(s subject, report func([]spot) *diag.Message) {
		at, fault := s.find(c)
		if fault == nil {
			fault = s.once(at, spelled)
		}
		if fault == nil && report != nil {
			fault = report(at)
		}
		if fault != nil {
			out = append(out, *fault)
		}
	}
	for _, n := range m.Renames {
		s := subject{n.Group, n.Version, n.Type, n.Property, n.Pos}
		judge(s, func(at []spot) *diag.Message {
			if n.In != "" {
				return s.renameIn(at, n.To, n.In)
			}
			return s.rename(at, n.To)
		})
	}
	for _, n := range m.Removals {
		s := subject{n.Group, n.Version, n.Type, n.Property, n.Pos}
		judge(s, s.removal)
	}
	for _, n := range m.Conversions {
		judge(subject{n.Group, n.Version, n.Type, n.Property, n.Pos}, nil)
	}
	for _, n := range m.Changes {
		s := subject{n.Group, n.Version, n.Type, n.Property, n.Pos}
		if n.Operation.Moves() {
			s.property = ""
			judge(s, func(at []spot) *diag.Message {
				if fault := s.move(at, n); fault != nil {
					return fault
				}
				return s.alone(at, n, m)
			})
			continue
		}
		judge(s, func(at []spot) *diag.Message { return s.change(at, n) })
	}
	return out
}

// subject is the type or property that a key of the metadata identifies.
type subject struct {
	group, version, typ, property string
	pos                           diag.Pos
}

func (s subject) fault(text, hint string) *diag.Message {
	m := diag.Errorf(s.pos, "%s", text)
	m.Hint = hint
	return &m
}

// missing returns an error for something that does not exist, with similar names.
func (s subject) missing(text, name string, known []string, what string) *diag.Message {
	if near := diag.Nearest(name, known); near != "" {
		return s.fault(text, fmt.Sprintf("did you mean %q?", near))
	}
	slices.Sort(known)
	known = slices.Compact(known)
	if len(known) > most {
		return s.fault(text, fmt.Sprintf("strata show prints the %s that there are", what))
	}
	return s.fault(text, fmt.Sprintf("%s here: %s", what, strings.Join(known, ", ")))
}

// most is the number of names in a hint.
const most = 8

// find finds the objects of the subject's type that have its property.
func (s subject) find(c *chain.Chain) ([]spot, *diag.Message) {
	at := slices.IndexFunc(c.Groups, func(g *chain.Group) bool { return g.Folder == s.group })
	if at < 0 {
		return nil, s.missing(fmt.Sprintf("there is no group %q", s.group), s.group, folders(c), "groups")
	}
	g := c.Groups[at]
	if versions := versionsOf(g); !slices.Contains(versions, s.version) {
		return nil, s.missing(fmt.Sprintf("%s has no version %q", s.group, s.version), s.version, versions, "versions")
	}
	all := spots(g, s.version, s.typ)
	if len(all) == 0 {
		return nil, s.missing(fmt.Sprintf("%s %s has no type %q", s.group, s.version, s.typ), s.typ, typesOf(g, s.version), "types")
	}
	if s.property == "" {
		return all, nil
	}
	with := slices.DeleteFunc(slices.Clone(all), func(o spot) bool { return o.find(s.property) == nil })
	if len(with) == 0 {
		what := fmt.Sprintf("%s of %s %s", s.typ, s.group, s.version)
		for _, o := range all {
			if named := o.named(s.property); len(named) > 1 {
				return nil, s.ambiguous(what, s.property, named)
			}
		}
		return nil, s.missing(fmt.Sprintf("%s has no property %q", what, s.property), s.property, properties(all), "properties")
	}
	return with, nil
}

// ambiguous returns an error for a name that differs from those of several properties in letter
// case alone.
func (s subject) ambiguous(what, name string, named []*model.Property) *diag.Message {
	var names []string
	for _, p := range named {
		names = append(names, NameOf(p.Name))
	}
	return s.fault(fmt.Sprintf("%s has no property %q, and several whose names differ in letter case alone", what, name),
		fmt.Sprintf("write one of these: `%s`", strings.Join(names, "`, `")))
}

// once returns an error if another entry, in another letter case, means the same property. It
// records the entry's name.
func (s subject) once(all []spot, spelled map[key]string) *diag.Message {
	if s.property == "" {
		return nil
	}
	for _, o := range all {
		k := key{s.group, s.version, s.typ, o.named(s.property)[0].Name}
		if first := spelled[k]; first != "" && first != s.property {
			return s.fault(fmt.Sprintf("%q is the same property as %q", s.property, first), "remove one of the two entries")
		}
		spelled[k] = s.property
	}
	return nil
}

// find returns the object's lineage of the property that a name in metadata means; nil if there is
// none.
func (o spot) find(property string) *chain.Lineage {
	named := o.named(property)
	if len(named) != 1 {
		return nil
	}
	return o.place.At(o.version.Index, named[0].Name)
}

// renames reports whether a property of the object has a new name in a later version. A name that
// is found without metadata is not new.
func (o spot) renames(l *chain.Lineage, later *chain.Version, to string) bool {
	p, q := l.Live[o.version.Index], l.Live[later.Index]
	then := spot{o.place, later}
	return then.means(to, q) && model.Counterpart(p, o.place.Members(o.version.Index), o.place.Members(later.Index)) != q
}

// withNext returns the objects for which there is a next version.
func (s subject) withNext(all []spot) ([]spot, *diag.Message) {
	with := slices.DeleteFunc(slices.Clone(all), func(o spot) bool { return o.next() == nil })
	if len(with) == 0 {
		return nil, s.fault(fmt.Sprintf("%s is the last version on the main line: there is no next one", s.version), "the key stands with the last version that has the old name")
	}
	return with, nil
}

// rename returns an error of a new name.
func (s subject) rename(all []spot, to string) *diag.Message {
	all, fault := s.withNext(all)
	switch {
	case fault != nil:
		return fault
	case s.property == "":
		return s.renameType(all, to)
	}
	var fresh []string
	var still *model.Property
	for _, o := range all {
		next, l := o.next(), o.find(s.property)
		q := l.Live[next.Index]
		switch named := (spot{o.place, next}).named(to); {
		case len(named) > 1:
			return s.ambiguous(fmt.Sprintf("%s of the next version, %s,", s.typ, next.Model.Name), to, named)
		case q != nil && o.renames(l, next, to):
			return nil
		case q != nil:
			still = q
		}
		fresh = append(fresh, o.fresh(next)...)
	}
	version := all[0].next().Model.Name
	if still != nil {
		return s.fault(fmt.Sprintf("%s is needed no longer: %s %s", s.property, version, s.stays(still)), "remove nameInNextVersion")
	}
	text := fmt.Sprintf("%s of the next version, %s, has no new property %q", s.typ, version, to)
	if len(fresh) == 0 {
		return s.fault(text, "it has no new property at all: `removed: assessed` says that this one ends")
	}
	return s.missing(text, to, fresh, "new properties")
}

// renameIn returns an error of a new name in a version that the metadata names.
func (s subject) renameIn(all []spot, to, in string) *diag.Message {
	g := all[0].place.Resource.Group
	if versions := versionsOf(g); !slices.Contains(versions, in) {
		return s.missing(fmt.Sprintf("%s has no version %q", s.group, in), in, versions, "versions")
	}
	var fresh []string
	isLater := false
	for _, o := range all {
		i := slices.IndexFunc(o.place.Resource.Versions, func(v *chain.Version) bool { return v.Model.Name == in })
		if i <= o.version.Index {
			continue
		}
		isLater = true
		later, l := o.place.Resource.Versions[i], o.find(s.property)
		q := l.Live[i]
		switch named := (spot{o.place, later}).named(to); {
		case len(named) > 1:
			return s.ambiguous(fmt.Sprintf("%s of %s", s.typ, in), to, named)
		case q != nil && o.renames(l, later, to):
			return nil
		case q != nil:
			return s.fault(fmt.Sprintf("%s is needed no longer: %s %s", s.property, in, s.stays(q)), "remove renamedTo")
		}
		fresh = append(fresh, o.fresh(later)...)
	}
	switch {
	case !isLater:
		return s.fault(fmt.Sprintf("%s does not come after %s", in, s.version), "the entry stands with the version that has the old name, and names a later one")
	case len(fresh) == 0:
		return s.fault(fmt.Sprintf("%s of %s has no new property %q", s.typ, in, to), "it has no new property at all: `removed: assessed` says that this one ends")
	}
	return s.missing(fmt.Sprintf("%s of %s has no new property %q", s.typ, in, to), to, fresh, "new properties")
}

func (s subject) renameType(all []spot, to string) *diag.Message {
	g := all[0].place.Resource.Group
	var known []string
	for _, o := range all {
		known = append(known, typesOf(g, o.next().Model.Name)...)
	}
	if slices.Contains(known, to) {
		return nil
	}
	return s.missing(fmt.Sprintf("the next version, %s, has no type %q", all[0].next().Model.Name, to), to, known, "types")
}

// stays returns how a property continues without an entry.
func (s subject) stays(q *model.Property) string {
	switch {
	case q.Name == s.property:
		return "still has it"
	case strings.EqualFold(q.Name, s.property):
		return fmt.Sprintf("calls it %q, which is found without metadata", q.Name)
	}
	return fmt.Sprintf("has it as %q", q.Name)
}

// fresh returns the object's properties in a later version that it does not have yet.
func (o spot) fresh(next *chain.Version) []string {
	var out []string
	for _, l := range o.place.Lineages {
		if q := l.Live[next.Index]; q != nil && l.Live[o.version.Index] == nil && q.Name != chain.AdditionalName {
			out = append(out, q.Name)
		}
	}
	return out
}

// removal returns an error of a confirmed removal.
func (s subject) removal(all []spot) *diag.Message {
	all, fault := s.withNext(all)
	if fault != nil {
		return fault
	}
	var still *model.Property
	for _, o := range all {
		q := o.find(s.property).Live[o.next().Index]
		if q == nil {
			return nil
		}
		still = q
	}
	return s.fault(fmt.Sprintf("%s is not removed: %s %s", s.property, all[0].next().Model.Name, s.stays(still)), "remove `removed: assessed`")
}

func folders(c *chain.Chain) []string {
	var out []string
	for _, g := range c.Groups {
		out = append(out, g.Folder)
	}
	return out
}

func versionsOf(g *chain.Group) []string {
	var out []string
	for _, r := range g.Resources {
		for _, v := range r.Versions {
			out = append(out, v.Model.Name)
		}
	}
	return out
}

// modelVersionsOf returns the versions of a group, with those that the chain skips.
func modelVersionsOf(g *chain.Group) []string {
	var out []string
	for _, r := range g.Resources {
		for _, v := range r.Model.Versions {
			out = append(out, v.Name)
		}
	}
	return out
}

func typesOf(g *chain.Group, version string) []string {
	var out []string
	for _, r := range g.Resources {
		for _, v := range r.Versions {
			if v.Model.Name != version {
				continue
			}
			for _, d := range v.Model.Defs {
				out = append(out, d.Name)
			}
		}
	}
	return out
}

func properties(all []spot) []string {
	var out []string
	for _, o := range all {
		for _, p := range o.def().Object().Properties {
			out = append(out, p.Name)
		}
	}
	return out
}
