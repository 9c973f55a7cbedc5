package history

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plaintext"
	"github.com/stratakube/strata/generator/internal/plan"
)

// Folder is the folder of the files, relative to the output folder.
const Folder = "histories"

// Format is the number of the format. Readers refuse other numbers.
const Format = 1

// File contains the histories of one kind. Path is relative to the output folder.
type File struct {
	Kind *plan.Kind
	Path string
	Body []byte
}

// Jobs returns a function for each kind that has a CRD. It prints the file of the kind. The
// functions may run at the same time.
func Jobs(p *plan.Plan) []func() (File, error) {
	var out []func() (File, error)
	for _, g := range p.Groups {
		for _, k := range g.Kinds {
			if k.HasCRD {
				out = append(out, func() (File, error) {
					body, err := encode(newKind(k))
					return File{k, Folder + "/" + g.Chain.Folder + "/" + plaintext.FileName(k.Resource.Model.Plural) + ".json", body}, err
				})
			}
		}
	}
	return out
}

// kind is the content of a file. Versions and objects are referred to by their indices.
type kind struct {
	Format   int       `json:"format"`
	Group    string    `json:"group"`
	Kind     string    `json:"kind"`
	Plural   string    `json:"plural"`
	Versions []version `json:"versions"`
	Objects  []object  `json:"objects"`
	Spec     int       `json:"spec"`
	Status   int       `json:"status"`
}

// version is a version of the kind, in version order. Next is the neighbour towards the hub, and
// the version itself for the hub. AtRoot means that the members of the spec are at the root.
type version struct {
	Name    string `json:"name"`
	Storage string `json:"storage"`
	Next    int    `json:"next"`
	AtRoot  bool   `json:"atRoot,omitzero"`
}

// object is an object at one place of the kind, in all versions that have it.
type object struct {
	Properties  [][]span     `json:"properties,omitempty"`
	Conversions []conversion `json:"conversions,omitempty"`
	Steps       []pair       `json:"steps,omitempty"`
}

// span is a property in consecutive versions, in which nothing of it changes.
type span struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Name string `json:"name"`
	// Form is equal in two spans if values are copied between them.
	Form int `json:"form"`
	// Levels describes the type; see levelsOf.
	Levels string `json:"levels,omitempty"`
	// Object is the object in the property, within its lists and maps.
	Object *int `json:"object,omitempty"`
	// Keys are the names of the members that identify the elements of the list with keys.
	Keys []string `json:"keys,omitempty"`
}

// pair is a version and its neighbour towards the hub.
type pair struct {
	Far  int `json:"far"`
	Near int `json:"near"`
}

// conversion states that the value of one property becomes that of another between two versions.
// Each property is given by the indices of properties on the path to it, from the object.
type conversion struct {
	pair
	Of []int `json:"of"`
	To []int `json:"to"`
}

// encode prints a kind with one line for each version and object, so that differences between
// releases are short.
func encode(k kind) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	var err error
	print := func(v any) {
		err = cmp.Or(err, e.Encode(v)) // with a line break
	}
	out.WriteString(`{"format":`)
	print(k.Format)
	for _, m := range []struct {
		name  string
		value any
	}{{"group", k.Group}, {"kind", k.Kind}, {"plural", k.Plural}, {"spec", k.Spec}, {"status", k.Status}} {
		out.WriteString(`,"` + m.name + `":`)
		print(m.value)
	}
	out.WriteString(",\"versions\":[\n")
	for i, v := range k.Versions {
		if i > 0 {
			out.WriteByte(',')
		}
		print(v)
	}
	out.WriteString("],\"objects\":[\n")
	for i, o := range k.Objects {
		if i > 0 {
			out.WriteByte(',')
		}
		print(o)
	}
	out.WriteString("]}\n")
	return out.Bytes(), err
}

func newKind(k *plan.Kind) kind {
	r := k.Resource
	out := kind{Format: Format, Group: r.Group.Name, Kind: k.Name, Plural: r.Model.Plural}
	for _, kv := range k.Versions {
		v := version{Name: kv.Version.Label, Storage: kv.Package.StorageVersion(), Next: kv.Version.Index, AtRoot: kv.Version.Model.AtRoot}
		if kv.Version.Next != nil {
			v.Next = kv.Version.Next.Index
		}
		out.Versions = append(out.Versions, v)
	}
	w := walk{places: map[*chain.Place]int{}, structs: structsOf(k)}
	for i, p := range r.Places() {
		w.places[p] = i
	}
	for _, p := range r.Places() {
		out.Objects = append(out.Objects, w.object(k, p))
	}
	out.Spec, out.Status = w.places[r.Root], w.places[r.Root]
	if r.Status != nil {
		out.Status = w.places[r.Status]
	}
	return out
}

// walk describes the places of one kind.
type walk struct {
	places  map[*chain.Place]int
	structs map[*chain.Place][]*plan.Struct
}

func (w *walk) object(k *plan.Kind, p *chain.Place) object {
	var out object
	for _, l := range p.Lineages {
		out.Properties = append(out.Properties, w.spans(l))
	}
	for _, kv := range k.Versions {
		w.add(&out, p, kv)
	}
	return out
}

// add adds to an object how it converts between a version and its neighbour towards the hub. A step
// between API type and storage type stands beside the version itself.
func (w *walk) add(out *object, p *chain.Place, kv *plan.KindVersion) {
	v := kv.Version.Index
	if p.Defs[v] == nil {
		return
	}
	isRoot := p == kv.Kind.Resource.Root || p == kv.Kind.Resource.Status
	if s := w.structs[p][v]; s != nil && s.Own != (plan.Hand{}) || isRoot && kv.OwnWhole != (plan.Hand{}) {
		out.Steps = append(out.Steps, pair{v, v})
	}
	near := kv.Next()
	if near == nil || p.Defs[near.Version.Index] == nil {
		return
	}
	at := pair{v, near.Version.Index}
	step := between(w.structs[p], at)
	if step != nil {
		out.Conversions = append(out.Conversions, conversions(p, step, at)...)
	}
	if step != nil && step.Hand != (plan.Hand{}) || isRoot && kv.Whole != (plan.Hand{}) {
		out.Steps = append(out.Steps, at)
	}
}

// spans returns the spans of a lineage.
func (w *walk) spans(l *chain.Lineage) []span {
	var out []span
	var forms []int
	for i, p := range l.Live {
		if p == nil {
			continue
		}
		at := slices.IndexFunc(forms, func(j int) bool { return l.Transfers(j, i) })
		if at < 0 {
			at, forms = len(forms), append(forms, i)
		}
		s := span{From: i, To: i, Name: p.Name, Form: at, Levels: levelsOf(l, i), Keys: keysOf(l, i)}
		if p.Name == chain.AdditionalName {
			s.Name = "*"
		}
		if child := l.Child(i); child != nil {
			s.Object = new(w.places[child])
		}
		if n := len(out) - 1; n >= 0 && out[n].To == i-1 && out[n].isAs(s) {
			out[n].To = i
			continue
		}
		out = append(out, s)
	}
	return out
}

// isAs reports whether spans differ by their versions only.
func (s span) isAs(o span) bool {
	if (s.Object == nil) != (o.Object == nil) || s.Object != nil && *s.Object != *o.Object {
		return false
	}
	return s.Name == o.Name && s.Form == o.Form && s.Levels == o.Levels && slices.Equal(s.Keys, o.Keys)
}

// levelsOf describes the type of a property, from the outside to the inside, as an API server
// compares it. A letter stands for a list (l, or s for a set, or k for one with keys), a map (m, or
// a if it is compared as a whole), and last for an object (o, or x if it is compared as a whole).
// Nothing stands for scalars and free JSON.
func levelsOf(l *chain.Lineage, i int) string {
	var out []byte
	t := l.Live[i].Type
	for {
		switch u := t.(type) {
		case *model.List:
			out, t = append(out, listLevel(u)), u.Elem
		case *model.Map:
			out, t = append(out, atomic(u.Facts, 'm', 'a')), u.Elem
		case *model.Ref:
			d := u.Def
			if d.Map != nil {
				return string(append(out, atomic(d.Map.Facts, 'm', 'a')))
			}
			if o := d.Object(); o != nil {
				out = append(out, atomic(o.Facts, 'o', 'x'))
			}
			return string(out)
		default:
			return string(out)
		}
	}
}

func listLevel(l *model.List) byte {
	switch l.Facts.Get("x-kubernetes-list-type") {
	case `"set"`:
		return 's'
	case `"map"`:
		return 'k'
	}
	return 'l'
}

func atomic(facts model.Facts, granular, whole byte) byte {
	if facts.Get("x-kubernetes-map-type") == `"atomic"` {
		return whole
	}
	return granular
}

// keysOf returns the names of the members that identify the elements of a list with keys, which may
// be in lists and maps. Its elements are objects, so there is at most one.
func keysOf(l *chain.Lineage, i int) []string {
	t := l.Live[i].Type
	for {
		switch u := t.(type) {
		case *model.List:
			var keys []string
			if listLevel(u) == 'k' && json.Unmarshal([]byte(u.Facts.Get("x-kubernetes-list-map-keys")), &keys) == nil {
				return keys
			}
			t = u.Elem
		case *model.Map:
			t = u.Elem
		default:
			return nil
		}
	}
}
