package refine

import (
	"github.com/stratakube/strata/generator/internal/model"
)

// Conflicts lists the properties of refined models that are free JSON for a reason, each at the
// first path where it occurs. Models store the reason, so that Conflicts also finds those of
// versions that only the ledger has.
func Conflicts(resources []*model.Resource) []Conflict {
	var out []Conflict
	for _, r := range resources {
		for _, v := range r.Versions {
			w := conflictFinder{seen: map[*model.Def]bool{}, found: Conflict{Type: r.Type, Version: v.Name, Pos: v.Pos}}
			w.typ(v.Spec, "")
			w.typ(v.Status, "status")
			out = append(out, w.out...)
		}
	}
	return out
}

type conflictFinder struct {
	seen  map[*model.Def]bool
	found Conflict
	out   []Conflict
}

func (w *conflictFinder) typ(t model.Type, path string) {
	switch t := t.(type) {
	case *model.List:
		w.typ(t.Elem, path+"[]")
	case *model.Map:
		w.typ(t.Elem, path+".*")
	case *model.Ref:
		w.def(t.Def, path)
	case *model.Any:
		if t.Reason != "" {
			c := w.found
			c.Path, c.Reason = path, t.Reason
			w.out = append(w.out, c)
		}
	}
}

func (w *conflictFinder) def(d *model.Def, path string) {
	if w.seen[d] {
		return
	}
	w.seen[d] = true
	o := d.Object()
	if path != "" {
		path += "."
	}
	for _, p := range o.Properties {
		w.typ(p.Type, path+p.Name)
	}
	w.typ(o.Additional, path+"*")
}
