package model

import "strings"

// StatusSuffix is the suffix of the names of definitions that only a status has.
const StatusSuffix = "Status"

// ShareStatus makes the status of a refined version refer to the definitions of its spec where
// both are stored in the same form. They are if they have the same members of the same types,
// recursively. It compares a definition with the one that it is a copy of, see [UnshareStatus].
// Else it takes the one at the same path, or the one of its name. The root is shared only if it
// is such a copy. ShareStatus updates the version's list of definitions.
func ShareStatus(v *Version, copyOf map[*Def]*Def) {
	if root, ok := v.Status.(*Ref); ok {
		s := &sharing{copyOf: copyOf, twin: map[*Def]*Def{}, byName: map[string]*Def{}, own: map[*Def]bool{}, seen: map[*Def]bool{}}
		for _, d := range Closure(v.Spec) {
			s.byName[d.Name], s.own[d] = d, true
		}
		s.root(root.Def, v.Spec.(*Ref).Def)
		s.separate()
		for _, d := range s.order {
			s.redirect(d.Object())
		}
		v.Status = s.redirected(root)
	}
	v.Defs = Closure(v.Spec, v.Status)
}

// sharing finds the definitions of the spec that are equal to those of the status.
type sharing struct {
	copyOf map[*Def]*Def
	twin   map[*Def]*Def   // of the status -> of the spec
	byName map[string]*Def // of the spec
	own    map[*Def]bool   // of the spec
	seen   map[*Def]bool   // of the status
	order  []*Def          // of the status, in order of first reach
}

func (s *sharing) root(status, spec *Def) {
	if !s.own[status] {
		s.seen[status] = true
		s.order = append(s.order, status)
		if from := s.copyOf[status]; from != nil {
			s.twin[status] = from
		}
		s.members(status.Object(), spec.Object())
	}
}

// members pairs the definitions below two objects.
func (s *sharing) members(status, spec *Object) {
	of := spec.Lookup()
	for _, p := range status.Properties {
		var twin Type
		if q := of(p.Name); q != nil {
			twin = q.Type
		}
		s.typ(p.Type, twin)
	}
	s.typ(status.Additional, spec.Additional)
}

func (s *sharing) typ(status, spec Type) {
	switch t := status.(type) {
	case *List:
		s.typ(t.Elem, elem(spec))
	case *Map:
		s.typ(t.Elem, elem(spec))
	case *Ref:
		s.def(t.Def, spec)
	}
}

func elem(t Type) Type {
	switch t := t.(type) {
	case *List:
		return t.Elem
	case *Map:
		return t.Elem
	}
	return nil
}

func (s *sharing) def(d *Def, spec Type) {
	if s.seen[d] || s.own[d] {
		return
	}
	s.seen[d] = true
	s.order = append(s.order, d)
	twin := s.byName[strings.TrimSuffix(d.Name, StatusSuffix)]
	if r, ok := spec.(*Ref); ok {
		twin = r.Def
	}
	if from := s.copyOf[d]; from != nil {
		twin = from
	}
	if twin == nil {
		s.members(d.Object(), &Object{})
		return
	}
	s.twin[d] = twin
	s.members(d.Object(), twin.Object())
}

// separate removes the pairs that are not stored in the same form, until no such pair is left.
func (s *sharing) separate() {
	for changed := true; changed; {
		changed = false
		for _, d := range s.order {
			if twin := s.twin[d]; twin != nil && !s.alike(d.Object(), twin.Object()) {
				delete(s.twin, d)
				changed = true
			}
		}
	}
}

func (s *sharing) alike(status, spec *Object) bool {
	if len(status.Properties) != len(spec.Properties) || !s.same(status.Additional, spec.Additional) {
		return false
	}
	of := spec.Lookup()
	for _, p := range status.Properties {
		q := of(p.Name)
		if q == nil || p.Wire != q.Wire || p.Secret != q.Secret || p.Deprecated != q.Deprecated || !s.same(p.Type, q.Type) {
			return false
		}
	}
	return true
}

func (s *sharing) same(status, spec Type) bool {
	switch t := status.(type) {
	case *List:
		l, ok := spec.(*List)
		return ok && s.same(t.Elem, l.Elem)
	case *Map:
		m, ok := spec.(*Map)
		return ok && s.same(t.Elem, m.Elem)
	case *Ref:
		r, ok := spec.(*Ref)
		return ok && (t.Def == r.Def || s.twin[t.Def] == r.Def)
	case nil:
		return spec == nil
	}
	return spec != nil && ScalarText(status) != "" && ScalarText(status) == ScalarText(spec)
}

// redirect makes an object refer to the twins of its definitions.
func (s *sharing) redirect(o *Object) {
	for _, p := range o.Properties {
		p.Type = s.redirected(p.Type)
	}
	o.Additional = s.redirected(o.Additional)
}

func (s *sharing) redirected(t Type) Type {
	switch t := t.(type) {
	case *List:
		return &List{Elem: s.redirected(t.Elem), Limits: t.Limits, Facts: t.Facts}
	case *Map:
		return &Map{Elem: s.redirected(t.Elem), Facts: t.Facts}
	case *Ref:
		if twin := s.twin[t.Def]; twin != nil {
			return &Ref{Def: twin}
		}
	}
	return t
}

// UnshareStatus gives the status of a refined version its own definitions, and returns which of
// them are copies of the spec's.
func UnshareStatus(v *Version) (copyOf map[*Def]*Def) {
	copies := map[*Def]*Def{}
	v.Status = unshared(v.Status, copies)
	copyOf = map[*Def]*Def{}
	for _, d := range Closure(v.Spec) {
		if c := copies[d]; c != nil {
			copyOf[c] = d
			c.Name += StatusSuffix
		}
	}
	return copyOf
}

// Mirror returns the status of a version that has none: a copy of its spec, in definitions of
// other names. name is the name of the root.
func Mirror(v *Version, name string) Type {
	m := &Version{Spec: v.Spec, Status: v.Spec}
	UnshareStatus(m)
	if root, ok := m.Status.(*Ref); ok {
		root.Def.Name = name
	}
	return m.Status
}

func unshared(t Type, copies map[*Def]*Def) Type {
	switch t := t.(type) {
	case *List:
		return &List{Elem: unshared(t.Elem, copies), Limits: t.Limits, Facts: t.Facts}
	case *Map:
		return &Map{Elem: unshared(t.Elem, copies), Facts: t.Facts}
	case *Ref:
		d := copies[t.Def]
		if d == nil {
			d = &Def{Name: t.Def.Name, Doc: t.Def.Doc, Pos: t.Def.Pos}
			copies[t.Def] = d
			d.Type = unsharedObject(t.Def.Object(), copies)
		}
		return &Ref{Def: d}
	}
	return t
}

func unsharedObject(o *Object, copies map[*Def]*Def) *Object {
	out := &Object{Additional: unshared(o.Additional, copies), Union: o.Union.clone()}
	for _, p := range o.Properties {
		q := *p
		q.Type = unshared(p.Type, copies)
		out.Properties = append(out.Properties, &q)
	}
	return out
}
