package model

import (
	"slices"
	"strconv"
	"strings"
)

// maxLocated is the maximum number of paths of one version that are listed.
const maxLocated = 2000

// LocatedProperty is a property and its path. In paths, [] stands for the elements of lists, and
// * for the values of maps and for additional members.
type LocatedProperty struct {
	Path     string
	Property *Property
}

// Locate lists the properties below a root that selects reports true for, in order of depth. It
// lists at most maxLocated, and does not follow a definition within itself.
func Locate(root Type, selects func(*Property) bool) []LocatedProperty {
	leads := leading(root, selects)
	type visit struct {
		path string
		typ  Type
		in   []*Def
	}
	var out []LocatedProperty
	queue := []visit{{typ: root}}
	for steps := 0; len(queue) > 0 && len(out) < maxLocated && steps < 50*maxLocated; steps++ {
		at := queue[0]
		queue = queue[1:]
		switch t := at.typ.(type) {
		case *List:
			queue = append(queue, visit{at.path + "[]", t.Elem, at.in})
		case *Map:
			queue = append(queue, visit{at.path + ".*", t.Elem, at.in})
		case *Ref:
			if !leads[t.Def] || slices.Contains(at.in, t.Def) {
				continue
			}
			in := append(slices.Clip(at.in), t.Def)
			for _, p := range t.Def.Object().Properties {
				below := joinPath(at.path, p.Name)
				if selects(p) {
					out = append(out, LocatedProperty{below, p})
				}
				queue = append(queue, visit{below, p.Type, in})
			}
			if more := t.Def.Object().Additional; more != nil {
				queue = append(queue, visit{joinPath(at.path, "*"), more, in})
			}
		}
	}
	return out
}

// leading returns the definitions through which a selected property can be reached.
func leading(root Type, selects func(*Property) bool) map[*Def]bool {
	all := Closure(root)
	leads := map[*Def]bool{}
	for changed := true; changed; {
		changed = false
		for _, d := range slices.Backward(all) { // the deepest are mostly last
			o := d.Object()
			if leads[d] || o == nil {
				continue
			}
			if leads[d] = slices.ContainsFunc(o.Properties, func(p *Property) bool { return selects(p) || leadsOn(p.Type, leads) }) || leadsOn(o.Additional, leads); leads[d] {
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

// ReadOnlyPaths lists the paths of the read-only properties of the spec, which only the external
// API writes, in order of depth.
func (v *Version) ReadOnlyPaths() []string {
	var paths []string
	for _, p := range Locate(v.Spec, func(p *Property) bool { return p.ReadOnly }) {
		paths = append(paths, p.Path)
	}
	return paths
}

// Defaults returns the defaults in the spec, as JSON texts, by path.
func (v *Version) Defaults() map[string]string {
	all := map[string]string{}
	for _, p := range Locate(v.Spec, func(p *Property) bool { return p.Default != "" }) {
		all[p.Path] = p.Property.Default
	}
	return all
}
