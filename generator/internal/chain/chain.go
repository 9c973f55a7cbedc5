package chain

import (
	"github.com/stratakube/strata/generator/internal/model"
)

// Chain contains all groups of a run, sorted by folder.
type Chain struct {
	Groups []*Group
}

// Group is an API group: the resources of one provider, sorted by type.
type Group struct {
	Provider  string // Microsoft.Batch
	Folder    string // batch
	Name      string // batch.azure.example.com
	Resources []*Resource
}

// Resource is a resource with its versions in order, earliest first.
type Resource struct {
	Model    *model.Resource
	Group    *Group
	Versions []*Version
	Hub      *Version
	Root     *Place // the spec
	Status   *Place // nil where every status mirrors its spec

	places      []*Place
	conversions []Conversion
	changes     []Change
	moving      map[*Lineage]bool // see [Lineage.isDeclared]; nil until it is needed
	record      *Record           // of the ledger; nil if it has none
	past        *past
	order       []int // indexes of versions in order of arrival: the main line first, then leaves
}

// Places returns all places of the resource, in the order in which they were first reached from
// the root.
func (r *Resource) Places() []*Place { return r.places }

// version returns the version that the vendor calls name, or nil.
func (r *Resource) version(name string) *Version {
	for _, v := range r.Versions {
		if v.Model.Name == name {
			return v
		}
	}
	return nil
}

// NextMain returns the next version of the main line in version order, also for a leaf; nil if
// there is none.
func (r *Resource) NextMain(v *Version) *Version {
	for _, w := range r.Versions[v.Index+1:] {
		if !w.Leaf {
			return w
		}
	}
	return nil
}
