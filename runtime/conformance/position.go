package conformance

import (
	"strings"
	"unsafe"
)

// law is one of the laws that [Prove] tests.
type law int

const (
	spokeLaw law = iota
	pairLaw
	hubLaw
	pathLaw
	editLaw
	damageLaw
	laws
)

// lawNames are the names of the laws in the certificate.
var lawNames = [laws]string{"spoke", "all pairs", "hub", "path", "edit", "damaged"}

// position is the position of a field in the objects of an API version, with the number of times
// that each law was exercised there.
type position struct {
	// path has JSON names, as in spec.phones[].number.
	path  string
	route []*field
	inner []*position // of the object within, one for each field; nil if the path ends here
	// fixed positions cannot be changed by an edit.
	fixed  bool
	counts [laws]int
}

// most is the number of positions beyond which the positions of a type are listed once, and not for
// each path.
const most = 3000

// atlas has all positions of an API version.
type atlas struct {
	root []*position // of the root's fields
	all  []*position // outermost first
}

// newAtlas returns the positions of a program's objects. A path ends at a type that is already on
// it.
func newAtlas(p *program) *atlas {
	a := &atlas{}
	type visit struct {
		object *object
		from   *position
		around []*object
	}
	seen := map[*object]bool{}
	for queue := []visit{{object: p.root}}; len(queue) > 0; queue = queue[1:] {
		v := queue[0]
		if len(a.all) > most && seen[v.object] {
			continue
		}
		seen[v.object] = true
		inner := a.object(v.object, v.from)
		if v.from == nil {
			a.root = inner
		} else {
			v.from.inner = inner
		}
		around := append(v.around[:len(v.around):len(v.around)], v.object)
		for i, f := range v.object.fields {
			next, _ := objectIn(f.node)
			if inner[i] != nil && next != nil && !contains(around, next) {
				queue = append(queue, visit{next, inner[i], around})
			}
		}
	}
	return a
}

func contains(objects []*object, o *object) bool {
	for _, other := range objects {
		if other == o {
			return true
		}
	}
	return false
}

func (a *atlas) object(o *object, from *position) []*position {
	positions := make([]*position, len(o.fields))
	for i := range o.fields {
		f := &o.fields[i]
		if f.ignored {
			continue
		}
		_, embedded := f.node.(*object)
		pl := &position{path: f.tag, route: []*field{f}, fixed: embedded || from == nil && f.name == "Status" || f.always}
		if from != nil {
			pl.path = from.path + suffix(from) + f.step()
			pl.route = append(from.route[:len(from.route):len(from.route)], f)
		}
		positions[i] = pl
		a.all = append(a.all, pl)
	}
	return positions
}

// suffix returns the suffix of a path for the lists and maps of a position. The step of additional
// members already has one.
func suffix(pl *position) string {
	f := pl.route[len(pl.route)-1]
	_, lifted := objectIn(f.node)
	if f.tag == "-" {
		return strings.TrimPrefix(lifted, "{}")
	}
	return lifted
}

// step returns the step of a field in a path. Additional members of an open object have no name.
func (f *field) step() string {
	switch f.tag {
	case "", "-":
		if f.inline {
			return ""
		}
		return "{}"
	default:
		return "." + f.tag
	}
}

// targets returns the positions that an edit can change.
func (a *atlas) targets() []*position {
	var targets []*position
	for _, pl := range a.all {
		if !pl.fixed {
			targets = append(targets, pl)
		}
	}
	return targets
}

// tally counts laws at all positions where the object at p has a value.
func (a *atlas) tally(o *object, p unsafe.Pointer, of ...law) { tally(o, a.root, p, of) }

func tally(o *object, positions []*position, p unsafe.Pointer, of []law) {
	for i := range o.fields {
		pl := positions[i]
		if pl == nil {
			continue
		}
		f := &o.fields[i]
		inner, _ := objectIn(f.node)
		if !f.node.within(unsafe.Add(p, f.offset), func(object unsafe.Pointer) {
			if pl.inner != nil {
				tally(inner, pl.inner, object, of)
			}
		}) {
			continue
		}
		for _, l := range of {
			pl.counts[l]++
		}
	}
}
