package model

// A linker collects the definitions of a version, and the references to them, until the version
// is read.
type linker struct {
	store   store
	defs    []locatedDef
	refs    []pendingRef
	earlier map[string]index // the versions so far; of two with one name, the first
}

// An index maps names to the definitions of a version.
type index map[string]*Def

type locatedDef struct {
	Def
	at     int
	copied bool
	from   string // the version that it is a copy from
}

type pendingRef struct {
	ref  *Ref
	name string
	at   int
	in   *locatedDef // the copied definition that it came with, if any
}

// link sets the version's definitions, makes copies and resolves references.
func (l *linker) link(v *Version, f *faults) {
	known := l.index(v, f)
	for i := range l.defs {
		if d := &l.defs[i]; d.copied {
			l.copy(v.Defs[i], d, f)
		}
	}
	for _, r := range l.refs {
		r.ref.Def = known[r.name]
		if r.ref.Def == nil {
			r.dangles(v, f)
		}
	}
	if _, ok := l.earlier[v.Name]; !ok {
		l.earlier[v.Name] = known
	}
	l.defs, l.refs = l.defs[:0], l.refs[:0]
}

func (l *linker) index(v *Version, f *faults) index {
	if len(l.defs) == 0 {
		return nil
	}
	known := make(index, len(l.defs))
	all := make([]Def, len(l.defs))
	v.Defs = make([]*Def, len(l.defs))
	for i, d := range l.defs {
		if known[d.Name] != nil {
			f.report(d.at, "definition %q is declared twice", d.Name)
		}
		all[i] = d.Def
		v.Defs[i] = &all[i]
		known[d.Name] = &all[i]
	}
	return known
}

func (l *linker) copy(to *Def, d *locatedDef, f *faults) {
	there, ok := l.earlier[d.from]
	if !ok {
		f.report(d.at, "definition %q is copied from version %q, which is not an earlier version", d.Name, d.from)
		return
	}
	from, ok := there[d.Name]
	if !ok {
		f.report(d.at, "definition %q is copied from version %q, which has none", d.Name, d.from)
		return
	}
	to.Doc, to.Type = from.Doc, copier{l, d}.copy(from.Type)
}

func (r *pendingRef) dangles(v *Version, f *faults) {
	if r.in == nil {
		f.report(r.at, "version %q has no definition %q", v.Name, r.name)
		return
	}
	f.report(r.at, "definition %q of version %q refers to %q, which version %q has not", r.in.Name, r.in.from, r.name, v.Name)
}
