package chain

import "slices"

// Lead is an import of storage packages of a group: the version From of a resource converts
// towards the version To of the resource, so that the package of From imports that of To.
type Lead struct {
	Resource *Resource
	From, To *Version
}

// Circle returns imports of the group's storage packages that form a circle, in order; nil if there
// are none. Packages contain all kinds of a version. So there is a circle only if the user has
// chosen hubs for some kinds, which then convert from later versions to earlier ones, while other
// kinds convert from the earlier versions to the later ones.
func (g *Group) Circle() []Lead {
	w := &walk{leads: map[string][]Lead{}, done: map[string]bool{}}
	var labels []string
	for _, r := range g.Resources {
		for _, v := range r.Versions {
			if v.Next != nil {
				w.leads[v.Label] = append(w.leads[v.Label], Lead{r, v, v.Next})
				labels = append(labels, v.Label)
			}
		}
	}
	slices.Sort(labels)
	for _, label := range labels {
		if circle := w.from(label); circle != nil {
			return circle
		}
	}
	return nil
}

// walk follows imports by the labels of their packages.
type walk struct {
	leads map[string][]Lead
	done  map[string]bool // packages that no circle contains
	path  []Lead
}

// from returns a circle that a package leads to.
func (w *walk) from(label string) []Lead {
	if i := slices.IndexFunc(w.path, func(l Lead) bool { return l.From.Label == label }); i >= 0 {
		return slices.Clone(w.path[i:])
	}
	if w.done[label] {
		return nil
	}
	for _, lead := range w.leads[label] {
		w.path = append(w.path, lead)
		circle := w.from(lead.To.Label)
		w.path = w.path[:len(w.path)-1]
		if circle != nil {
			return circle
		}
	}
	w.done[label] = true
	return nil
}

// HubsBeside returns hubs for all resources of a group with which its storage packages import each
// other in no circle, in order of the resources. The hub of each resource is the latest version of
// its main line that is not later than hub, or else the earliest one.
func (g *Group) HubsBeside(hub *Version) []*Version {
	hubs := make([]*Version, len(g.Resources))
	for i, r := range g.Resources {
		for _, v := range r.Versions {
			if !v.Leaf && !v.Pruned && (hubs[i] == nil || v.name.Compare(hub.name) <= 0) {
				hubs[i] = v
			}
		}
	}
	return hubs
}

// IsChosen reports whether the hub of the resource is another version than without a choice.
func (r *Resource) IsChosen() bool {
	for _, v := range slices.Backward(r.Versions) {
		if !v.Leaf {
			return r.Hub != v
		}
	}
	return false
}
