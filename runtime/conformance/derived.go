package conformance

import "strings"

// augment records the nearest places of a version to the paths of an augmentation. For inBag, the
// host has the properties only in its bags, where its clients do not see or edit them.
func (l *link) augment(host *link, a augmentation) {
	l.completed = l.completed || l == host && !a.inBag
	if l == host && a.inBag {
		return
	}
	known := map[string]bool{}
	for _, pl := range l.places.all {
		known[pl.path] = true
	}
	isKnown := func(path string) bool { return known[path] || known[strings.TrimRight(path, "[]{}")] }
	for _, path := range a.paths {
		l.completed = l.completed || isKnown(path)
		for path != "" && !isKnown(path) {
			path = parentOf(path)
		}
		l.augmented = append(l.augmented, lowered(path))
	}
}

func parentOf(path string) string {
	return path[:max(0, strings.LastIndexByte(path, '.'))]
}

// lowered returns a path without the marks of lists and maps.
func lowered(path string) string { return strings.NewReplacer("[]", "", "{}", "").Replace(path) }

// derived returns the number of fields that lead to the object from which a hand-written step
// derives values. It returns 0 if an edit of the place at the first fields of a route does not
// change that object.
func (l *link) derived(to *place, fields int) int {
	names := strings.Split(lowered(to.path), ".") // additional members have no name
	path := strings.Join(names[:min(fields, len(names))], ".")
	for _, augmented := range l.augmented {
		switch {
		case path == augmented || strings.HasPrefix(path, augmented+"."):
			return strings.Count(augmented, ".") + 1
		case strings.HasPrefix(augmented, path+"."):
			return fields
		}
	}
	return 0
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
