package plan

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/version"
)

// newKind decides what holds of a kind in all versions.
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

// helpedSource is the kind of sources whose authors work with objects of all versions in Go.
const helpedSource = "go"

// newKindVersion decides what the source of a version states about it.
func newKindVersion(k *Kind, v *chain.Version, p *Package) *KindVersion {
	facts := v.Model.Facts
	return &KindVersion{
		Kind: k, Version: v, Package: p,
		Origin: firstSource(v).File, HasHelper: !facts.Skips(model.SkipHelpers), Deprecation: k.deprecation(facts),
	}
}

// firstSource is the source that declares the spec of a version; the zero Source where none is
// known.
func firstSource(v *chain.Version) model.Source {
	if len(v.Model.Sources) == 0 {
		return model.Source{}
	}
	return v.Model.Sources[0]
}

// deprecation is what a version's source says to those who should not use it any more; empty where
// they may.
func (k *Kind) deprecation(facts model.Facts) string {
	if facts.Get(model.Deprecated) != "true" {
		return ""
	}
	if warning := facts.Text(model.DeprecationWarning); warning != "" {
		return warning
	}
	return "use a later version of " + k.Name + "."
}

// Warning is what clusters say to clients of a version that is served and outdated; empty for
// others.
func (k *KindVersion) Warning() string {
	if k.Serving != Outdated {
		return ""
	}
	return k.Kind.Group.Chain.Name + "/" + k.Version.Label + " " + k.Kind.Name + " is deprecated; use " + k.Kind.Hub().Version.Label
}

// StorageVersion is the version of a package's storage types in clusters.
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

// OtherStorage is the version in which another program has stored objects.
func (k *KindVersion) OtherStorage() string { return version.Storage(k.Version.Label) }

// IsHub reports whether the storage type of the version is the hub.
func (k *KindVersion) IsHub() bool { return k.Version.Next == nil }

// Doc is what the source states about whole objects of the version.
func (k *KindVersion) Doc() string {
	var schema struct{ Description string }
	_ = json.Unmarshal([]byte(k.Version.Model.Facts.Get(model.Schema)), &schema) // empty where there is none
	return schema.Description
}

// Doc is what the source states about the version itself.
func (p *Package) Doc() string {
	for _, kv := range p.Kinds {
		if doc := kv.Version.Model.Facts.Text(model.VersionDoc); doc != "" {
			return doc
		}
	}
	return ""
}

// ReplicasPath is where Go has what the scale subresource of a version writes, as in
// .spec.replicas; empty where there is no such subresource.
func (k *KindVersion) ReplicasPath() string {
	var scale struct{ SpecReplicasPath string }
	if json.Unmarshal([]byte(k.Version.Model.Facts.Get(model.Scale)), &scale) != nil {
		return ""
	}
	return k.StoredPath(scale.SpecReplicasPath)
}

// StoredPath is where storage and Go have what a path of the version's JSON leads to. They have a
// spec also where its members stand at the root of objects.
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
	// Form is what its schema has.
	Form Form
}

// Form is what the schema of a version in a CRD has.
type Form uint8

// The forms.
const (
	// Typed schemas have the members of API types.
	Typed Form = iota
	// Untyped schemas preserve everything: no client reads the version, and objects may still be of
	// it.
	Untyped
	// Stored is the schema of the hub: it preserves everything, and describes what the API server
	// must know.
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

// list decides which versions the CRDs of kinds list: the API versions that clusters know, in
// order, then those in which other programs store objects, then former hubs, then the hub.
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
