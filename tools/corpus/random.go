package corpus

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// group returns the API group of a kind. A kind with a chosen hub has a group of its own, because
// kinds of one group need hubs on one side of each step.
func (k randomKind) group() string {
	if k.hub != "" {
		return strings.ToLower(k.name) + ".example.com"
	}
	return "random.example.com"
}

// folder returns the folder of the group below the output.
func (k randomKind) folder() string { return strings.ReplaceAll(k.group(), ".", "-") }

// RandomKinds makes the CRDs of kinds that never were, with three to five versions each. A version
// follows from the one before it, or from the one before that: members come, go, come back in
// another shape, and are renamed; objects are opened and closed; versions are stable or previews.
// RandomKinds writes the CRDs below dir, after it has removed what lay there. It returns a project
// that reads them: its configuration declares renamed members and changes, and chooses hubs.
//
// The kind of a number follows from the number alone. The kinds have the numbers from first on.
func RandomKinds(dir string, first uint64, count int) (Project, error) {
	if err := os.RemoveAll(dir); err != nil {
		return Project{}, fmt.Errorf("draw kinds: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Project{}, fmt.Errorf("draw kinds: %w", err)
	}
	resources, kinds := map[string]map[string]map[string]schema{}, map[string]any{}
	for i := range count {
		k := drawKind(first + uint64(i))
		text, err := json.MarshalIndent(k.crd(), "", " ")
		if err != nil {
			return Project{}, fmt.Errorf("draw kinds: %w", err)
		}
		if err := os.WriteFile(filepath.Join(dir, k.plural()+".yaml"), text, 0o644); err != nil {
			return Project{}, fmt.Errorf("draw kinds: %w", err)
		}
		if k.hub != "" {
			kinds[k.folder()+"/"+k.name] = map[string]any{"hub": k.hub}
		}
		add := func(version, key string, entry schema) {
			versions := within(resources, k.folder())
			within(within(versions, version), k.name+"Spec")[key] = entry
		}
		for _, r := range k.renamed {
			add(r.version, r.from, schema{"nameInNextVersion": r.to})
		}
		for _, c := range k.declared {
			add(c.version, c.key, c.entry)
		}
	}
	out := Project{Native: dir, Include: []string{"*.yaml"}, Metadata: map[string]any{}, Hubs: kinds}
	for folder, versions := range resources {
		out.Metadata[folder] = versions
	}
	return out, nil
}

// within returns the map that another one has under a key. It makes one if there is none.
func within[M ~map[string]V, V any](of map[string]M, key string) M {
	if of[key] == nil {
		of[key] = M{}
	}
	return of[key]
}

// schema is a schema of a CRD, or a part of it.
type schema = map[string]any

// randomKind is a kind with the schemas of its specs.
type randomKind struct {
	name    string
	labels  []string // the versions, the earliest first
	specs   []schema
	renamed []renamedMember

	declared []declaredChange
	hub      string // the label of the chosen hub; empty for the usual one
}

// renamedMember is a member of a version's spec, and its name in the next version.
type renamedMember struct{ version, from, to string }

func (k randomKind) plural() string { return strings.ToLower(k.name) + "s" }

// crd returns the kind's CRD. The last stable version is stored.
func (k randomKind) crd() map[string]any {
	stored := len(k.labels) - 1
	for stored > 0 && isPreview(k.labels[stored]) {
		stored--
	}
	var versions []any
	for i, spec := range k.specs {
		status := schema{"type": "object", "properties": schema{"phase": schema{"type": "string"}}}
		root := schema{"type": "object", "properties": schema{
			"apiVersion": schema{"type": "string"}, "kind": schema{"type": "string"}, "metadata": schema{"type": "object"}, "spec": spec, "status": status,
		}}
		versions = append(versions, map[string]any{
			"name": k.labels[i], "served": true, "storage": i == stored,
			"schema": map[string]any{"openAPIV3Schema": root}, "subresources": map[string]any{"status": map[string]any{}},
		})
	}
	return map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": k.plural() + "." + k.group()},
		"spec": map[string]any{
			"group": k.group(), "scope": "Namespaced", "versions": versions,
			"names": map[string]any{"kind": k.name, "plural": k.plural(), "singular": strings.ToLower(k.name), "listKind": k.name + "List"},
		},
	}
}

func isPreview(label string) bool { return strings.Contains(label, "beta") }

// schemaDrawer draws schemas. Its numbers do not depend on the release of Go.
type schemaDrawer struct{ state uint64 }

// next returns the next number of the sequence that is known as SplitMix64.
func (d *schemaDrawer) next() uint64 {
	d.state += 0x9e3779b97f4a7c15
	n := d.state
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}

func (d *schemaDrawer) below(n int) int { return int(d.next() % uint64(n)) }

// chance is true in so many of a hundred cases.
func (d *schemaDrawer) chance(percent int) bool { return d.below(100) < percent }

// drawKind draws the kind of a number.
func drawKind(number uint64) randomKind {
	d := &schemaDrawer{number}
	k := randomKind{name: fmt.Sprintf("Kind%x", number), specs: []schema{d.object(3, 3, 5)}}
	for range 2 + d.below(3) {
		base := k.specs[len(k.specs)-1]
		if len(k.specs) > 1 && d.chance(30) {
			base = k.specs[len(k.specs)-2]
		}
		next := d.change(base, 3)
		if d.chance(30) {
			d.move(next)
		}
		k.specs = append(k.specs, next)
	}
	for i := range k.specs {
		label := fmt.Sprintf("v%d", i+1)
		if d.chance(15) {
			label += "beta1"
		}
		k.labels = append(k.labels, label)
	}
	for i := range len(k.specs) - 1 {
		if d.chance(60) && !slices.ContainsFunc(k.labels, isPreview) {
			k.rename(i)
		}
	}
	for i := range k.specs {
		if next := k.next(i); next > 0 && d.chance(70) {
			d.declare(&k, i, next)
		}
	}
	line := k.mainLine()
	last := line[len(line)-1]
	if last+1 < len(k.specs) && !k.isChanged(last) && d.chance(70) {
		d.declarePreview(&k, last, last+1+d.below(len(k.specs)-last-1))
	}
	if d.chance(40) {
		k.hub = d.hub(k)
	}
	if last+1 < len(k.specs) && k.isChanged(last) && d.chance(70) {
		d.declareBack(&k, last, last+1+d.below(len(k.specs)-last-1))
	}
	return k
}

// isChanged reports whether a change leads to a version.
func (k *randomKind) isChanged(version int) bool {
	for i := range k.specs {
		if k.next(i) == version && slices.ContainsFunc(k.declared, func(c declaredChange) bool { return c.version == k.labels[i] }) {
			return true
		}
	}
	return false
}

// next returns the index of the version of the main line that follows version i; 0 if i is the
// last of them, or a leaf.
func (k *randomKind) next(i int) int {
	line := k.mainLine()
	if at := slices.Index(line, i); at >= 0 && at+1 < len(line) {
		return line[at+1]
	}
	return 0
}

// mainLine returns the indexes of the stable versions, and of the previews before the first one.
func (k *randomKind) mainLine() []int {
	stable := slices.IndexFunc(k.labels, func(label string) bool { return !isPreview(label) })
	var line []int
	for i, label := range k.labels {
		if stable < 0 || i < stable || !isPreview(label) {
			line = append(line, i)
		}
	}
	return line
}

// hub draws a hub among the versions of the main line, and returns its label.
func (d *schemaDrawer) hub(k randomKind) string {
	line := k.mainLine()
	return k.labels[line[d.below(len(line))]]
}

// move gives a member of an object another name.
func (d *schemaDrawer) move(of schema) {
	properties, names := of["properties"].(schema), memberNames(of)
	from, to := names[d.below(len(names))], d.memberName()
	if properties[to] == nil {
		properties[to] = properties[from]
		delete(properties, from)
	}
}

// rename makes one of the members that are missing in the next version one that is new there.
func (k *randomKind) rename(version int) {
	gone, came := without(k.specs[version], k.specs[version+1]), without(k.specs[version+1], k.specs[version])
	if len(gone) > 0 && len(came) > 0 {
		k.renamed = append(k.renamed, renamedMember{k.labels[version], gone[0], came[0]})
	}
}

// without returns the names of the members of one object that another one lacks.
func without(of, other schema) []string {
	names := memberNames(of)
	return slices.DeleteFunc(names, func(name string) bool { return other["properties"].(schema)[name] != nil })
}

func memberNames(of schema) []string { return slices.Sorted(maps.Keys(of["properties"].(schema))) }

// usualNames are the names of most members. They are few, so that members of several versions,
// objects and additional members meet.
var usualNames = []string{"alpha", "beta", "gamma", "delta", "eps", "zeta"}

// rareNames look like what Strata writes into property bags.
var rareNames = []string{"$propertyBag", "$additionalProperties", "$data", "alpha@v1", "beta@v2!raw"}

func (d *schemaDrawer) memberName() string {
	if d.chance(3) {
		return rareNames[d.below(len(rareNames))]
	}
	return usualNames[d.below(len(usualNames))]
}

const (
	preserving = "x-kubernetes-preserve-unknown-fields"
	intOrText  = "x-kubernetes-int-or-string"
)

func (d *schemaDrawer) scalar() schema {
	switch d.below(6) {
	case 0:
		return schema{"type": "integer", "format": "int64"}
	case 1:
		return schema{"type": "boolean"}
	case 2:
		return schema{"type": "number"}
	case 3:
		return schema{"type": "string", "enum": []any{"a", "b", "c"}}
	case 4:
		return schema{"type": "string", "nullable": d.chance(20)}
	}
	return schema{"type": "string"}
}

// value draws a schema of values that contain at most so many objects within each other.
func (d *schemaDrawer) value(depth int) schema {
	n := d.below(100)
	switch {
	case depth <= 0 || n < 33:
		return d.scalar()
	case n < 42:
		return schema{"type": "array", "items": d.scalar()}
	case n < 53:
		return schema{"type": "array", "items": d.object(depth-1, 1, 4)}
	case n < 57:
		return d.keyed(depth - 1)
	case n < 59:
		return schema{"type": "array", "items": schema{"type": "array", "items": d.object(depth-1, 1, 3)}}
	case n < 64:
		return schema{"type": "object", "additionalProperties": d.scalar()}
	case n < 69:
		return schema{"type": "object", "additionalProperties": d.object(depth-1, 1, 4)}
	case n < 75:
		return schema{preserving: true}
	case n < 77:
		return schema{intOrText: true}
	}
	return d.object(depth-1, 1, 4)
}

// keyed draws a list of objects with a key.
func (d *schemaDrawer) keyed(depth int) schema {
	o := d.object(depth, 1, 3)
	o["properties"].(schema)["name"] = schema{"type": "string"}
	o["required"] = []any{"name"}
	return schema{"type": "array", "items": o, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"name"}}
}

// object draws an object. A quarter of all objects are open, and some are unions of members.
func (d *schemaDrawer) object(depth, least, most int) schema {
	properties := schema{}
	for wanted := least + d.below(most-least+1); len(properties) < wanted; {
		if name := d.memberName(); properties[name] == nil {
			properties[name] = d.value(depth)
		}
	}
	o := schema{"type": "object", "properties": properties}
	if d.chance(25) {
		o[preserving] = true
	}
	if names := memberNames(o); len(names) > 1 && d.chance(8) {
		o["oneOf"] = []any{schema{"required": []any{names[0]}}, schema{"required": []any{names[1]}}}
	}
	return o
}

// change returns the schema in the next version.
func (d *schemaDrawer) change(of schema, depth int) schema {
	items, isList := of["items"].(schema)
	entries, isMap := of["additionalProperties"].(schema)
	_, isObject := of["properties"].(schema)
	switch {
	case isObject:
		return d.changeObject(of, depth)
	case isList:
		out := maps.Clone(of)
		out["items"] = d.change(items, depth)
		return out
	case isMap:
		return schema{"type": "object", "additionalProperties": d.change(entries, depth)}
	case d.chance(10):
		return d.value(depth)
	}
	return of
}

func (d *schemaDrawer) changeObject(of schema, depth int) schema {
	properties := schema{}
	required, _ := of["required"].([]any)
	isKey := func(name string) bool { return slices.Contains(required, any(name)) }
	for _, name := range memberNames(of) {
		was := of["properties"].(schema)[name].(schema)
		switch n := d.below(100); {
		case isKey(name):
			properties[name] = was
		case n < 15:
		case n < 32:
			properties[name] = d.value(depth - 1)
		default:
			properties[name] = d.change(was, depth-1)
		}
	}
	if name := d.memberName(); len(properties) == 0 || d.chance(40) && !isKey(name) {
		properties[name] = d.value(depth - 1)
	}
	out := schema{"type": "object", "properties": properties}
	if required != nil {
		out["required"] = required
	}
	isOpen := of[preserving] != nil
	if n := d.below(10); n == 0 || n > 1 && isOpen {
		out[preserving] = true
	}
	return out
}
