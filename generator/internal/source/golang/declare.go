package golang

import (
	"go/token"
	"go/types"
	"slices"

	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/stratakube/strata/generator/internal/operation"
	versions "github.com/stratakube/strata/generator/internal/version"
)

// unit is a package of the author: its versions, its resources, and the histories of its items.
type unit struct {
	pkg        *loader.Package
	group      string
	versions   []*version
	resources  []*resource
	histories  []*history
	markerUses markerUses
	unsorted   bool
	skip       []string // outputs
	merged     []*loader.Package

	byPosition map[token.Pos]*history         // those with markers, by position; the first of each
	owned      map[*types.TypeName][]*history // by owner
	// constants has those of packages that were asked for, by their types, in the order of their
	// positions.
	constants map[*types.Package]map[*types.TypeName][]*history
	fields    map[*types.Struct]map[string]*types.Var // those of structs that were asked for, by their JSON names
	reached   map[types.Type]bool                     // types whose packages were looked at
}

// remember adds the history of a field or constant.
func (u *unit) remember(h *history) {
	u.histories = append(u.histories, h)
	u.owned[h.owner] = append(u.owned[h.owner], h)
	if h.hasHistory() && u.byPosition[h.pos] == nil {
		u.byPosition[h.pos] = h
	}
}

// version is a declared version of a package. In a package without version markers it stands for
// the package itself, and has no position.
type version struct {
	name, doc, warning   string
	deprecated, unserved bool
	skip                 []string // outputs
	pos                  token.Pos
}

// resource is a resource of a package.
type resource struct {
	group                  string
	kind, singular, plural string
	scope                  string
	shortNames, categories []string
	skip                   []string        // outputs
	object                 *types.TypeName // the marked struct
	spec, status           types.Type      // status is nil if there is none
	life                   *history        // the versions that have the resource
	markerUses             markerUses
	pos                    token.Pos
}

// history is the declared history of a field, a constant or a whole resource. Its versions are
// indexes of the unit's.
type history struct {
	name       string // in Go; for a resource its kind
	wire       string // in JSON: the name of a field, or the value of a constant
	of         types.Type
	owner      *types.TypeName // the struct, or the type of the constant
	home       *loader.Package // declares the item
	constant   bool
	pos        token.Pos
	added      []*addition
	changes    []*change
	deprecated []*deprecation
	removed    []*removal
}

type addition struct {
	since     since
	fill      *function // provides the value; nil for none
	isEmpty   bool      // objects of earlier versions get no value, even if the field is required
	markerUse markerUse
	// isReported is set when a message about the missing default was reported.
	isReported bool
}

type change struct {
	since    since
	fromName string
	fromText string
	fromType types.Type
	// movedFrom is the path that earlier versions have, in JSON names; empty if it does not move.
	movedFrom string
	up, down  *function
	narrows   bool // earlier versions show later values as they are, even those out of their range
	// declared are the operations that the marker declares in place of functions: one at most,
	// unless the marker is wrong.
	declared  []operation.Operation
	markerUse markerUse
	// isMet is set when a resource has the field before and after the move.
	isMet bool
	// isReported is set when a message about the move was reported.
	isReported bool
}

type deprecation struct {
	since     since
	note      string
	markerUse markerUse
}

type removal struct {
	since     since
	markerUse markerUse
}

// since is a version that a marker names; the index is -1 if there is no such version.
type since struct {
	name  string
	index int
	pos   token.Pos
}

// function is a function of the author that a marker names; object is nil until it is found.
type function struct {
	name   string
	home   *loader.Package // has the marker, and the function
	object *types.Func
	pos    token.Pos
	// fails reports that it returns an error beside its value.
	fails bool
	// isReported is set when a message about its types was reported.
	isReported bool
}

// index returns the index of a version by its name; -1 for none.
func (u *unit) index(name string) int {
	return slices.IndexFunc(u.versions, func(v *version) bool { return v.name == name })
}

// declares reports whether versions are declared by markers.
func (u *unit) declares() bool { return len(u.versions) > 0 && u.versions[0].pos.IsValid() }

// isLife reports whether this is the history of a resource, which has no value.
func (h *history) isLife() bool { return h.of == nil }

// present reports whether a version has the item.
func (h *history) present(version int) bool {
	for _, a := range h.added {
		if version < a.since.index {
			return false
		}
	}
	for _, r := range h.removed {
		if version >= r.since.index {
			return false
		}
	}
	return true
}

// isHere reports whether a version has the item where the source has it.
func (h *history) isHere(version int) bool { return h.present(version) && h.moveAfter(version) == nil }

// moveAfter returns the next move after a version; nil if there is none.
func (h *history) moveAfter(version int) *change {
	for _, c := range h.later(version) {
		if c.movedFrom != "" {
			return c
		}
	}
	return nil
}

// moves reports whether earlier versions have the item in another object.
func (h *history) moves() bool { return h.moveAfter(-1) != nil }

// later returns the changes after a version, the next one first.
func (h *history) later(version int) []*change {
	var out []*change
	for _, c := range h.changes {
		if c.since.index > version {
			out = append(out, c)
		}
	}
	return out
}

// wireAt returns the JSON name, or the value, in a version.
func (h *history) wireAt(version int) string {
	for _, c := range h.later(version) {
		switch {
		case c.movedFrom != "":
			return operation.Last(c.movedFrom)
		case c.fromName != "":
			return c.fromName
		}
	}
	return h.wire
}

// typeAt returns the type in a version; nil if it is that of the source.
func (h *history) typeAt(version int) types.Type {
	for _, c := range h.later(version) {
		if c.fromType != nil {
			return c.fromType
		}
	}
	return nil
}

// deprecatedAt reports whether a version deprecates the item, and with which note.
func (h *history) deprecatedAt(version int) (note string, deprecated bool) {
	for _, d := range h.deprecated {
		if version >= d.since.index {
			return d.note, true
		}
	}
	return "", false
}

// isStable reports whether the version is neither alpha nor beta.
func (v *version) isStable() bool {
	name, _ := versions.Parse(v.name)
	return !name.IsPreview()
}
