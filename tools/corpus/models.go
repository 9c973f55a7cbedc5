package corpus

import (
	"slices"
	"strings"
)

// Models are refined models by resource version.
type Models map[ID]*Model

// Model describes a resource in one version.
type Model struct {
	ID
	Kind    string
	Spec    string // name of an object
	Objects map[string]*Object
}

// Object has members. A member without a name describes all members that the object does not
// name.
type Object struct{ Members []Member }

// Member is a property of an object.
type Member struct {
	Name     string
	Around   string // [] for each list and {} for each map around its type, outermost first
	Object   string // name of the object in them, if it is one
	Free     bool   // whether free JSON is in them
	Conflict string // why, if the schema gives it a type
}

// Count is how many members all objects have.
func (m *Model) Count() int {
	n := 0
	for _, object := range m.Objects {
		n += len(object.Members)
	}
	return n
}

// Position is a position in an object of the model.
type Position struct {
	Path     string // below the spec, as in properties.phones[].number
	Object   bool   // whether an object is entered here
	Free     bool   // as of a member
	Conflict string // as of a member
}

// Positions lists all positions in the spec: every object, every member, and every element of a
// list or a map. It enters an object that contains itself once.
func (m *Model) Positions() []Position {
	w := walk{model: m}
	w.object("", m.Spec)
	return w.positions
}

// Has reports whether the spec has a place, or may have it in free JSON.
func (m *Model) Has(path string) bool {
	return slices.ContainsFunc(m.Positions(), func(p Position) bool {
		within, ok := strings.CutPrefix(path, p.Path)
		return ok && (within == "" || p.Free && strings.Trim(within[:1], ".[{") == "")
	})
}

type walk struct {
	model     *Model
	around    []string // names of the objects that the walk is in
	positions []Position
}

func (w *walk) object(path, name string) {
	again := slices.Contains(w.around, name)
	w.positions = append(w.positions, Position{Path: path, Object: !again})
	if again {
		return
	}
	w.around = append(w.around, name)
	for _, member := range w.model.Objects[name].Members {
		w.member(path, member)
	}
	w.around = w.around[:len(w.around)-1]
}

func (w *walk) member(path string, m Member) {
	switch {
	case m.Name == "":
		path += "{}"
	case path == "":
		path = m.Name
	default:
		path += "." + m.Name
	}
	for i := 0; i < len(m.Around); i += len("[]") {
		w.positions = append(w.positions, Position{Path: path})
		path += m.Around[i : i+len("[]")]
	}
	if m.Object == "" {
		w.positions = append(w.positions, Position{Path: path, Free: m.Free, Conflict: m.Conflict})
		return
	}
	w.object(path, m.Object)
}
