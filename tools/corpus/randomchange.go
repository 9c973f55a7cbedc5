package corpus

import (
	"fmt"
	"maps"
	"slices"
)

// declaredChange is metadata of a member of a version's spec: what becomes of it in the next
// version.
type declaredChange struct {
	version, key string
	entry        map[string]any
	names        []string // of the members that must stay
	was          schema   // the member before the change
}

// declare draws a change of a member of the spec between a version and the next one. It replaces
// what both versions have at its names, so that earlier and later versions can have other members
// there.
//
// A preview between them keeps what it has, or gets the earlier or the later member. If it gets the
// earlier one, the change may be declared for it too.
func (d *schemaDrawer) declare(k *randomKind, version, next int) {
	was, is, entry := d.pair()
	old, later := k.specs[version], k.specs[next]
	from, to := d.changedName(version), d.changedName(version)
	if from == to || slices.ContainsFunc(k.declared, func(c declaredChange) bool { return slices.Contains(c.names, from) || slices.Contains(c.names, to) }) || slices.ContainsFunc(k.renamed, func(r renamedMember) bool { return r.from == from || r.to == from || r.from == to || r.to == to }) {
		return
	}
	delete(old, "oneOf")
	delete(later, "oneOf")
	named := 0 // the version that the change names
	if next > version+1 && d.chance(50) {
		named = next
	}
	if !d.chance(40) {
		put(old, from, was, to)
		put(later, to, is, from)
		entry["nameInNextVersion"] = to
		names := []string{from, to}
		k.declared = append(k.declared, declaredChange{k.labels[version], from, entry, names, was})
		if named > 0 {
			named -= d.below(next - version)
			entry = maps.Clone(entry)
			entry["changedIn"] = k.labels[named]
			k.declared[len(k.declared)-1].entry = entry
			entry = withoutVersion(entry)
		}
		for leaf := version + 1; leaf < next; leaf++ {
			if leaf == named {
				delete(k.specs[leaf], "oneOf")
				put(k.specs[leaf], to, is, from)
				continue
			}
			d.declareLeaf(k, leaf, declaredChange{k.labels[leaf], from, entry, names, was}, is)
		}
		return
	}
	if named > 0 {
		entry["changedIn"] = k.labels[named]
	}
	var target, source string
	if d.chance(50) {
		source, _ = d.innerObject(old, to)
	}
	if target, later = d.target(later, from, source); target == "" && source == "" {
		return
	}
	take(old, target, to)
	if source != "" {
		old = old["properties"].(schema)[source].(schema)
	}
	put(old, from, was, to)
	put(later, to, is, from)
	entry["movedTo"] = path(target, to)
	k.declared = append(k.declared, declaredChange{k.labels[version], path(source, from), entry, []string{from, to, source, target}, was})
}

// declarePreview draws a change of a member of the spec between the last version of the main line
// and a preview after it.
func (d *schemaDrawer) declarePreview(k *randomKind, version, leaf int) {
	was, is, entry := d.pair()
	from, to := d.changedName(version), d.changedName(version)
	for _, spec := range []schema{k.specs[version], k.specs[leaf]} {
		delete(spec, "oneOf")
	}
	put(k.specs[version], from, was, to)
	put(k.specs[leaf], to, is, from)
	entry["changedIn"] = k.labels[leaf]
	if from != to {
		entry["renamedTo"] = map[string]any{"version": k.labels[leaf], "name": to}
	}
	k.declared = append(k.declared, declaredChange{k.labels[version], from, entry, []string{from, to}, was})
}

// declareBack draws a preview after the last version of the main line that goes back to the earlier
// value of a change which leads to that version, if there is such a change.
func (d *schemaDrawer) declareBack(k *randomKind, last, leaf int) {
	all := slices.DeleteFunc(slices.Clone(k.declared), func(c declaredChange) bool {
		version := slices.Index(k.labels, c.version)
		return k.next(version) != last || c.entry["movedTo"] != nil
	})
	if len(all) == 0 {
		return
	}
	c := all[d.below(len(all))]
	from, to := c.names[1], c.names[0]
	for _, spec := range []schema{k.specs[last], k.specs[leaf]} {
		delete(spec, "oneOf")
	}
	put(k.specs[leaf], to, c.was, from)
	entry := opposite(c.entry)
	entry["changedIn"] = k.labels[leaf]
	if from != to {
		entry["renamedTo"] = map[string]any{"version": k.labels[leaf], "name": to}
	}
	k.declared = append(k.declared, declaredChange{version: k.labels[last], key: from, entry: entry, names: []string{from, to}})
}

// opposites are the keys of changes, and those of their opposites.
var opposites = map[string]string{
	"plural": "singular", "singular": "plural", "wrappedIn": "unwrappedFrom", "unwrappedFrom": "wrappedIn",
	"split": "join", "join": "split", "keyedBy": "listedBy", "listedBy": "keyedBy",
}

// opposite returns the entry of the opposite change, without names and versions.
func opposite(entry map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range entry {
		switch {
		case opposites[key] != "":
			out[opposites[key]] = value
		case key == "factor":
			if out[key] = "1/" + fmt.Sprint(value); value == "1/1000" {
				out[key] = 1000
			}
		case key == "values":
			values := map[string]any{}
			for was, is := range value.(map[string]any) {
				values[is.(string)] = was
			}
			out[key] = values
		}
	}
	return out
}

// withoutVersion returns the entry of a change without the version that it names.
func withoutVersion(entry map[string]any) map[string]any {
	out := maps.Clone(entry)
	delete(out, "changedIn")
	return out
}

func path(object, member string) string {
	if object == "" {
		return member
	}
	return object + "." + member
}

// put gives an object a member, and takes another one.
func put(object schema, name string, member schema, other string) {
	properties := object["properties"].(schema)
	delete(properties, other)
	properties[name] = member
}

// take removes a member from an object that a spec has, or from the spec itself. The property that
// moves there must be new.
func take(spec schema, object, name string) {
	if object != "" {
		spec, _ = spec["properties"].(schema)[object].(schema)
	}
	if properties, isObject := spec["properties"].(schema); isObject {
		if delete(properties, name); len(properties) == 0 {
			properties["note"] = schema{"type": "string"}
		}
	}
}

// innerObject returns an object that is a member of another one, except the one of the given name.
func (d *schemaDrawer) innerObject(of schema, except string) (string, schema) {
	properties := of["properties"].(schema)
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(properties)), func(name string) bool {
		_, isObject := properties[name].(schema)["properties"]
		return !isObject || name == except || !slices.Contains(usualNames, name)
	})
	if len(names) == 0 {
		return "", of
	}
	name := names[d.below(len(names))]
	inner := properties[name].(schema)
	delete(inner, "oneOf")
	return name, inner
}

// target returns the object to which a member moves: one that is there, a new one, or the spec
// itself.
func (d *schemaDrawer) target(of schema, except, source string) (string, schema) {
	switch n := d.below(10); {
	case source != "" && n < 3:
		return "", of
	case n < 7:
		if name, inner := d.innerObject(of, except); name != "" && name != source {
			return name, inner
		}
		fallthrough
	default:
		inner := schema{"type": "object", "properties": schema{"note": schema{"type": "string"}}}
		of["properties"].(schema)["box"] = inner
		return "box", inner
	}
}

func (d *schemaDrawer) changedName(version int) string {
	if d.chance(40) {
		return fmt.Sprintf("%s%d", []string{"old", "new", "other"}[d.below(3)], version)
	}
	return usualNames[d.below(len(usualNames))]
}

// pair draws the schemas of a member on both sides of a declared change, and the change.
func (d *schemaDrawer) pair() (was, is schema, entry map[string]any) {
	value := d.scalar()
	if d.chance(40) {
		value = d.object(1, 1, 3)
	}
	text, list := schema{"type": "string"}, func(of schema) schema { return schema{"type": "array", "items": of} }
	wrapped := schema{"type": "object", "properties": schema{"value": value, "unit": text}}
	entries := d.object(1, 1, 3)
	elements := maps.Clone(entries)
	elements["properties"] = maps.Clone(entries["properties"].(schema))
	elements["properties"].(schema)["name"] = text
	for _, o := range []schema{entries, elements} {
		delete(o, "oneOf")
	}
	number := schema{"type": []string{"integer", "number"}[d.below(2)]}
	isMap := schema{"type": "object", "additionalProperties": entries}
	switch d.below(11) {
	case 0:
		return value, list(value), map[string]any{"plural": true}
	case 1:
		return list(value), value, map[string]any{"singular": true}
	case 2:
		return value, wrapped, map[string]any{"wrappedIn": "value"}
	case 3:
		return wrapped, value, map[string]any{"unwrappedFrom": "value"}
	case 4:
		return text, list(text), map[string]any{"split": ","}
	case 5:
		return list(text), text, map[string]any{"join": ";"}
	case 6:
		return number, number, map[string]any{"factor": 60}
	case 7:
		return number, number, map[string]any{"factor": "1/1000"}
	case 8:
		return list(elements), isMap, map[string]any{"keyedBy": "name"}
	case 9:
		return isMap, list(elements), map[string]any{"listedBy": "name"}
	}
	return schema{"type": "string", "enum": []any{"a", "b", "c"}}, schema{"type": "string", "enum": []any{"a", "x", "c"}},
		map[string]any{"values": map[string]any{"b": "x"}}
}

// declareLeaf draws what a preview has of a change between the versions before and after it.
func (d *schemaDrawer) declareLeaf(k *randomKind, leaf int, c declaredChange, is schema) {
	from, to := c.names[0], c.names[1]
	switch d.below(4) {
	case 0:
		delete(k.specs[leaf], "oneOf")
		put(k.specs[leaf], from, c.was, to)
		k.declared = append(k.declared, c)
	case 1:
		delete(k.specs[leaf], "oneOf")
		put(k.specs[leaf], from, c.was, to)
	case 2:
		delete(k.specs[leaf], "oneOf")
		put(k.specs[leaf], to, is, from)
	}
}
