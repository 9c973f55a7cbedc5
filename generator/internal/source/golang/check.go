package golang

import (
	"cmp"
	"go/token"
	"slices"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/stratakube/strata/generator/internal/diag"
	versions "github.com/stratakube/strata/generator/internal/version"
)

// check reports everything that breaks a rule of the markers.
func (r *reader) check(u *unit) {
	r.checkResources(u)
	for i := 0; i < len(u.histories); i++ { // types that changes name can add some
		h := u.histories[i]
		if r.ctx.Err() != nil {
			return
		}
		r.checkPrefix(u, h)
		if r.checkDeclares(u, h) {
			r.checkItem(h)
			r.checkMoments(u, h)
			r.checkTypes(u, h)
			r.checkAdditions(u, h)
			r.checkChanges(u, h)
		}
	}
	for _, declared := range u.resources {
		if h := declared.life; r.checkDeclares(u, h) {
			r.checkMoments(u, h)
			r.checkAdditions(u, h)
		}
	}
	r.checkNames(u)
}

// checkDeclares reports whether there is a history. It adds an error for one in a package without
// versions.
func (r *reader) checkDeclares(u *unit, h *history) bool {
	if !h.hasHistory() {
		return false
	}
	switch {
	case u.declares():
	case h.home != u.pkg:
		r.errorf(h.first().pos, "let it declare its versions with `+strata:version`, or give it a type of its own",
			"%s has a history, and package %s, which uses it, declares no versions", h.name, u.pkg.PkgPath)
	case !r.adopted[h.pos]:
		r.errorf(h.first().pos, "write `// +strata:version:name=v1alpha1` above the package clause, once for each version",
			"%s has a history, and the package declares no versions", h.name)
	}
	return u.declares()
}

// checkVersions reports invalid versions, and sorts the others.
func (r *reader) checkVersions(u *unit) {
	var kept []*version
	for _, v := range u.versions {
		name, _ := versions.Parse(v.name)
		switch last := len(kept) - 1; {
		case !isVersion(v.name):
			r.errorf(v.pos, "such as v1alpha1, v1beta2 or v1", "%q is not the name of a version of Kubernetes", v.name)
			continue
		case slices.ContainsFunc(kept, func(k *version) bool { return k.name == v.name }):
			r.errorf(v.pos, "remove one of the two", "version %s is declared twice", v.name)
			continue
		case last >= 0 && !u.unsorted && compare(kept[last], v) > 0:
			r.errorf(v.pos, "declare the earliest version first, or write `// +strata:versions:allowUnsorted=true`",
				"version %s is declared after %s, and is earlier", name.Label(), kept[last].name)
		}
		kept = append(kept, v)
	}
	for _, v := range kept {
		if v.warning != "" && !v.deprecated {
			r.errorf(v.pos, "add `deprecated=true`, or remove the warning", "version %s has a deprecation warning, and is not deprecated", v.name)
		}
	}
	slices.SortStableFunc(kept, compare)
	u.versions = kept
}

func compare(a, b *version) int {
	x, _ := versions.Parse(a.name)
	y, _ := versions.Parse(b.name)
	return x.Compare(y)
}

// unknown reports a marker of Strata that is misspelled, or has no meaning at its place.
func (c *commentReader) unknown(text string, pos token.Pos) {
	name := strings.TrimPrefix(text, "+")
	if !strings.HasPrefix(name, ours) {
		return
	}
	var names []string
	for _, d := range definitions {
		names = append(names, d.name)
		if rest, ok := strings.CutPrefix(name, d.name); ok && strings.Trim(rest[:min(1, len(rest))], ":=") == "" {
			c.errorf(pos, "", "+%s has no meaning here: it belongs to %s", d.name, d.subject())
			return
		}
	}
	name, _, _ = strings.Cut(name, "=")
	if parts := strings.SplitN(name, ":", 3); len(parts) == 3 {
		name = parts[0] + ":" + parts[1]
	}
	c.errorf(pos, nearestOf(name, names), "there is no marker +%s", name)
}

var describes = map[markers.TargetType]string{
	markers.DescribesPackage: "the package clause",
	markers.DescribesType:    "a type",
	markers.DescribesField:   "a field or constant",
}

// subject returns what a marker describes, in words.
func (d definition) subject() string {
	if len(d.on) > 1 {
		return "a field, constant or resource"
	}
	return describes[d.on[0]]
}

// hintFor returns the arguments that a marker of Strata takes; empty for other markers.
func hintFor(name string) string {
	for _, d := range definitions {
		if d.name == name {
			return "such as " + d.example()
		}
	}
	return ""
}

func nearestOf(name string, known []string) string {
	if near := diag.Nearest(name, known); near != "" {
		return "did you mean " + near + "?"
	}
	return "known here: " + strings.Join(known, ", ")
}

const deprecatedPrefix = "Deprecated"

// checkPrefix requires that exactly the documentation of deprecated items begins with the prefix.
func (r *reader) checkPrefix(u *unit, h *history) {
	prefixed := strings.HasPrefix(h.name, deprecatedPrefix)
	switch {
	case len(h.deprecated) > 0 && !prefixed:
		r.errorf(h.deprecated[0].markerUse.pos, "call it "+deprecatedPrefix+h.name+"; its name in JSON stays",
			"%s is deprecated, and its name does not begin with %s", h.name, deprecatedPrefix)
	case len(h.deprecated) == 0 && prefixed && u.declares() && h.home == u.pkg:
		r.errorf(h.pos, "add `// +strata:deprecated:since=...`, or rename it", "%s is not deprecated, and its name begins with %s", h.name, deprecatedPrefix)
	}
}

// checkItem reports histories of items that can have none.
func (r *reader) checkItem(h *history) {
	switch {
	case h.constant && (h.owner == nil || h.wire == ""):
		r.errorf(h.first().pos, "declare the constant of a string type of this package", "%s is not a value of an enum", h.name)
	case !h.constant && (!token.IsExported(h.name) || h.wire == "" || h.wire == "-"):
		r.errorf(h.first().pos, "give it a name in a json tag", "%s is not a property in JSON, and so has no history", h.name)
	}
}

// first returns the first marker of a history in the file.
func (h *history) first() markerUse {
	var all []markerUse
	for _, m := range h.moments() {
		all = append(all, m.markerUse)
	}
	return slices.MinFunc(all, func(a, b markerUse) int { return cmp.Compare(a.pos, b.pos) })
}

// event is one event of a history.
type event struct {
	what      string
	order     int // position in the required order
	since     since
	markerUse markerUse
}

// moments returns all events of a history, in the order of their kinds.
func (h *history) moments() []event {
	var out []event
	for _, a := range h.added {
		out = append(out, event{"added", 0, a.since, a.markerUse})
	}
	for _, c := range h.changes {
		out = append(out, event{"changed", 1, c.since, c.markerUse})
	}
	for _, d := range h.deprecated {
		out = append(out, event{"deprecated", 2, d.since, d.markerUse})
	}
	for _, d := range h.removed {
		out = append(out, event{"removed", 3, d.since, d.markerUse})
	}
	return out
}

// checkMoments reports events in versions that are not declared, twice, or in the wrong order.
func (r *reader) checkMoments(u *unit, h *history) {
	var names []string
	for _, v := range u.versions {
		names = append(names, v.name)
	}
	moments := h.moments()
	for i, m := range moments {
		if m.since.index < 0 {
			hint := nearestOf(m.since.name, names)
			if h.home != u.pkg {
				hint = "such as v1beta2, if a package that uses it declares it" // the same for all of them
			}
			r.errorf(m.since.pos, hint, "version %s is not declared", m.since.name)
			continue
		}
		if m.since.index == 0 && m.what != "deprecated" && h.home == u.pkg {
			r.errorf(m.since.pos, "earlier versions would differ, and there are none", "%s is the first version: nothing can be %s in it", m.since.name, m.what)
		}
		for _, earlier := range moments[:i] {
			r.checkPair(h, earlier, m)
			r.checkJoined(u, h, earlier, m)
		}
	}
}

// checkPair reports errors of two events of one history. If they are of different kinds, first must
// come before second.
func (r *reader) checkPair(h *history, first, second event) {
	same := first.since.name == second.since.name
	switch {
	case first.since.index < 0:
	case first.order == second.order && first.order != 1:
		r.errorf(second.markerUse.pos, "keep one of the two", "%s is %s twice", h.name, second.what)
	case same && first.order == second.order:
		r.errorf(second.markerUse.pos, "join the two", "%s is changed twice in %s", h.name, second.since.name)
	case same && first.what == "changed" && second.what == "deprecated" && h.onlyRenamed(first.since.index):
	case same:
		r.errorf(second.since.pos, "move one of the two to another version", "%s is both %s and %s in %s", h.name, first.what, second.what, second.since.name)
	case first.order < second.order && first.since.compare(second.since) > 0:
		r.errorf(second.since.pos, "the order is: added, changed, deprecated, removed", "%s is %s in %s, before it is %s in %s",
			h.name, second.what, second.since.name, first.what, first.since.name)
	}
}

// onlyRenamed reports whether a version changes the name and leaves the type.
func (h *history) onlyRenamed(version int) bool {
	return slices.ContainsFunc(h.changes, func(c *change) bool { return c.since.index == version && c.fromText == "" })
}

// checkAdditions reports defaults that do not fit.
func (r *reader) checkAdditions(u *unit, h *history) {
	for _, a := range h.added {
		switch {
		case a.fill == nil && !a.isEmpty:
		case h.constant || h.isLife():
			r.errorf(a.markerUse.at("default"), "remove it", "%s is not a field, and has no default", h.name)
		case a.fill != nil:
			r.resolve(u, a.fill, nil, h.typeSince(a.since))
		}
	}
}

// checkNames reports properties that have the same name in one version.
func (r *reader) checkNames(u *unit) {
	type key struct {
		owner any
		name  string
	}
	for i, v := range u.versions {
		seen := map[key]*history{}
		for _, h := range u.histories {
			if !h.isHere(i) || h.owner == nil || h.wire == "" || h.wire == "-" {
				continue
			}
			k := key{h.owner, h.wireAt(i)}
			before := seen[k]
			if seen[k] = h; before == nil {
				continue
			}
			if !h.hasHistory() {
				before, h = h, before
			}
			if h.hasHistory() {
				r.errorf(h.first().pos, "let one be removed before the other is added, or give it another `fromName`",
					"%s and %s of %s are both %q in %s", before.name, h.name, h.owner.Name(), k.name, v.name)
			}
		}
	}
}
