package engine

import (
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/refine"
)

// freeJSON lists the properties of refined models that are free JSON for a
// reason, at the first place where each stands. The models remember it, so that
// it can be told of versions that only the ledger has.
func freeJSON(resources []*model.Resource) []refine.Conflict {
	var out []refine.Conflict
	for _, r := range resources {
		for _, v := range r.Versions {
			w := walker{seen: map[*model.Def]bool{}, found: refine.Conflict{Type: r.Type, Version: v.Name, Pos: v.Pos}}
			w.typ(v.Spec, "")
			w.typ(v.Status, "status")
			out = append(out, w.out...)
		}
	}
	return out
}

type walker struct {
	seen  map[*model.Def]bool
	found refine.Conflict
	out   []refine.Conflict
}

func (w *walker) typ(t model.Type, path string) {
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

func (w *walker) def(d *model.Def, path string) {
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
