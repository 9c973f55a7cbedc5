package plan

import (
	"slices"
	"sync/atomic"

	"github.com/stratakube/strata/generator/internal/augmentation"
)

// hands finds hand-written steps. It is safe for concurrent use.
type hands struct {
	all  []augmentation.Method
	by   map[handKey]int
	used []atomic.Bool
}

type handKey struct{ folder, receiver, method string }

func newHands(all []augmentation.Method) *hands {
	h := &hands{all: all, by: map[handKey]int{}, used: make([]atomic.Bool, len(all))}
	for i, a := range all {
		h.by[handKey{a.Folder, a.Receiver, a.Method}] = i
	}
	return h
}

func (h *hands) unused() []augmentation.Method {
	var out []augmentation.Method
	for i, a := range h.all {
		if !h.used[i].Load() {
			out = append(out, a)
		}
	}
	return out
}

// between finds the hand-written steps between two types. They are methods of the far type, which
// is declared in one folder, with the near type of another folder as their parameter.
func (h *hands) between(folder, far, nearFolder, near, assigned string) Hand {
	to, from := methodsOf(assigned)
	return Hand{
		To:   h.has(folder, far, to.Name, nearFolder, near),
		From: h.has(folder, far, from.Name, nearFolder, near),
	}
}

func (h *hands) has(folder, receiver, method, paramFolder, param string) bool {
	i, ok := h.by[handKey{folder, receiver, method}]
	if !ok || h.all[i].Param != param || h.all[i].ParamFolder != paramFolder {
		return false
	}
	h.used[i].Store(true)
	return true
}

// Folder returns the folder of a struct's storage type or clone, relative to the output folder.
func (s *Struct) Folder() string {
	if s.Compat {
		return s.Package.CompatFolder()
	}
	return s.Package.StorageFolder()
}

// Folder returns the folder of a package's API types, relative to the output folder.
func (p *Package) Folder() string { return p.Group.Chain.Folder + "/" + p.Label }

// StorageFolder returns the folder of a package's storage types.
func (p *Package) StorageFolder() string { return p.Folder() + "/storage" }

// CompatFolder returns the folder of a package's compat types.
func (p *Package) CompatFolder() string { return p.StorageFolder() + "/compat" }

// assigned returns the name of a struct in the names of methods and interfaces for hand-written
// steps.
func (s *Struct) assigned() string {
	if s.Compat {
		return "Compat" + s.Name
	}
	return s.Name
}

// StepName returns the name of the step to a struct in the errors of hand-written steps. It does
// not change when versions are added between the two.
func (s *Struct) StepName() string { return s.Package.Label + "." + s.assigned() }

// Method is a method of a user that completes a conversion to or from a struct. Its only
// parameter is a pointer to that struct.
type Method struct{ Name, Interface, Param string }

// Methods returns the names of methods on types that convert to the struct: to completes the
// conversion to it, from the one back.
func (s *Struct) Methods() (to, from Method) { return methodsOf(s.assigned()) }

func methodsOf(assigned string) (to, from Method) {
	return Method{augmentation.To + assigned, "AssignableTo" + assigned, "dst"}, Method{augmentation.From + assigned, "AssignableFrom" + assigned, "src"}
}

// Signature returns the method as an interface declares it, for a parameter that points to type
// of.
func (m Method) Signature(of string) string { return m.Name + "(" + m.Param + " *" + of + ") error" }

// Declaration returns the method as users declare it for a receiver.
func (m Method) Declaration(receiver, of string) string {
	self := "src"
	if m.Param == self {
		self = "dst"
	}
	return "func (" + self + " *" + receiver + ") " + m.Signature(of)
}

// MethodsOf returns the methods of a type in a folder that conversions would call if the user
// declared them.
func (p *Plan) MethodsOf(folder, receiver string) []augmentation.Method {
	var out []augmentation.Method
	addNamed := func(assigned, name, folderOf string) {
		to, from := methodsOf(assigned)
		for _, m := range []Method{to, from} {
			known := augmentation.Method{Folder: folder, Receiver: receiver, Method: m.Name, ParamFolder: folderOf, Param: name}
			if !slices.Contains(out, known) {
				out = append(out, known)
			}
		}
	}
	add := func(s *Struct, folderOf string) { addNamed(s.assigned(), s.Name, folderOf) }
	for _, g := range p.Groups {
		for _, p := range g.Packages {
			for _, kv := range p.Kinds {
				if next := kv.Next(); kv.Kind.Name != receiver {
					continue
				} else if p.Folder() == folder && !p.Pruned() && !p.IsOwn() {
					addNamed(receiver, receiver, p.StorageFolder())
				} else if p.StorageFolder() == folder && next != nil {
					addNamed(receiver, receiver, next.Package.StorageFolder())
				}
			}
			for _, t := range p.Steps {
				if t.Kind != Fused && t.Far.Folder() == folder && t.Far.Name == receiver {
					add(t.Near, t.Near.Folder())
				}
			}
			for _, s := range p.Structs {
				switch next := s.Owner.Next(); {
				case s.Name != receiver:
				case p.Folder() == folder:
					add(s, s.Folder())
				case s.Folder() == folder && s.Shared() && next != nil:
					add(s, next.Package.StorageFolder())
				}
			}
		}
	}
	return out
}

// touch finds the links that hand-written steps complete, and the links that contain such links.
func (g *grouper) touch() {
	g.touched = map[*link]bool{}
	for _, n := range g.all {
		s := g.structs[n.class]
		s.Own = g.hands.own(s)
		for _, l := range n.links {
			if l.route == nil && (l.isDerived() || g.hand(l) != (Hand{}) || l.whole() != (Hand{}) || l.steps() && n.role == Spec && n.kind.Resource.Status == nil && g.handOfStatus(n) != (Hand{})) {
				g.touched[l] = true
			}
		}
	}
	g.complete(g.touched, func(l *link) bool { return l.route == nil && g.contains(l) })
}

// complete adds links to a set until the set does not change. belongs may depend on the links
// that are already in the set.
func (g *grouper) complete(set map[*link]bool, belongs func(*link) bool) {
	for changed := true; changed && !g.stopped(); {
		changed = false
		for _, n := range g.all {
			for _, l := range n.links {
				if !set[l] && belongs(l) {
					set[l], changed = true, true
				}
			}
		}
	}
}

// hand finds the hand-written steps of a link that is not fused.
func (g *grouper) hand(l *link) Hand {
	far, near := g.of(l.far), g.of(l.near)
	return g.hands.between(far.Folder(), far.Name, near.Folder(), near.Name, near.assigned())
}

// handOfStatus finds the hand-written steps of the status beside a spec.
func (g *grouper) handOfStatus(n *node) Hand {
	far, near := g.structs[n.class].Folder(), g.structs[n.next.class].Folder()
	name := n.kind.Name + "Status"
	return g.hands.between(far, name, near, name, name)
}

// whole finds the hand-written steps of whole resources.
func (g *grouper) whole() {
	for _, k := range g.group.Kinds {
		for _, kv := range k.Versions {
			storage := kv.Package.StorageFolder()
			if next := kv.Next(); next != nil {
				kv.Whole = g.hands.between(storage, k.Name, next.Package.StorageFolder(), k.Name, k.Name)
			}
			if !kv.Package.Pruned() && !kv.Package.IsOwn() {
				kv.OwnWhole = g.hands.between(kv.Package.Folder(), k.Name, storage, k.Name, k.Name)
			}
		}
	}
}

// whole returns the hand-written steps of the resource that complete a link between specs, or
// between statuses.
func (l *link) whole() Hand {
	if n := l.far.node; n.role != Nested && l.route == nil && l.steps() {
		return n.kind.Versions[n.version.Index].Whole
	}
	return Hand{}
}

// WholeMethods returns the names of methods on a resource that convert to the resource in a
// version: to completes the conversion to it, from the one back.
func (k *KindVersion) WholeMethods() (to, from Method) { return methodsOf(k.Kind.Name) }

// WholeStepName is [Struct.StepName] for a resource.
func (k *KindVersion) WholeStepName() string { return k.Package.Label + "." + k.Kind.Name }

// own finds the hand-written steps between an API type and its storage type.
func (h *hands) own(s *Struct) Hand {
	return h.between(s.Package.Folder(), s.Name, s.Folder(), s.Name, s.Name)
}

// contains reports whether a link calls one that hand-written steps complete.
func (g *grouper) contains(l *link) bool {
	touched := func(l *link) bool { return g.touched[l] }
	return slices.ContainsFunc(l.moves, func(mv *linkMove) bool {
		return touched(mv.child) || slices.ContainsFunc(slices.Concat(mv.up, mv.down), func(e *entry) bool {
			return slices.ContainsFunc(e.links, touched)
		})
	})
}

// parts cuts a route at the steps that hand-written steps complete. It returns the fused parts
// and single steps in order; nil if the route is not cut.
func (g *grouper) parts(r route) []*link {
	var out []*link
	from := 0
	for i := range len(r) - 1 {
		if r[i].next != r[i+1] || !g.touched[g.neighbour(r[i])] {
			continue
		}
		if l := g.fuse(r[from : i+1 : i+1]); l != nil {
			out = append(out, l)
		}
		out = append(out, g.neighbour(r[i]))
		from = i + 1
	}
	if out == nil {
		return nil
	}
	if l := g.fuse(r[from:]); l != nil {
		out = append(out, l)
	}
	return out
}

// cutAll makes the parts of all roots' conversions.
func (g *grouper) cutAll() {
	for _, n := range g.rootNodes {
		g.parts(n.onwards(n.last()))
	}
}

// custom reports whether metadata requires a hand-written step of a node.
func (g *grouper) custom(n *node) bool { return n.place.Custom(n.version.Index) }
