package plan

import (
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/augmentation"
)

// own finds the packages whose API types authors wrote.
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

// Root is the root that authors wrote of a resource, nil where its API types are
// generated.
func (k *KindVersion) Root() *augmentation.Root {
	if k.Package.Own == nil || k.Package.Pruned() {
		return nil
	}
	return k.Package.Own.Root(k.Kind.Resource.Model.Type)
}

// IsOwn reports whether authors wrote the API types of the package.
func (p *Package) IsOwn() bool { return p.Own != nil && !p.Pruned() }

// Strays are the resources of a package of the author that are not in it.
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

// accessors are the methods that take a root apart, of runtime.KubernetesResource.
var accessors = []string{"GetSpec", "GetStatus", "NewEmptySpec", "NewEmptyStatus", "SetStatus"}

// HasAccessors reports whether a root that a user wrote is given the methods that take it apart:
// spec and status can have methods of their own, and the user gave the root none of these names.
func (k *KindVersion) HasAccessors() bool { return k.isApart() && k.OwnAccessors() == nil }

// OwnAccessors are the names among those of accessors that a user gave to a root, where it could
// have accessors.
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

// isApart reports whether spec and status of a root that a user wrote can have methods of their
// own.
func (k *KindVersion) isApart() bool {
	r, p := k.Root(), k.Package.Own
	return r != nil && r.Status != nil && p.Named(r.Spec) != nil && p.Named(r.Status) != nil
}

// RootMethods are the names of methods that a root which a user wrote cannot have: the generated
// ones, and those whose work generated ones do.
func (k *KindVersion) RootMethods() []string {
	names := []string{"ConvertTo", "ConvertFrom", "Hub", "ConvertToStorage", "ConvertFromStorage", "StatusBag", "SetStatusBag", "OriginalGVK"}
	if k.ReplicasPath() != "" {
		names = append(names, "SpecReplicasPath")
	}
	return names
}

// PartMethods are the names of methods that a spec or a status which a user wrote cannot have,
// since they are generated.
func PartMethods(r Role) []string {
	return []string{"ConvertToStorage", "ConvertFromStorage", "Convert" + r.String() + "To", "Convert" + r.String() + "From"}
}

// ImportNames are the names by which code in a package of user types imports what it needs beside
// these.
var ImportNames = []string{"runtime", "genruntime", "strataconvert", "storage", "conversion", "metav1", "k8sruntime", "schema"}

// Registration is the function that registers the conversions of user types, in their package.
const Registration = "AddConversionsToScheme"
