package chain

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/version"
)

// Version is one version of a resource in its chain.
type Version struct {
	Model   *model.Version
	Label   string   // the Kubernetes label: v20140404preview
	Preview bool     // a preview, alpha or beta
	Leaf    bool     // not on the main line
	Pruned  bool     // without API types: only its storage types are generated
	Next    *Version // the neighbour towards the hub; nil for the hub itself
	Index   int      // its index in Resource.Versions

	name version.Version
}

// Label returns the Kubernetes label of a vendor's version name. It reports false if name is not
// the name of a version.
func Label(name string) (string, bool) {
	v, ok := version.Parse(name)
	return v.Label(), ok
}

// Compare compares two vendors' version names in version order.
func Compare(a, b string) int {
	x, _ := version.Parse(a)
	y, _ := version.Parse(b)
	return x.Compare(y)
}

// line sorts versions, chooses the hub and links neighbours. Leading previews and stable versions
// are the main line. Every later preview is a leaf, linked to the main version before it. The hub
// is the last version of the main line, unless chosen names another one of that line. Later ones
// then lead back to it.
func line(versions []*Version, chosen string) (hub *Version) {
	slices.SortFunc(versions, func(a, b *Version) int { return a.name.Compare(b.name) })
	var last *Version // on the main line
	seen := false     // a stable version
	for i, v := range versions {
		v.Index, v.Preview = i, v.name.IsPreview()
		seen = seen || !v.Preview
		if v.Leaf = v.Preview && seen; v.Leaf {
			v.Next = last
			continue
		}
		switch {
		case last == nil:
		case hub != nil:
			v.Next = last
		default:
			last.Next = v
		}
		if v.Model.Name == chosen || v.Label == chosen {
			hub = v
		}
		last = v
	}
	if hub == nil {
		return last
	}
	return hub
}

// leadsTo reports whether other is v, or is between v and the hub, or is the hub.
func (v *Version) leadsTo(other *Version) bool {
	for n := v; n != nil; n = n.Next {
		if n == other {
			return true
		}
	}
	return false
}
