package migrate

import (
	"cmp"
	"fmt"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/plan"
)

// Kind is the kind of a difference between a conversion and a plan.
type Kind string

// The kinds of findings.
const (
	// A Renamed property needs a line of metadata, a Moved or Derived one a hand-written step, and
	// a constant a marker or a step.
	Renamed  Kind = "renamed"
	Moved    Kind = "moved"
	Derived  Kind = "derived"
	Constant Kind = "constant"
	// Unread is a conversion that cannot be compared with a plan.
	Unread Kind = "unread"
)

// Finding is a difference between a conversion and a plan, and what to write for it.
type Finding struct {
	Kind Kind `json:"kind"`
	// Resource is the group's folder and the kind. Version is the one whose conversion it is.
	Resource string `json:"resource"`
	Version  string `json:"version"`
	// From are properties of the version. To are those of the version that it converts to.
	From []string `json:"from"`
	To   []string `json:"to"`
	// Metadata is what to add to strata.yaml; empty if that does not help.
	Metadata string `json:"metadata,omitzero"`
	// Folder is where to write a hand-written step, below the output folder. Methods are its
	// methods.
	Folder  string   `json:"folder,omitzero"`
	Methods []string `json:"methods,omitzero"`
	// Marker is what to write at a property, so that the API server sets its value.
	Marker string `json:"marker,omitzero"`
	// At are the positions in the conversions.
	At []string `json:"at"`
}

// Find compares conversions with a plan. at formats a position.
func Find(code *Code, p *plan.Plan, at func(token.Position) string) []Finding {
	var out []Finding
	known := newNames()
	for _, c := range code.Conversions {
		f := finder{names: known, at: at, byKey: map[string]*Finding{}}
		f.far, f.near = versionOf(p, c.Package, c.Kind), versionOf(p, c.Hub, c.Kind)
		f.spoke = f.far
		if f.swapped = f.far != nil && f.near != nil && !f.isOnward(); f.swapped {
			f.far, f.near = f.near, f.far
		}
		if f.far == nil || f.near == nil || !f.isOnward() {
			out = append(out, Finding{Kind: Unread, Resource: c.Kind, Version: path.Base(c.Package), To: []string{c.Hub}, At: f.positions(c.Methods)})
			continue
		}
		for _, flow := range c.Flows {
			f.flow(flow)
		}
		out = append(out, f.findings()...)
	}
	return out
}

func versionOf(p *plan.Plan, importPath, kind string) *plan.KindVersion {
	for _, g := range p.Groups {
		for _, pkg := range g.Packages {
			for _, kv := range pkg.Kinds {
				if pkg.IsOwn() && pkg.Own.Path == importPath && kv.Kind.Name == kind {
					return kv
				}
			}
		}
	}
	return nil
}

// finder compares one conversion with the plan.
type finder struct {
	*names
	spoke *plan.KindVersion
	// far and near are the version and the former hub in either order: near is nearer to the plan's
	// hub.
	far, near *plan.KindVersion
	swapped   bool
	at        func(token.Position) string
	order     []string
	byKey     map[string]*Finding
}

// isOnward reports whether a conversion leads to the version that is nearer to the hub.
func (f *finder) isOnward() bool {
	for kv := f.far.Next(); kv != nil; kv = kv.Next() {
		if kv == f.near {
			return true
		}
	}
	return false
}

func (f *finder) positions(all []token.Position) []string {
	var out []string
	for _, pos := range all {
		out = append(out, f.at(pos))
	}
	return out
}

func (f *finder) findings() []Finding {
	var out []Finding
	for _, key := range f.order {
		out = append(out, *f.byKey[key])
	}
	return out
}

// flow reports a flow that the plan does differently. Values that the conversions stored in
// annotations are in property bags, unless both versions have the property.
func (f *finder) flow(flow Flow) {
	far, near := flow.From, []string{flow.To}
	if flow.Up == f.swapped {
		far, near = near, far
	}
	if flow.Kept || isMeta(flow.To) || slices.ContainsFunc(flow.From, isMeta) {
		return
	}
	kind := Derived
	switch {
	case flow.Constant && f.defaulted(flow.To):
		return
	case flow.Constant:
		kind = Constant
	case flow.Exact && f.mapped(far[0]) == near[0]:
		return
	case flow.Exact && parent(far[0]) == parent(near[0]):
		kind = Renamed
	case flow.Exact:
		kind = Moved
	}
	w := f.where(far, near)
	if w.completed && kind != Renamed {
		return
	}
	f.report(kind, far, near, w, flow.Pos)
}

// isOwn reports whether the version has a property of that path too.
func (f *finder) isOwn(path string) bool {
	s, ok := f.structAt(f.spoke, parent(path))
	return ok && f.field(s, last(path)) != nil
}

// defaulted reports whether the API server sets a property of that path.
func (f *finder) defaulted(path string) bool {
	s, ok := f.structAt(f.spoke, parent(path))
	return ok && f.field(s, last(path)) != nil && f.field(s, last(path)).Preset() != ""
}

func isMeta(path string) bool {
	return path == "metadata" || strings.HasPrefix(path, "metadata.") || path == "apiVersion" || path == "kind"
}

func parent(path string) string { return path[:max(0, strings.LastIndexByte(path, '.'))] }

func last(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// report adds a finding, once for both directions.
func (f *finder) report(kind Kind, far, near []string, w where, pos token.Position) {
	key := string(kind) + fmt.Sprint(far, near)
	if kind == Derived {
		key = string(kind) + fmt.Sprint(far) // one direction may have several, the other one
	}
	if known := f.byKey[key]; known != nil {
		more := &known.To
		if f.swapped {
			more = &known.From
		}
		for _, n := range near {
			if !slices.Contains(*more, n) {
				*more = append(*more, n)
			}
		}
		if at := f.at(pos); !slices.Contains(known.At, at) {
			known.At = append(known.At, at)
		}
		return
	}
	found := &Finding{
		Kind: kind, Resource: f.far.Kind.Group.Chain.Folder + "/" + f.far.Kind.Name, Version: f.spoke.Version.Label,
		From: append([]string{}, far...), To: append([]string{}, near...), At: []string{f.at(pos)},
	}
	if f.swapped {
		found.From, found.To = found.To, found.From
	}
	switch {
	case kind == Constant && f.isOwn(slices.Concat(far, near)[0]):
		found.Marker = "+kubebuilder:default"
	case kind == Renamed && w.object != nil && w.property != "":
		found.Metadata = fmt.Sprintf("resources: {%s: {%s: {%s: {%s: {nameInNextVersion: %s}}}}}",
			f.far.Kind.Group.Chain.Folder, yamlWord(w.at.Version.Model.Name), w.object.Name, yamlWord(w.property), yamlWord(last(near[0])))
	case w.object != nil:
		found.Folder = w.object.Folder()
		param := w.next.Package.StorageVersion() + "." + w.next.Name
		to, from := w.next.Methods()
		found.Methods = []string{to.Declaration(w.object.Name, param), from.Declaration(w.object.Name, param)}
	}
	f.byKey[key] = found
	f.order = append(f.order, key)
}

func yamlWord(text string) string {
	if strings.ContainsAny(text, ":{}[],&*#?|-<>=!%@\\\"' ") {
		return fmt.Sprintf("%q", text)
	}
	return text
}

// where identifies the step at which a conversion differs from the plan.
type where struct {
	at       *plan.KindVersion
	object   *plan.Struct // the storage type of at that the step converts
	next     *plan.Struct // the type that it becomes
	property string       // the property's name there
	// completed reports that a hand-written step completes it.
	completed bool
}

// where finds the last version that has all far properties, and the innermost object around them
// and the near ones.
func (f *finder) where(far, near []string) where {
	at, names := f.far, slices.Clone(far)
	for len(far) > 0 && at.Next() != nil && at != f.near {
		moved, ok := f.stepAll(at, names)
		if !ok || at.Next() == f.near {
			break
		}
		at, names = at.Next(), moved
	}
	if len(names) == 0 { // of a constant
		names = near
	}
	w := where{at: at, property: last(names[0])}
	around := common(append(slices.Clone(names), near...))
	w.object, w.next = f.objectsAt(at, around)
	w.completed = f.completes(at, around)
	return w
}

// common returns the path of the innermost object around all properties.
func common(paths []string) string {
	around := parent(paths[0])
	for _, p := range paths[1:] {
		for around != "" && !strings.HasPrefix(p, around+".") {
			around = parent(around)
		}
	}
	if around == "" {
		around, _, _ = strings.Cut(paths[0], ".")
	}
	return around
}

// mapped returns the name in the near version of a far version's property; empty if it is not
// converted.
func (f *finder) mapped(path string) string {
	for kv := f.far; kv != f.near; kv = kv.Next() {
		next, ok := f.step(kv, path)
		if !ok {
			return ""
		}
		path = next
	}
	return path
}

func (n *names) stepAll(kv *plan.KindVersion, paths []string) ([]string, bool) {
	var out []string
	for _, p := range paths {
		next, ok := n.step(kv, p)
		if !ok {
			return nil, false
		}
		out = append(out, next)
	}
	return out, true
}

// Sort sorts findings by resource, version and position.
func Sort(all []Finding) {
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.Resource, b.Resource), strings.Compare(a.Version, b.Version))
	})
}
