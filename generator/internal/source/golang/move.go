package golang

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/operation"
)

// checkMove reports a move that is not complete, and one beside another change in the same version.
func (r *reader) checkMove(h *history, c *change) {
	at := c.markerUse.at("movedFrom")
	switch {
	case h.constant:
		r.errorf(at, "remove it: `fromName=...` renames a value", "a constant is in no object, and does not move")
	case slices.Contains(strings.Split(c.movedFrom, "."), ""):
		r.errorf(at, "such as `movedFrom=disruption.expireAfter`", "%q is not a path of names", c.movedFrom)
	case c.fromName != "":
		r.errorf(c.markerUse.at("fromName"), "remove it: the path ends with the earlier name", "%s has both `fromName` and `movedFrom`", h.name)
	case c.up != nil || c.down != nil || c.narrows:
		r.errorf(c.markerUse.pos, "declare the change, such as `factor=1000`, or convert in another version", "%s moves, and functions do not convert what moves", h.name)
	case len(c.declared) > 0:
		r.checkDeclaredChange(h, c)
	case c.fromText != "":
		r.errorf(c.markerUse.at("fromType"), "declare the change, such as `plural=true`, or change the type in another version", "%s moves, and changes its type", h.name)
	}
}

// mover is a field that moves in some version, and the property that it is in a version.
type mover struct {
	history  *history
	def      *model.Def
	property *model.Property
	field    field
}

// track records a field that moves in some version.
func (s *shaper) track(x mover) {
	s.movers = append(s.movers, x)
	if x.property.Required {
		c := x.history.moveAfter(-1)
		s.report(c, c.markerUse.pos, "make it optional: objects of other versions can lack the object around it", "%s moves, and is required", x.history.name)
	}
}

// report reports a message about a move, even if several resources and versions have it.
func (s *shaper) report(c *change, pos token.Pos, hint, format string, args ...any) {
	if !c.isReported {
		c.isReported = true
		s.errorf(pos, hint, format, args...)
	}
}

// site is where an object is: the object where the path begins, and the names from there. Paths
// begin at the spec, at the status, and at the objects in lists and maps.
type site struct {
	begin *model.Def
	path  []string
}

func (x site) below(name string) string { return strings.Join(append(slices.Clip(x.path), name), ".") }

// sitesOf returns where the objects of a version are. It lists two sites of an object at most.
func sitesOf(v *model.Version) map[*model.Def][]site {
	out := map[*model.Def][]site{}
	var walk func(site, *model.Def, []*model.Def)
	var begin func(model.Type)
	walk = func(at site, d *model.Def, around []*model.Def) {
		if len(out[d]) == 2 {
			return
		}
		out[d] = append(out[d], at)
		if d.Object() == nil || slices.Contains(around, d) {
			return
		}
		for _, p := range d.Object().Properties {
			if ref, ok := p.Type.(*model.Ref); ok {
				walk(site{at.begin, append(slices.Clip(at.path), p.Name)}, ref.Def, append(slices.Clip(around), d))
				continue
			}
			begin(elementOf(p.Type))
		}
	}
	begins := map[*model.Def]bool{}
	begin = func(t model.Type) {
		if ref, ok := t.(*model.Ref); ok && !begins[ref.Def] {
			begins[ref.Def] = true
			walk(site{begin: ref.Def}, ref.Def, nil)
		}
	}
	begin(v.Spec)
	begin(v.Status)
	return out
}

// elementOf returns the type at the end of lists and maps; nil for other types.
func elementOf(t model.Type) model.Type {
	for {
		switch x := t.(type) {
		case *model.List:
			t = x.Elem
		case *model.Map:
			t = x.Elem
		default:
			return t
		}
	}
}

// siteOf returns where the version has a field that moves in the change c, and the object around
// it. It reports a field that the version has more than once.
func (s *shaper) siteOf(h *history, c *change) (*mover, *site) {
	var found *mover
	for i, x := range s.movers {
		if x.history != h || len(s.sites[x.def]) == 0 {
			continue
		}
		if found != nil || len(s.sites[x.def]) > 1 {
			s.report(c, c.markerUse.pos, "give the object around it a type of its own", "%s moves, and %s has it at several paths", h.name, s.unit.versions[s.version].name)
			return nil, nil
		}
		found = &s.movers[i]
	}
	if found == nil {
		return nil, nil
	}
	return found, &s.sites[found.def][0]
}

// objectOf returns the object around a field that moves; nil if the version has none.
func (s *shaper) objectOf(h *history) *model.Def {
	if found, _ := s.siteOf(h, h.moveAfter(-1)); found != nil {
		return found.def
	}
	return nil
}

// addMoved adds fields that move in a later version to the objects that have them in this one.
// An object may itself be one of these, so that it goes on as long as it finds objects.
func (s *shaper) addMoved(v *model.Version, later *shaper) {
	open := s.moversFrom(later)
	for _, h := range s.elsewhere {
		c := h.moveAfter(s.version)
		isMoved := later == nil || c.since.index == later.version
		if isMoved && !slices.ContainsFunc(open, func(x mover) bool { return x.history == h }) {
			s.report(c, c.since.pos, "move it in a version that has the object around it", "%s moves in %s, which does not have it in %s", h.name, c.since.name, s.of.kind)
		}
	}
	for n := -1; n != len(open); {
		n = len(open)
		open = slices.DeleteFunc(open, func(x mover) bool {
			d, _, _ := s.around(v, later, x)
			if d != nil {
				s.addMover(d, x)
			}
			return d != nil
		})
	}
	for _, x := range open {
		if _, text, hint := s.around(v, later, x); text != "" {
			c := x.history.moveAfter(s.version)
			s.report(c, c.markerUse.at("movedFrom"), hint, "%s", text)
		}
	}
}

// moversFrom returns the fields that the version has at an earlier path than the next version, or
// that move after that.
func (s *shaper) moversFrom(later *shaper) []mover {
	if later == nil {
		return nil
	}
	var out []mover
	for _, x := range later.movers {
		if c := x.history.moveAfter(s.version); c != nil && x.history.present(s.version) && len(later.sites[x.def]) > 0 {
			c.isMet = c.isMet || c.since.index == later.version
			out = append(out, x)
		}
	}
	return out
}

// checkMet reports moves in versions that no resource has with the field, or before it.
func (r *reader) checkMet(u *unit) {
	for _, h := range u.histories {
		for _, c := range h.changes {
			if c.movedFrom != "" && !c.isMet && !c.isReported {
				c.isReported = true
				r.errorf(c.since.pos, "move it in a version in which a resource has the object around it", "%s moves in %s, and no resource has it there and in the version before", h.name, c.since.name)
			}
		}
	}
}

// addMover adds a field to an object. It reports an object that has another property of that name.
func (s *shaper) addMover(d *model.Def, x mover) {
	name := x.history.wireAt(s.version)
	for _, p := range d.Object().Properties {
		if strings.EqualFold(p.Name, name) {
			c := x.history.moveAfter(s.version)
			s.report(c, c.markerUse.at("movedFrom"), "name another path, or let the other field begin after the move: `+strata:added`",
				"%s of %s already has a property %q", d.Name, s.unit.versions[s.version].name, p.Name)
			return
		}
	}
	s.property(d, d.Object(), x.field)
}

// around returns the object around a field that moves in a later version, or what is wrong with the
// path. There may be no object, in a version before the one that the path is about.
func (s *shaper) around(v *model.Version, later *shaper, x mover) (d *model.Def, text, hint string) {
	c := x.history.moveAfter(s.version)
	if c.since.index > later.version {
		return defNamed(v, x.def.Name), "", ""
	}
	_, at := later.siteOf(x.history, c)
	if at == nil {
		return nil, "", "" // reported
	}
	name := s.unit.versions[s.version].name
	if d = defNamed(v, at.begin.Name); d == nil {
		return nil, name + " has no " + at.begin.Name + ", where the path begins", "move it in a version after the one that adds the object"
	}
	path := strings.Split(c.movedFrom, ".")
	for i, member := range path[:len(path)-1] {
		p := d.Object().Property(member)
		if p == nil {
			return nil, d.Name + " of " + name + " has no property " + strings.Join(path[:i+1], "."), nearestOf(member, propertiesOf(d))
		}
		ref, ok := p.Type.(*model.Ref)
		if !ok || ref.Def.Object() == nil {
			return nil, strings.Join(path[:i+1], ".") + " of " + name + " is not an object", "paths lead through objects only; within a list or map they begin at its objects"
		}
		d = ref.Def
	}
	if slices.Equal(append(slices.Clip(at.path), x.property.Name), path) {
		return nil, x.history.name + " is moved to itself", "name another object"
	}
	return d, "", ""
}

func propertiesOf(d *model.Def) []string {
	var out []string
	for _, p := range d.Object().Properties {
		out = append(out, p.Name)
	}
	return out
}

// defNamed returns an object of a version by its name; nil for none.
func defNamed(v *model.Version, name string) *model.Def {
	for _, d := range model.Closure(v.Spec, v.Status) {
		if d.Name == name && d.Object() != nil {
			return d
		}
	}
	return nil
}

// move gives a declared change the paths of a property that moves, and the object where they begin.
// It returns false if one of the versions has no such property.
func (s *shaper) move(c *changed, later []*shaper) bool {
	_, from := s.siteOf(c.history, c.from)
	var to *site
	for _, l := range later {
		if l.version <= c.next && c.from.since.index <= l.version && l.values(c.history.of) != nil {
			s.report(c.from, c.from.markerUse.pos, "rename them in another version", "%s moves, and values of its enum have other names since %s", c.history.name, s.unit.versions[l.version].name)
			return false
		}
		if l.version < c.from.since.index || l.version > c.next || l.version < c.next && !l.takesPart(l.version) {
			continue
		}
		before := to
		x, at := l.siteOf(c.history, c.from)
		if at == nil || from == nil {
			return false
		}
		to = &site{at.begin, append(slices.Clip(at.path), x.property.Name)}
		if before != nil && !slices.Equal(before.path, to.path) {
			s.report(c.from, c.from.markerUse.pos, "rename in another version, or declare the versions stable", "%s moves in %s, and %s has it at another path",
				c.history.name, c.from.since.name, s.unit.versions[l.version].name)
			return false
		}
	}
	if to == nil {
		return false
	}
	if from.begin.Name != to.begin.Name {
		s.report(c.from, c.from.markerUse.pos, "move it within the object that both versions have", "the paths of %s begin at %s and at %s", c.history.name, from.begin.Name, to.begin.Name)
		return false
	}
	if c.of.Kind == "" {
		c.of.Kind = operation.MovedTo
	}
	c.of.From, c.of.To = from.below(c.property), strings.Join(to.path, ".")
	c.def, c.property = from.begin, c.of.From
	return true
}

// checkWidened reports functions with a type that has further fields in earlier versions: they
// would drop the values of these.
func (s *shaper) checkWidened() {
	var wide []*types.TypeName
	for _, x := range s.movers {
		if !x.history.isHere(s.version) && s.objects[x.def] != nil {
			wide = append(wide, s.objects[x.def])
		}
	}
	if len(wide) == 0 {
		return
	}
	is := func(n *types.Named) bool { return slices.Contains(wide, n.Origin().Obj()) }
	for _, h := range s.unit.histories {
		for _, f := range h.functions() {
			signature := f.object.Signature()
			name := reached(signature.Results().At(0).Type(), is)
			if name == "" && signature.Params().Len() > 0 {
				name = reached(signature.Params().At(0).Type(), is)
			}
			if name != "" && !f.isReported {
				f.isReported = true
				s.errorf(f.pos, "give the function a type of its own for "+name, "%s takes or returns %s, and a field of it moves to another object: it is a different type in every version", f.name, name)
			}
		}
	}
}

// functions returns the functions of a history.
func (h *history) functions() []*function {
	var out []*function
	for _, a := range h.added {
		out = append(out, a.fill)
	}
	for _, c := range h.changes {
		out = append(out, c.up, c.down)
	}
	return slices.DeleteFunc(out, func(f *function) bool { return f == nil || f.object == nil })
}
