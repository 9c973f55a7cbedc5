package explain

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
)

// Kind finds a kind by a name that users have for it, ignoring case: the kind, its plural, its
// singular or a short name. The folder of its group may precede the name, or the group, as in
// crm/Person and crm.example.com/Person; and the group may follow the plural, as in the name of the
// CRD. An error is a diag.Message.
func Kind(p *plan.Plan, name string) (*plan.Kind, error) {
	var found []*plan.Kind
	var full, short []string
	for _, g := range p.Groups {
		for _, k := range g.Kinds {
			full, short = append(full, g.Chain.Folder+"/"+k.Name), append(short, k.Name)
			if isNamed(k, name) {
				found = append(found, k)
			}
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return nil, unknownKind(name, append(short, full...))
	}
	var all []string
	for _, k := range found {
		all = append(all, k.Group.Chain.Folder+"/"+k.Name)
	}
	return nil, diag.Errorf(diag.Pos{}, "several kinds are named %s", name).WithHint("name one of them: %s", strings.Join(all, ", "))
}

func isNamed(k *plan.Kind, name string) bool {
	m := k.Resource.Model
	if strings.EqualFold(name, m.Plural+"."+k.Group.Chain.Name) {
		return true
	}
	if group, rest, ok := strings.Cut(name, "/"); ok {
		if !strings.EqualFold(group, k.Group.Chain.Folder) && !strings.EqualFold(group, k.Group.Chain.Name) {
			return false
		}
		name = rest
	}
	names := append(m.Facts.Texts(model.ShortNames), k.Short, k.Name, m.Plural, m.Facts.Text(model.Singular))
	return name != "" && slices.ContainsFunc(names, func(one string) bool { return strings.EqualFold(one, name) })
}

func unknownKind(name string, known []string) diag.Message {
	m := diag.Errorf(diag.Pos{}, "no kind is named %s", name)
	if near := diag.Nearest(name, known); near != "" {
		return m.WithHint("did you mean %q?", near)
	}
	return m.WithHint("strata show lists the kinds")
}

// Explain describes the properties that have had a path in any version. The path consists of JSON
// names, ignoring case. A leading spec or status may be omitted, and so may the brackets and stars
// of lists and maps. Names with dots need no quotes. An error is a diag.Message.
func Explain(k *plan.Kind, path string) ([]Property, error) {
	names := split(path)
	if len(names) == 0 {
		return nil, diag.Errorf(diag.Pos{}, "an empty path").WithHint("such as %q", example(k))
	}
	w := &walk{}
	w.from(k.Resource.Root, nil, names)
	if len(w.found) == 0 && len(names) > 1 {
		w.inRoot(k.Resource, names[0], names[1:])
	}
	if len(w.found) == 0 {
		return nil, w.missing(k, path)
	}
	var out []Property
	for _, t := range w.found {
		out = append(out, t.explain(k))
	}
	if exact := spelled(out, path); len(exact) > 0 {
		return exact, nil
	}
	return out, nil
}

// inRoot searches below spec or status.
func (w *walk) inRoot(r *chain.Resource, root string, names []string) {
	switch {
	case root == "status" && r.Status != nil:
		w.from(r.Status, nil, names)
	case root == "spec" || root == "status":
		w.from(r.Root, nil, names)
	}
}

// spelled returns the properties that have had exactly that path. A star stands for the values of a
// map, or for their additional members.
func spelled(all []Property, path string) []Property {
	return slices.DeleteFunc(slices.Clone(all), func(p Property) bool {
		return !slices.ContainsFunc(p.Rows, func(r Row) bool { return r.State == Live && strings.EqualFold(r.Path, path) })
	})
}

func example(k *plan.Kind) string {
	for _, l := range k.Resource.Root.Lineages {
		return l.Name()
	}
	return "properties"
}

// split splits a path into names. It ignores the brackets of lists. Names in brackets may be
// quoted.
func split(path string) []string {
	var out []string
	for part := range strings.SplitSeq(strings.NewReplacer("[]", "", `["`, ".", `"]`, "").Replace(path), ".") {
		if part != "" {
			out = append(out, part)
		}
	}
	return out
}

// walk searches properties, and remembers the longest part of the path that it found.
type walk struct {
	found   []trail
	deepest int
	lost    string   // the name that was not found there
	near    []string // the names that exist there
}

// from continues at the objects of a place. trail is the path to it.
func (w *walk) from(p *chain.Place, at trail, names []string) {
	w.remember(p, len(at), names[0])
	for n := 1; n <= len(names); n++ {
		name := strings.Join(names[:n], ".")
		if name == "*" {
			name = chain.AdditionalName
		}
		for _, l := range called(p, name) {
			w.step(append(slices.Clip(at), l), names[n:])
		}
	}
}

// step continues below a property, or has found it. Stars may stand for the maps that contain the
// property's objects.
func (w *walk) step(path trail, rest []string) {
	if len(rest) == 0 {
		if !slices.ContainsFunc(w.found, func(t trail) bool { return slices.Equal(t, path) }) {
			w.found = append(w.found, path)
		}
		return
	}
	l := path[len(path)-1]
	var seen []*chain.Place
	for i := range l.Live {
		if c := l.Child(i); c != nil && !slices.Contains(seen, c) {
			seen = append(seen, c)
			w.from(c, path, rest)
		}
	}
	if rest[0] == "*" {
		w.step(path, rest[1:])
	} else if len(seen) == 0 && len(path) >= w.deepest {
		w.deepest, w.lost, w.near = len(path), rest[0], nil
	}
}

// called returns the lineages of a place that have a name in any version, ignoring case.
func called(p *chain.Place, name string) []*chain.Lineage {
	var out []*chain.Lineage
	for _, l := range p.Lineages {
		if slices.ContainsFunc(l.Live, func(q *model.Property) bool { return q != nil && strings.EqualFold(q.Name, name) }) {
			out = append(out, l)
		}
	}
	return out
}

// remember stores the names of the deepest place that was found.
func (w *walk) remember(p *chain.Place, depth int, name string) {
	if depth < w.deepest {
		return
	}
	w.deepest, w.lost, w.near = depth, name, nil
	for _, l := range p.Lineages {
		for _, q := range l.Live {
			if q != nil && q.Name != chain.AdditionalName && !slices.Contains(w.near, q.Name) {
				w.near = append(w.near, q.Name)
			}
		}
	}
}

func (w *walk) missing(k *plan.Kind, path string) error {
	m := diag.Errorf(diag.Pos{}, "%s has never had %s: there is no %q", k.Name, path, w.lost)
	if near := diag.Nearest(w.lost, w.near); near != "" {
		return m.WithHint("did you mean %q?", near)
	}
	if len(w.near) == 0 {
		return m.WithHint("the value before it is not an object")
	}
	slices.Sort(w.near)
	return m.WithHint("known there: %s", strings.Join(w.near[:min(len(w.near), most)], ", "))
}

// most is the number of names in a hint.
const most = 12
