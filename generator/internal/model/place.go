package model

import (
	"slices"
	"strconv"
	"strings"
)

// maxPlaces bounds the paths of one version that are listed.
const maxPlaces = 2000

// Place is a property and the path that leads to it: [] stands for the elements of lists, * for
// those of maps and for further members.
type Place struct {
	Path     string
	Property *Property
}

// Places lists the properties below a root that are wanted, the nearest first: at most maxPlaces. A
// path ends where it would lead into a definition a second time. Only definitions that lead to a
// wanted property are entered.
func Places(root Type, wanted func(*Property) bool) []Place {
	leads := leading(root, wanted)
	type way struct {
		path string
		typ  Type
		in   []*Def
	}
	var out []Place
	queue := []way{{typ: root}}
	for steps := 0; len(queue) > 0 && len(out) < maxPlaces && steps < 50*maxPlaces; steps++ {
		at := queue[0]
		queue = queue[1:]
		switch t := at.typ.(type) {
		case *List:
			queue = append(queue, way{at.path + "[]", t.Elem, at.in})
		case *Map:
			queue = append(queue, way{at.path + ".*", t.Elem, at.in})
		case *Ref:
			if !leads[t.Def] || slices.Contains(at.in, t.Def) {
				continue
			}
			in := append(slices.Clip(at.in), t.Def)
			for _, p := range t.Def.Object().Properties {
				below := joinPath(at.path, p.Name)
				if wanted(p) {
					out = append(out, Place{below, p})
				}
				queue = append(queue, way{below, p.Type, in})
			}
			if more := t.Def.Object().Additional; more != nil {
				queue = append(queue, way{joinPath(at.path, "*"), more, in})
			}
		}
	}
	return out
}

// leading are the definitions from which a wanted property is reached.
func leading(root Type, wanted func(*Property) bool) map[*Def]bool {
	all := Closure(root)
	leads := map[*Def]bool{}
	for changed := true; changed; {
		changed = false
		for _, d := range slices.Backward(all) { // those first that lead nowhere else
			o := d.Object()
			if leads[d] || o == nil {
				continue
			}
			if leads[d] = slices.ContainsFunc(o.Properties, func(p *Property) bool { return wanted(p) || leadsOn(p.Type, leads) }) || leadsOn(o.Additional, leads); leads[d] {
				changed = true
			}
		}
	}
	return leads
}

func leadsOn(t Type, leads map[*Def]bool) bool {
	switch t := t.(type) {
	case *List:
		return leadsOn(t.Elem, leads)
	case *Map:
		return leadsOn(t.Elem, leads)
	case *Ref:
		return leads[t.Def]
	}
	return false
}

func joinPath(path, name string) string {
	switch {
	case name == "" || strings.ContainsAny(name, `.[]"() `):
		return path + "[" + strconv.Quote(name) + "]"
	case path == "":
		return name
	}
	return path + "." + name
}

// ReadOnlyPaths lists the paths in the spec of what only the external API writes, in order of
// depth.
func (v *Version) ReadOnlyPaths() []string {
	var paths []string
	for _, p := range Places(v.Spec, func(p *Property) bool { return p.ReadOnly }) {
		paths = append(paths, p.Path)
	}
	return paths
}

// Defaults are the defaults in the spec, as JSON texts, by paths.
func (v *Version) Defaults() map[string]string {
	all := map[string]string{}
	for _, p := range Places(v.Spec, func(p *Property) bool { return p.Default != "" }) {
		all[p.Path] = p.Property.Default
	}
	return all
}
