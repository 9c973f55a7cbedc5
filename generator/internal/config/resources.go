package config

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/stratakube/strata/generator/internal/diag"
)

const nameInNextVersion = "nameInNextVersion"

// resources decodes the metadata: folder of the group, version, Go type, then
// rules of the type or JSON properties with rules of theirs.
func (d *decoder) resources(v value) {
	groups, _ := d.entries(v)
	for _, group := range groups {
		d.isFolder(group.key, group.key.Value)
		versions, _ := d.entries(group.value)
		for _, version := range versions {
			d.isVersion(version.key)
			d.types(group.key.Value, version)
		}
	}
}

func (d *decoder) types(group string, version entry) {
	types, _ := d.entries(version.value)
	targets := map[string]string{}
	for _, t := range types {
		d.isGoType(t.key, t.key.Value)
		base := Rename{Group: group, Version: version.key.Value, Type: t.key.Value}
		d.typeRules(t, base, targets)
	}
}

// typeRules decodes what stands below a Go type. A rule of the type itself is a
// scalar; a mapping is a property, whatever its name.
func (d *decoder) typeRules(t entry, base Rename, typeTargets map[string]string) {
	members, ok := d.entries(t.value)
	if ok && len(members) == 0 {
		d.add(diag.Errorf(d.pos(t.key), "nothing is said of this type").WithHint("such as `{nameInNextVersion: Location}`"))
	}
	spelled, targets := map[string]string{}, map[string]string{}
	for _, member := range members {
		if member.value.Kind == yaml.ScalarNode {
			d.typeRule(t, member, base, typeTargets)
			continue
		}
		property := base
		property.Property = member.key.Value
		d.once(member.key, spelled, property.Property, property.Property, "is the same property as")
		d.propertyRules(member, property, targets)
	}
}

func (d *decoder) typeRule(t, rule entry, base Rename, targets map[string]string) {
	if rule.key.Value != nameInNextVersion {
		m := diag.Errorf(d.pos(rule.key), "wants a mapping: a property, or nameInNextVersion for the type itself")
		d.add(m.WithHint("such as `%s: {nameInNextVersion: other}`", rule.key.Value))
		return
	}
	to, ok := d.text(rule.value)
	if ok && d.isGoType(rule.value, to) {
		d.rename(t.key, rule.value, base, to, targets)
	}
}

func (d *decoder) propertyRules(member entry, base Rename, targets map[string]string) {
	before := d.errors
	d.object(member.value, "resources.*.*.*.*",
		key(nameInNextVersion, func(v value) {
			if to, ok := d.text(v); ok {
				d.rename(member.key, v, base, to, targets)
			}
		}),
		d.later("removed", "removed is", func(v value) { d.oneOf(v, "assessed") }),
		field{name: "conversion", decode: d.conversion},
	)
	if len(member.value.Content) == 0 && d.errors == before {
		d.add(diag.Errorf(d.pos(member.key), "nothing is said of this property").WithHint("such as `{nameInNextVersion: other}`"))
	}
}

// conversion may be auto, which is what holds without it.
func (d *decoder) conversion(e entry) {
	how := d.oneOf(e.value, "auto", "custom", "none")
	if how == "custom" || how == "none" {
		d.add(diag.Errorf(d.pos(e.value), "conversion: %s is not supported yet", how).
			WithHint("remove it; this version of strata would not obey it"))
	}
}

func (d *decoder) rename(owner, to value, r Rename, target string, targets map[string]string) {
	r.To, r.Pos = target, d.pos(owner)
	from := r.Property
	if from == "" {
		from = r.Type
	}
	if strings.EqualFold(from, target) {
		d.add(diag.Errorf(d.pos(to), "%q is renamed to itself", from).
			WithHint("names that differ in letter case match without a rule"))
		return
	}
	if d.once(to, targets, target, from, "is already the next name of") {
		d.config.Renames = append(d.config.Renames, r)
	}
}

// once records, case-free, that owner has a name; a second owner is an error.
func (d *decoder) once(v value, owners map[string]string, name, owner, clash string) bool {
	folded := strings.ToLower(name)
	if first, taken := owners[folded]; taken {
		d.errorf(v, "%q %s %q", name, clash, first)
		return false
	}
	owners[folded] = owner
	return true
}

func (d *decoder) kinds(v value) {
	kinds, _ := d.entries(v)
	for _, kind := range kinds {
		folder, name, ok := strings.Cut(kind.key.Value, "/")
		if !ok {
			d.add(diag.Errorf(d.pos(kind.key), "%q is no group and kind", kind.key.Value).WithHint("such as `crm/Person`"))
			continue
		}
		if !d.isFolder(kind.key, folder) || !d.isGoType(kind.key, name) {
			continue
		}
		rules := KindRules{Pos: d.pos(kind.key)}
		d.object(kind.value, "kinds.*",
			d.later("status", "kinds.*.status is", func(v value) { d.oneOf(v, "add") }),
			key("rename", func(v value) { rules.Rename = d.names(v) }),
		)
		d.config.Kinds[kind.key.Value] = rules
	}
}

func (d *decoder) names(v value) map[string]string {
	names, owners := map[string]string{}, map[string]string{}
	entries, _ := d.entries(v)
	for _, e := range entries {
		to, ok := d.text(e.value)
		if ok && d.once(e.value, owners, to, e.key.Value, "is already the name of") {
			names[e.key.Value] = to
		}
	}
	return names
}
