package versions

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/pages"
	"github.com/stratakube/strata/runtime/convert"
)

// Kind describes all objects of a kind.
type Kind struct {
	Group     string `json:"group"`
	Kind      string `json:"kind"`
	Resource  string `json:"resource"`
	Namespace string `json:"namespace,omitempty"` // whose objects were counted; empty for all
	// Hub is the version in which objects are written. StoredVersions are those in which they may
	// be stored.
	Hub            string    `json:"hub"`
	StoredVersions []string  `json:"storedVersions"`
	Objects        int       `json:"objects"`
	Versions       []Version `json:"versions"`
	// Unknown counts objects by original versions that the CRD does not have.
	Unknown map[string]int `json:"unknown"`
}

// Version describes a version.
type Version struct {
	Name       string `json:"name"`
	Served     bool   `json:"served"`
	Deprecated bool   `json:"deprecated"`
	Role       string `json:"role"` // api, hub (the hub's API version), stored, former
	// Originals is the number of objects with this original version.
	Originals int `json:"originals"`
}

// The roles of versions.
const (
	api    = "api"
	hub    = "hub"
	stored = "stored"
	former = "former"
)

// page is the number of objects in one request.
const page = 500

// OfKind counts the objects of a namespace, or of all, by the version that they were written in.
func OfKind(ctx context.Context, c dynamic.Interface, d *crd.CRD, namespace string) (*Kind, error) {
	originals := map[string]int{}
	k := describe(d, namespace)
	err := pages.Each(ctx, metav1.ListOptions{Limit: page}, c.Resource(d.Resource(d.Hub())).Namespace(namespace).List, func(list *unstructured.UnstructuredList, _ metav1.ListOptions) error {
		for i := range list.Items {
			k.Objects++
			originals[original(&list.Items[i], d)]++
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", d.Name(), err)
	}
	for i := range k.Versions {
		v := &k.Versions[i]
		if v.Role == api || v.Role == hub {
			v.Originals = originals[v.Name]
			delete(originals, v.Name)
		}
	}
	k.Unknown = originals
	return k, nil
}

// original returns the version in which a stored object was written.
func original(o *unstructured.Unstructured, d *crd.CRD) string {
	if version, ok, err := unstructured.NestedString(o.Object, convert.OriginalVersionPath()...); ok && err == nil && version != "" {
		return version
	}
	return d.API()
}

func describe(d *crd.CRD, namespace string) *Kind {
	k := &Kind{Group: d.Group, Kind: d.Kind, Resource: d.Plural, Namespace: namespace, Hub: d.Hub(), StoredVersions: append([]string{}, d.Stored...)}
	for _, v := range d.Versions {
		role := api
		switch {
		case v.Storage:
			role = stored
		case v.Former:
			role = former
		case v.Name == d.API():
			role = hub
		}
		k.Versions = append(k.Versions, Version{Name: v.Name, Served: v.Served, Deprecated: v.Deprecated, Role: role})
	}
	slices.SortStableFunc(k.Versions, func(a, b Version) int { return strings.Compare(a.Name, b.Name) })
	return k
}
