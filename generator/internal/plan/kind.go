package plan

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/version"
)

// newKind makes the decisions that apply to all versions of a kind.
func newKind(g *Group, r *chain.Resource) *Kind {
	facts := r.Model.Facts
	return &Kind{
		Group: g, Resource: r, Name: r.Model.Kind,
		Verbatim: r.Model.IsNative(), IsClusterScoped: facts.Text(model.Scope) == "Cluster",
		HasCRD: !facts.Skips(model.SkipCRD), HasTests: !facts.Skips(model.SkipTests),
		HasHelpers: firstSource(r.Hub).Kind == helpedSource && !facts.Skips(model.SkipHelpers),
		members:    [2][]model.Member{r.Model.Members(model.SpecRoot), r.Model.Members(model.StatusRoot)},
	}
}

// helpedSource is the kind of sources that get helpers: their authors use objects of all versions
// in Go.
const helpedSource = "go"

// newKindVersion makes the decisions that depend on the source of one version.
func newKindVersion(k *Kind, v *chain.Version, p *Package) *KindVersion {
	facts := v.Model.Facts
	return &KindVersion{
		Kind: k, Version: v, Package: p,
		Origin: firstSource(v).File, HasHelper: !facts.Skips(model.SkipHelpers), Deprecation: k.deprecation(facts),
	}
}

// firstSource returns the source that declares the spec of a version; the zero Source if none is
// known.
func firstSource(v *chain.Version) model.Source {
	if len(v.Model.Sources) == 0 {
		return model.Source{}
	}
	return v.Model.Sources[0]
}

// deprecation returns the source's deprecation text for a version; empty if the version is not
// deprecated.
func (k *Kind) deprecation(facts model.Facts) string {
	if facts.Get(model.Deprecated) != "true" {
		return ""
	}
	if warning := facts.Text(model.DeprecationWarning); warning != "" {
		return warning
	}
	return "use a later version of " + k.Name + "."
}

// Warning returns the warning that API servers send to clients of an outdated version; empty for
// other versions.
func (k *KindVersion) Warning() string {
	if k.Serving != Outdated {
		return ""
	}
	return k.Kind.Group.Chain.Name + "/" + k.Version.Label + " " + k.Kind.Name + " is deprecated; use " + k.Kind.Hub().Version.Label
}

// StorageVersion returns the name of the package's storage version in clusters.
func (p *Package) StorageVersion() string {
	if slices.ContainsFunc(p.Kinds, (*KindVersion).IsStoredByOther) {
		return version.OwnStorage(p.Label)
	}
	return version.Storage(p.Label)
}

// IsStoredByOther reports whether another program has stored objects of the version, in the storage
// version [KindVersion.OtherStorage].
func (k *KindVersion) IsStoredByOther() bool {
	return k.Version.Model.Facts.Get(model.StoredBy) != ""
}

// OtherStorage returns the version in which another program has stored objects.
func (k *KindVersion) OtherStorage() string { return version.Storage(k.Version.Label) }

// IsHub reports whether the storage type of the version is the hub.
func (k *KindVersion) IsHub() bool { return k.Version.Next == nil }

// Doc returns the source's description of the version's objects.
func (k *KindVersion) Doc() string {
	var schema struct{ Description string }
	_ = json.Unmarshal([]byte(k.Version.Model.Facts.Get(model.Schema)), &schema) // empty where there is none
	return schema.Description
}

// Doc returns the source's description of the version itself.
func (p *Package) Doc() string {
	for _, kv := range p.Kinds {
		if doc := kv.Version.Model.Facts.Text(model.VersionDoc); doc != "" {
			return doc
		}
	}
	return ""
}

// ReplicasPath returns the path in Go of the replicas that the version's scale subresource
// writes, as in .spec.replicas. It is empty if there is no such subresource.
func (k *KindVersion) ReplicasPath() string {
	var scale struct{ SpecReplicasPath string }
	if json.Unmarshal([]byte(k.Version.Model.Facts.Get(model.Scale)), &scale) != nil {
		return ""
	}
	return k.StoredPath(scale.SpecReplicasPath)
}

// StoredPath returns the path in storage types and in Go of a path in the version's JSON. Both
// have a spec even if the version's JSON has the spec's members at the root of objects.
func (k *KindVersion) StoredPath(path string) string {
	if path == "" || !k.Version.Model.AtRoot {
		return path
	}
	for _, root := range []string{".metadata", ".status", ".apiVersion", ".kind"} {
		if path == root || strings.HasPrefix(path, root+".") || strings.HasPrefix(path, root+"[") {
			return path
		}
	}
	return ".spec" + path
}

// Listed is a version that the CRD of a kind lists.
type Listed struct {
	*KindVersion
	Name string
	// Form is the form of the version's schema.
	Form Form
}

// Form is the form of a version's schema in a CRD.
type Form uint8

// The forms.
const (
	// Typed schemas have the members of API types.
	Typed Form = iota
	// Untyped schemas preserve all members: no client reads the version, but stored objects may
	// still have it.
	Untyped
	// Stored is the schema of the hub: it preserves all members, and declares only those that the
	// API server must know.
	Stored
)

// Storable returns the versions that a cluster can persist: that of the hub, and then those of
// former hubs, the latest first.
func (k *Kind) Storable() []string {
	var out []string
	for _, l := range slices.Backward(k.Listed) {
		if l.Hub && l.Name == l.Package.StorageVersion() {
			out = append(out, l.Name)
		}
	}
	return out
}

// list decides which versions the CRDs of kinds list. First are the API versions that clusters
// know, in order, and then those in which other programs store objects. Former hubs and the hub
// are last.
func (g *grouper) list() {
	for _, k := range g.group.Kinds {
		for _, kv := range k.Versions {
			switch {
			case kv.Serving.Served(), kv.Serving == Unserved && k.Verbatim:
				k.Listed = append(k.Listed, Listed{kv, kv.Version.Label, Typed})
			case kv.Serving == Unserved:
				k.Listed = append(k.Listed, Listed{kv, kv.Version.Label, Untyped})
			}
		}
		for _, kv := range k.Versions {
			if kv.IsStoredByOther() && !kv.Version.Pruned {
				k.Listed = append(k.Listed, Listed{kv, kv.OtherStorage(), Untyped})
			}
		}
		for _, kv := range k.Versions {
			if kv.Hub && !kv.IsHub() {
				k.Listed = append(k.Listed, Listed{kv, kv.Package.StorageVersion(), Untyped})
			}
		}
		k.Listed = append(k.Listed, Listed{k.Hub(), k.Hub().Package.StorageVersion(), Stored})
	}
}
