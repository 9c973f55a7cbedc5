package conformance

import (
	"reflect"
	"strings"
)

// augment records the nearest positions of a version to the paths of an augmentation. For inBag,
// the host has the properties only in its bags, where its clients do not see or edit them.
func (l *link) augment(host *link, a augmentation) {
	l.completed = l.completed || l == host && !a.inBag
	if l == host && a.inBag {
		return
	}
	known := map[string]bool{}
	for _, pl := range l.atlas.all {
		known[pl.path] = true
	}
	isKnown := func(path string) bool { return known[path] || known[strings.TrimRight(path, "[]{}")] }
	for _, path := range a.paths {
		l.steps = append(l.steps, stepsAt(host.store, a, path))
		l.completed = l.completed || isKnown(path)
		for path != "" && !isKnown(path) {
			path = parentOf(path)
		}
		l.augmented = append(l.augmented, lowered(path))
	}
}

// stepsAt names the hand-written steps at a path of a version: the methods of its type there, if
// there is one, and those of the whole resource at the spec or the status.
func stepsAt(store reflect.Type, a augmentation, path string) string {
	of, methods := store, []string(nil)
	if !strings.Contains(path, ".") {
		methods = stepMethods(store)
	}
	for name := range strings.SplitSeq(lowered(path), ".") {
		if of = memberType(of, name); of == nil {
			break
		}
	}
	if of != nil {
		methods = append(methods, stepMethods(of)...)
	}
	if methods == nil {
		methods = []string{"the steps"} // of a type that is only in bags, or functions
	}
	return strings.Join(methods, " and ") + " of " + a.label + " at " + path
}

// stepMethods names the hand-written steps of a type.
func stepMethods(of reflect.Type) (methods []string) {
	for i := range reflect.PointerTo(of).NumMethod() {
		name := reflect.PointerTo(of).Method(i).Name
		if strings.HasPrefix(name, "AssignTo") || strings.HasPrefix(name, "AssignFrom") {
			methods = append(methods, of.Name()+"."+name)
		}
	}
	return methods
}

// memberType returns the struct type of a member behind pointers, lists and maps; nil if there is
// none.
func memberType(of reflect.Type, name string) reflect.Type {
	for i := range of.NumField() {
		if tag, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ","); tag != name {
			continue
		}
		t := of.Field(i).Type
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
			t = t.Elem()
		}
		if t.Kind() == reflect.Struct {
			return t
		}
	}
	return nil
}

func parentOf(path string) string {
	return path[:max(0, strings.LastIndexByte(path, '.'))]
}

// lowered returns a path without the marks of lists and maps.
func lowered(path string) string { return strings.NewReplacer("[]", "", "{}", "").Replace(path) }

// derived returns the number of fields that lead to the outermost object from which a hand-written
// step derives values. It returns 0 if an edit of the position at the first fields of a route does
// not change such an object.
func (l *link) derived(to *position, fields int) int {
	names := strings.Split(lowered(to.path), ".") // additional members have no name
	path := strings.Join(names[:min(fields, len(names))], ".")
	outermost := 0
	for _, augmented := range l.augmented {
		depth := 0
		switch {
		case path == augmented || strings.HasPrefix(path, augmented+"."):
			depth = strings.Count(augmented, ".") + 1
		case strings.HasPrefix(augmented, path+"."):
			depth = fields
		}
		if depth > 0 && (outermost == 0 || depth < outermost) {
			outermost = depth
		}
	}
	return outermost
}

// derive records the names of members below the given paths, which a hand-written step changes,
// if the hub has no such member.
func (c *chain) derive(host *link, paths []string) {
	if c.derived == nil {
		c.derived = map[string]bool{}
	}
	for _, path := range paths {
		at, hub := host.programs.store.root, c.hub.programs.store.root
		for name := range strings.SplitSeq(lowered(path), ".") {
			if at = at.member(name); at == nil {
				break
			}
			hub = hub.member(name)
		}
		c.deriveAt(at, hub, map[*object]bool{})
	}
}

func (c *chain) deriveAt(at, hub *object, seen map[*object]bool) {
	if at == nil || seen[at] {
		return
	}
	seen[at] = true
	for i := range at.fields {
		f := &at.fields[i]
		if f.rare || f.hidden {
			continue
		}
		if hub == nil || !hub.has(f.tag) {
			c.derived[f.tag] = true
		}
		if inner, _ := objectIn(f.node); inner != nil {
			c.deriveAt(inner, hub.member(f.tag), seen)
		}
	}
}
