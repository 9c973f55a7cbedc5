package plan

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/augmentation"
)

// own finds the packages whose API types the author wrote.
func (g *grouper) own(all []*augmentation.Package) {
	for _, p := range g.group.Packages {
		for _, kv := range p.Kinds {
			for _, candidate := range all {
				if r := candidate.Root(kv.Kind.Resource.Model.Type); r != nil && r.Version == kv.Version.Model.Name {
					p.Own = candidate
				}
			}
		}
	}
}

// Root returns the author's root type of a resource, or nil if its API types are generated.
func (k *KindVersion) Root() *augmentation.Root {
	if k.Package.Own == nil || k.Package.Pruned() {
		return nil
	}
	return k.Package.Own.Root(k.Kind.Resource.Model.Type)
}

// IsOwn reports whether authors wrote the API types of the package.
func (p *Package) IsOwn() bool { return p.Own != nil && !p.Pruned() }

// Strays returns the kinds of an author's package for which the author wrote no type.
func (p *Package) Strays() []string {
	var out []string
	for _, kv := range p.Kinds {
		if p.IsOwn() && kv.Root() == nil {
			out = append(out, kv.Kind.Name)
		}
	}
	slices.SortFunc(out, strings.Compare)
	return out
}

// accessors are the methods of runtime.KubernetesResource that return and set the parts of a
// root.
var accessors = []string{"GetSpec", "GetStatus", "NewEmptySpec", "NewEmptyStatus", "SetStatus"}

// HasAccessors reports whether the generator adds the accessors to a root that a user wrote. It
// does if spec and status can have methods and the user gave the root none of the accessors.
func (k *KindVersion) HasAccessors() bool { return k.isApart() && k.OwnAccessors() == nil }

// OwnAccessors returns the accessors that a user gave to a root whose spec and status can have
// methods.
func (k *KindVersion) OwnAccessors() (own []string) {
	if !k.isApart() {
		return nil
	}
	for _, name := range accessors {
		if k.Package.Own.Method(k.Root().Object.Type(), name) != nil {
			own = append(own, name)
		}
	}
	return own
}

// isApart reports whether spec and status of a root that a user wrote have named types, which can
// have methods.
func (k *KindVersion) isApart() bool {
	r, p := k.Root(), k.Package.Own
	return r != nil && r.Status != nil && p.Named(r.Spec) != nil && p.Named(r.Status) != nil
}

// RootMethods returns the names of methods that a user must not declare on a root: the generated
// methods, and those that they replace.
func (k *KindVersion) RootMethods() []string {
	names := []string{"ConvertTo", "ConvertFrom", "Hub", "ConvertToStorage", "ConvertFromStorage", "StatusBag", "SetStatusBag", "OriginalGVK"}
	if k.ReplicasPath() != "" {
		names = append(names, "SpecReplicasPath")
	}
	return names
}

// PartMethods returns the names of methods that a user must not declare on a spec or status,
// because they are generated.
func PartMethods(r Role) []string {
	return []string{"ConvertToStorage", "ConvertFromStorage", "Convert" + r.String() + "To", "Convert" + r.String() + "From"}
}

// ImportNames are the names under which generated code in a package of user types imports other
// packages.
var ImportNames = []string{"runtime", "genruntime", "strataconvert", "storage", "conversion", "metav1", "k8sruntime", "schema"}

// Registration is the name of the function that registers the conversions of user types, in their
// package.
const Registration = "AddConversionsToScheme"
