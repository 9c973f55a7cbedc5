package crd

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
)

// suffix is the end of the names of storage versions, behind that of their API version.
const suffix = "storage"

// own precedes suffix if another program has stored objects in versions with that suffix.
const own = "strata"

// CRD describes the CRD of a kind.
type CRD struct {
	Group, Kind, Plural string
	Namespaced          bool
	// Versions are in the order of the CRD.
	Versions []Version
	// Stored are the versions in which objects may be stored.
	Stored []string
	// Strata reports that the storage version is a hub.
	Strata bool
	// Prunes reports that the API server converts objects itself. It removes what the schema of the
	// other version lacks.
	Prunes bool
	// Converts reports that a webhook converts objects.
	Converts bool
	// Schemas are the schemas of the versions, as the CRD has them.
	Schemas map[string]json.RawMessage
	// Webhook is the service that converts objects; nil if there is none.
	Webhook *Service
	// UID and Generation identify the state of a CRD in a cluster.
	UID        string
	Generation int64
	// Text is the CRD in JSON.
	Text json.RawMessage
}

// Service is the service of a conversion webhook.
type Service struct{ Namespace, Name string }

// Version is one version of a CRD.
type Version struct {
	Name       string
	Served     bool
	Deprecated bool
	// Storage reports that it is the storage version, and Former that it was the storage version
	// once.
	Storage, Former bool
}

// Name returns the name of the CRD.
func (d *CRD) Name() string { return d.Plural + "." + d.Group }

// Hub returns the version in which objects are written.
func (d *CRD) Hub() string {
	i := slices.IndexFunc(d.Versions, func(v Version) bool { return v.Storage })
	return d.Versions[i].Name
}

// API returns the hub's API version, in which objects without an original version were written.
func (d *CRD) API() string {
	return strings.TrimSuffix(strings.TrimSuffix(d.Hub(), suffix), own)
}

// Resource returns the resource of the kind in a version.
func (d *CRD) Resource(version string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: d.Group, Version: version, Resource: d.Plural}
}

// Readable returns the API versions that are served.
func (d *CRD) Readable() []string {
	var out []string
	for _, v := range d.Versions {
		if v.Served && !v.Storage && !v.Former {
			out = append(out, v.Name)
		}
	}
	return out
}

// Resource is that of CRDs.
var Resource = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// Server returns what a cluster serves, like a discovery client.
type Server interface {
	ServerPreferredResourcesWithContext(ctx context.Context) ([]*metav1.APIResourceList, error)
}

// Find finds a kind by its kind, plural, singular or short name, ignoring case. If that is
// ambiguous, the name has the group before a slash or behind a dot.
func Find(ctx context.Context, d Server, c dynamic.Interface, name string) (*CRD, error) {
	of, err := FindAny(ctx, d, c, name)
	if err != nil {
		return nil, err
	}
	return of, of.NeedsHub()
}

// NeedsHub returns an error if the storage version is no hub.
func (d *CRD) NeedsHub() error {
	if d.Strata {
		return nil
	}
	return fmt.Errorf("%s is stored in %q, which is not a hub: Strata has not generated it", d.Name(), d.Hub())
}

// FindAny finds a kind like Find. It accepts kinds that Strata has not generated.
func FindAny(ctx context.Context, d Server, c dynamic.Interface, name string) (*CRD, error) {
	found, err := search(ctx, d, name)
	if err != nil {
		return nil, err
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("the cluster serves no kind %q", name)
	case 1:
	default:
		var names []string
		for _, g := range found {
			names = append(names, g.String())
		}
		return nil, fmt.Errorf("%q may be %s: name the group, too", name, strings.Join(names, " or "))
	}
	return Get(ctx, c, found[0].String())
}

// Get reads a CRD by its name.
func Get(ctx context.Context, c dynamic.Interface, name string) (*CRD, error) {
	object, err := c.Resource(Resource).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("read the CRD of %s: %w", name, err)
	}
	text, err := object.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("read the CRD of %s: %w", name, err)
	}
	return Parse(text)
}

// SetStored writes status.storedVersions. It fails with a conflict if the CRD was written since it
// was read.
func (d *CRD) SetStored(ctx context.Context, c dynamic.Interface, stored []string, manager string) error {
	o := &unstructured.Unstructured{}
	if err := o.UnmarshalJSON(d.Text); err != nil {
		return fmt.Errorf("read CRD: %w", err)
	}
	if err := unstructured.SetNestedStringSlice(o.Object, stored, "status", "storedVersions"); err != nil {
		return fmt.Errorf("change CRD: %w", err)
	}
	_, err := c.Resource(Resource).UpdateStatus(ctx, o, metav1.UpdateOptions{FieldManager: manager})
	return err
}

// search returns the resources that a name may mean. It skips groups that do not answer: their
// aggregated servers are not Strata's.
func search(ctx context.Context, d Server, name string) ([]schema.GroupResource, error) {
	lists, err := d.ServerPreferredResourcesWithContext(ctx)
	if err != nil && !discovery.IsGroupDiscoveryFailedError(err) {
		return nil, fmt.Errorf("ask what the cluster serves: %w", err)
	}
	var found []schema.GroupResource
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, fmt.Errorf("ask what the cluster serves: %w", err)
		}
		for i := range list.APIResources {
			r := &list.APIResources[i]
			of := schema.GroupResource{Group: version.Group, Resource: r.Name}
			if !strings.Contains(r.Name, "/") && means(name, version.Group, r) && !slices.Contains(found, of) {
				found = append(found, of)
			}
		}
	}
	return found, nil
}

func means(name, group string, r *metav1.APIResource) bool {
	for _, called := range append([]string{r.Kind, r.Name, r.SingularName}, r.ShortNames...) {
		if called != "" && slices.ContainsFunc([]string{called, called + "." + group, group + "/" + called}, func(s string) bool { return strings.EqualFold(s, name) }) {
			return true
		}
	}
	return false
}

// document has the fields of a CRD that this package reads.
type document struct {
	Metadata struct {
		UID        string
		Generation int64
	}
	Spec struct {
		Group string
		Scope string
		Names struct{ Kind, Plural string }

		Conversion struct {
			Strategy string
			Webhook  struct{ ClientConfig struct{ Service *Service } }
		}
		PreserveUnknownFields bool

		Versions []struct {
			Name                        string
			Served, Storage, Deprecated bool
			Schema                      struct{ OpenAPIV3Schema json.RawMessage }
		}
	}
	Status struct{ StoredVersions []string }
}

// Parse reads a CRD in JSON.
func Parse(text []byte) (*CRD, error) {
	var of document
	if err := json.Unmarshal(text, &of); err != nil {
		return nil, fmt.Errorf("read CRD: %w", err)
	}
	d := &CRD{
		Group: of.Spec.Group, Kind: of.Spec.Names.Kind, Plural: of.Spec.Names.Plural,
		Namespaced: of.Spec.Scope == "Namespaced", Stored: of.Status.StoredVersions,
		Prunes:  of.Spec.Conversion.Strategy != "Webhook" && !of.Spec.PreserveUnknownFields,
		Schemas: map[string]json.RawMessage{}, Converts: of.Spec.Conversion.Strategy == "Webhook",
		Webhook: of.Spec.Conversion.Webhook.ClientConfig.Service,
		UID:     of.Metadata.UID, Generation: of.Metadata.Generation, Text: text,
	}
	names := map[string]bool{}
	for _, v := range of.Spec.Versions {
		names[v.Name] = true
	}
	hub := ""
	for _, v := range of.Spec.Versions {
		api, isStorage := strings.CutSuffix(v.Name, suffix)
		isStorage = isStorage && (names[api] || !v.Served || v.Storage)
		d.Versions = append(d.Versions, Version{Name: v.Name, Served: v.Served, Deprecated: v.Deprecated, Storage: v.Storage, Former: isStorage && !v.Storage})
		d.Schemas[v.Name] = v.Schema.OpenAPIV3Schema
		if v.Storage {
			hub = v.Name
		}
	}
	if hub == "" {
		return nil, fmt.Errorf("read CRD %s: it has no storage version", d.Name())
	}
	d.Strata = strings.HasSuffix(hub, suffix)
	return d, nil
}

// Others returns the served versions that are not the storage version.
func (d *CRD) Others() []string {
	var out []string
	for _, v := range d.Versions {
		if v.Served && !v.Storage {
			out = append(out, v.Name)
		}
	}
	return out
}

// ServesHub returns an error if the storage version is not served. A write through another version
// would remove what that version cannot represent.
func (d *CRD) ServesHub() error {
	if slices.ContainsFunc(d.Versions, func(v Version) bool { return v.Storage && v.Served }) {
		return nil
	}
	return fmt.Errorf("%s is stored in %s, which it does not serve: set served: true for that version in the CRD", d.Name(), d.Hub())
}

// Successor returns the version that takes the place of one that goes: one that the CRD does not
// serve, or that gone names. Of a version that stays it returns the version itself.
func (d *CRD) Successor(version string, gone []string) string {
	i := slices.IndexFunc(d.Versions, func(v Version) bool { return v.Name == version })
	stays := i >= 0 && (d.Versions[i].Served || d.Versions[i].Storage) && !slices.Contains(gone, version)
	switch {
	case stays:
		return version
	case d.Strata && (i < 0 || !d.Versions[i].Former) && slices.Contains(d.Others(), d.API()):
		return d.API()
	}
	return d.Hub()
}
