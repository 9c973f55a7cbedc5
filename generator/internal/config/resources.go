package config

import (
	"cmp"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/syntax/yaml"
)

const nameInNextVersion = "nameInNextVersion"

// resources decodes the metadata: folder of the group, version, Go type, and then rules of the type
// or JSON properties with their rules.
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
		d.typeRules(t, owner{Group: group, Version: version.key.Value, Type: t.key.Value, Pos: d.pos(t.key)}, targets)
	}
}

// owner is the type or property that metadata describes.
type owner struct {
	Group, Version, Type, Property string
	Pos                            diag.Pos
}

func (o owner) name() string { return cmp.Or(o.Property, o.Type) }

// typeRules decodes the value of a Go type. A rule of the type itself is a scalar. A mapping is a
// property, whatever its name.
func (d *decoder) typeRules(t entry, o owner, typeTargets map[string]string) {
	members, ok := d.entries(t.value)
	if ok && len(members) == 0 {
		d.add(diag.Errorf(d.pos(t.key), "this type has no rules").WithHint("such as `{nameInNextVersion: Location}`"))
	}
	targets := map[string]string{}
	first := len(d.config.Changes)
	for _, member := range members {
		if member.value.Kind == yaml.ScalarNode {
			d.typeRule(member, o, typeTargets)
			continue
		}
		property := o
		property.Property, property.Pos = member.key.Value, d.pos(member.key)
		d.propertyRules(member, property, targets)
	}
	d.checkPaths(d.config.Changes[first:])
}

func (d *decoder) typeRule(rule entry, o owner, targets map[string]string) {
	switch rule.key.Value {
	case nameInNextVersion:
		if to, ok := d.text(rule.value); ok && d.isGoType(rule.value, to) {
			d.rename(rule.value, o, to, "", targets)
		}
	case "conversion":
		d.conversion(rule.value, o)
	default:
		m := diag.Errorf(d.pos(rule.key), "must be a mapping: a property, or nameInNextVersion or conversion for the type itself")
		d.add(m.WithHint("such as `%s: {nameInNextVersion: other}`", rule.key.Value))
	}
}

func (d *decoder) propertyRules(member entry, o owner, targets map[string]string) {
	before := d.errors
	var mode Mode
	var removed, renamed bool
	var later string // the version of the new name, if it is stated
	keys, declared := d.changes()
	d.object(member.value, "resources.*.*.*.*", append([]field{
		key(nameInNextVersion, func(v value) {
			renamed = true
			if to, ok := d.text(v); ok {
				d.rename(v, o, to, "", targets)
			}
		}),
		key("renamedTo", func(v value) {
			if renamed {
				d.add(diag.Errorf(d.pos(v), "%q has two new names", o.Property).WithHint("remove nameInNextVersion or renamedTo"))
			}
			renamed = true
			later = d.renamedTo(v, o, targets)
		}),
		key("removed", func(v value) {
			removed = true
			if d.oneOf(v, "assessed") != "" {
				d.config.Removals = append(d.config.Removals, Removal(o))
			}
		}),
		key("conversion", func(v value) { mode = d.conversion(v, o) }),
	}, keys...)...)
	if declared.in == "" && len(declared.operations) > 0 {
		declared.in = later
	}
	d.declare(o, declared)
	changes := declared.operations
	switch {
	case len(member.value.Content) == 0 && d.errors == before:
		d.add(diag.Errorf(o.Pos, "this property has no rules").WithHint("such as `{nameInNextVersion: other}`"))
	case removed && renamed:
		d.add(diag.Errorf(o.Pos, "%q is both removed and renamed", o.Property).
			WithHint("remove one of the two: `removed: assessed` means that there is no new name"))
	case declared.to != "" && (renamed || mode != ""):
		d.add(diag.Errorf(o.Pos, "%q is moved, and has another rule", o.Property).
			WithHint("movedTo names the property in the next version, with its new name: remove the other rule"))
	case len(changes) > 0 && later != "" && declared.in != later:
		d.add(diag.Errorf(o.Pos, "%q has a new name in %s, and is declared as `%s` in %s", o.Property, later, changes[0], declared.in).
			WithHint("name one version: renamedTo has the version of the change too"))
	case len(changes) > 0 && removed:
		d.add(diag.Errorf(o.Pos, "%q is removed, and declared as `%s`", o.Property, changes[0]).WithHint("remove one of the two"))
	case len(changes) > 0 && mode == None:
		d.add(diag.Errorf(o.Pos, "%q is declared as `%s`, but takes no part in conversions", o.Property, changes[0]).
			WithHint("with `conversion: none` a property matches nothing: remove one of the two"))
	case mode == None && renamed:
		d.add(diag.Errorf(o.Pos, "%q is renamed, but takes no part in conversions", o.Property).
			WithHint("with `conversion: none` a property matches nothing: remove one of the two"))
	}
}

// conversion returns the mode, or "" after an error.
func (d *decoder) conversion(v value, o owner) Mode {
	mode := Mode(d.oneOf(v, string(Auto), string(Custom), string(None)))
	if mode != "" {
		d.config.Conversions = append(d.config.Conversions, Conversion{o.Group, o.Version, o.Type, o.Property, mode, o.Pos})
	}
	return mode
}

// rename records a new name in a version, which is empty for the next one.
func (d *decoder) rename(to value, o owner, target, in string, targets map[string]string) {
	if o.name() == target {
		d.add(diag.Errorf(d.pos(to), "%q is renamed to itself", o.name()).
			WithHint("equal names match without a rule"))
		return
	}
	name := target
	if in != "" {
		name += " in " + in
	}
	if d.first(to, targets, name, o.name(), "is already the next name of") {
		d.config.Renames = append(d.config.Renames, Rename{o.Group, o.Version, o.Type, o.Property, target, in, o.Pos})
	}
}

// renamedTo decodes a new name and its version, which it returns; empty after an error.
func (d *decoder) renamedTo(v value, o owner, targets map[string]string) (in string) {
	var name string
	var at value
	before := d.errors
	d.object(v, "resources.*.*.*.*.renamedTo",
		required("version", func(v value) { in = d.versionName(v) }),
		required("name", func(v value) { name, _ = d.text(v); at = v }),
	)
	switch {
	case d.errors > before:
	case in == o.Version:
		d.add(diag.Errorf(d.pos(v), "%s is the version of the old name", in).WithHint("name the later version, which has the new name"))
	default:
		d.rename(at, o, name, in, targets)
		return in
	}
	return ""
}

// once records, ignoring case, that owner has a name. A second owner is an error.
func (d *decoder) once(v value, owners map[string]string, name, owner, clash string) bool {
	return d.first(v, owners, strings.ToLower(name), owner, clash)
}

// first records that owner has a name. A second owner is an error.
func (d *decoder) first(v value, owners map[string]string, name, owner, clash string) bool {
	if first, taken := owners[name]; taken {
		d.errorf(v, "%q %s %q", v.Value, clash, first)
		return false
	}
	owners[name] = owner
	return true
}

func (d *decoder) kinds(v value) {
	kinds, _ := d.entries(v)
	for _, kind := range kinds {
		folder, name, ok := strings.Cut(kind.key.Value, "/")
		if !ok {
			d.add(diag.Errorf(d.pos(kind.key), "%q is not a group and kind", kind.key.Value).WithHint("such as `crm/Person`"))
			continue
		}
		rules, chosen := KindRules{Pos: d.pos(kind.key)}, ""
		if !isChoice(kind.value) && (!d.isFolder(kind.key, folder) || !d.isGoType(kind.key, name)) {
			continue
		}
		d.object(kind.value, "kinds.*",
			key("kind", func(v value) {
				if text, ok := d.text(v); ok && d.isGoType(v, text) {
					chosen = text
				}
			}),
			key("status", func(v value) { rules.AddStatus = d.oneOf(v, "add") == "add" }),
			key("hub", func(v value) { rules.Hub = d.versionName(v) }),
			key("rename", func(v value) { rules.Rename = d.names(v) }),
		)
		switch {
		case !isChoice(kind.value):
			d.config.Kinds[kind.key.Value] = rules
		case len(kind.value.Content) > 2:
			d.add(diag.Errorf(rules.Pos, "a kind is set beside other rules").WithHint("set these for the kind: `%s/%s: {...}`", strings.ToLower(folder), chosen))
		case chosen != "":
			d.config.KindNames = append(d.config.KindNames, KindName{Of: kind.key.Value, Kind: chosen, Pos: rules.Pos})
		}
	}
}

// isChoice reports whether a value sets the name of a kind.
func isChoice(v value) bool {
	for i := 0; v.Kind == yaml.MappingNode && i+1 < len(v.Content); i += 2 {
		if v.Content[i].Value == "kind" {
			return true
		}
	}
	return false
}

func (d *decoder) versionName(v value) string {
	name, ok := d.text(v)
	if ok {
		d.isVersion(v)
	}
	return name
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

// goNames decodes Go names of properties, types and values, by their names in schemas.
func (d *decoder) goNames(v value) map[string]string {
	names, owners := map[string]string{}, map[string]string{}
	entries, _ := d.entries(v)
	for _, e := range entries {
		to, ok := d.text(e.value)
		if ok && d.isGoName(e.value, to, "an exported name of Go") && d.once(e.value, owners, to, e.key.Value, "is already the name of") {
			names[e.key.Value] = to
		}
	}
	return names
}

// typeChoices decodes the types of properties on which declarations disagree.
func (d *decoder) typeChoices(v value) {
	d.items(v, func(v value) {
		c := TypeChoice{Pos: d.pos(v)}
		text := func(of *string) func(value) {
			return func(v value) { *of, _ = d.text(v) }
		}
		before := d.errors
		d.object(v, "types[]",
			required("resource", text(&c.Resource)),
			required("version", func(v value) { c.Version = d.versionName(v) }),
			required("property", text(&c.Property)),
			required("type", func(v value) { c.Type = d.oneOf(v, TypeNames...) }),
		)
		if first, ok := d.config.TypeOf(c.Resource, c.Version, c.Property); ok {
			d.add(diag.Errorf(c.Pos, "%s of %s %s has a type already: %s", c.Property, c.Resource, c.Version, first.Type).WithHint("remove one of the two"))
		} else if d.errors == before {
			d.config.chooseType(c)
		}
	})
}

// rulesOfProperties decodes which properties are secrets, or may come from ConfigMaps.
func (d *decoder) rulesOfProperties(v value) {
	d.items(v, func(v value) {
		r, isAboutSecrets := PropertyRule{Pos: d.pos(v)}, false
		before := d.errors
		d.object(v, "properties[]",
			key("resource", func(v value) { r.Resource = d.glob(v) }),
			key("property", func(v value) { r.Property = d.nameGlob(v) }),
			key("name", func(v value) { r.Name = d.nameGlob(v) }),
			key("secret", func(v value) { r.Secret, isAboutSecrets = d.boolean(v), true }),
			key("configMap", func(v value) { r.ConfigMap = d.boolean(v) }),
		)
		switch {
		case d.errors > before:
		case isAboutSecrets == r.ConfigMap:
			d.add(diag.Errorf(r.Pos, "must have either secret or configMap: true").
				WithHint("such as `secret: true` for a value that must stay hidden, or `configMap: true` for one that may come from a ConfigMap"))
		case (r.Property == "") == (r.Name == ""):
			d.add(diag.Errorf(r.Pos, "must have either property or name").
				WithHint("such as `property: properties.adminPassword`, or `name: \"*Password\"` for all properties with such names"))
		default:
			d.config.Properties = append(d.config.Properties, r)
		}
	})
}

// longestPath is the largest length of a path of names.
const longestPath = 1000

// nameGlob decodes a name, or a path of names, each of which may be a glob.
func (d *decoder) nameGlob(v value) string {
	text, ok := d.text(v)
	switch {
	case !ok:
		return ""
	case len(text) > longestPath || strings.Count(text, ".")+strings.Count(text, `["`) >= 50:
		d.errorf(v, "a path of more than 50 names or %d bytes", longestPath)
	case !doublestar.ValidatePattern(strings.NewReplacer("[]", "", `["`, ".", `"]`, "").Replace(text)):
		d.errorf(v, "bad pattern %q: a bracket or brace is not closed, or empty", text)
	default:
		return text
	}
	return ""
}

// TypeOf returns the chosen type of a property, and false if there is none.
func (c *Config) TypeOf(resource, version, property string) (TypeChoice, bool) {
	t, ok := c.types[propertyKey(resource, version, property)]
	return t, ok
}

// chooseType adds a choice.
func (c *Config) chooseType(t TypeChoice) {
	c.Types = append(c.Types, t)
	if c.types == nil {
		c.types = map[[3]string]TypeChoice{}
	}
	c.types[propertyKey(t.Resource, t.Version, t.Property)] = t
}

// propertyKey returns equal keys for equal properties, ignoring the case of resource and version.
func propertyKey(resource, version, property string) [3]string {
	return [3]string{strings.ToLower(resource), strings.ToLower(version), property}
}
