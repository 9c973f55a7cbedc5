package references

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

// Limits of what deployers store.
const (
	maxRelease  = 16 << 20 // of a release without compression
	maxManifest = 2 << 20  // of an object in it: etcd stores less
	releases    = 10       // of one request: a release has up to 1 MiB
)

// helm finds versions in the manifests of Helm releases that are in use. Helm reads the manifest of
// the last release before an upgrade, and fails if the cluster does not serve a version in it.
func (f *finder) helm(ctx context.Context) error {
	const kind = "helm.sh/release.v1"
	options := metav1.ListOptions{Limit: releases, LabelSelector: "owner=helm,status notin (superseded,uninstalled)"}
	ofSecrets := options
	ofSecrets.FieldSelector = "type=" + kind
	err := f.list(ctx, "Helm releases in Secrets", schema.GroupResource{Resource: "secrets"}, ofSecrets, func(o *unstructured.Unstructured) {
		text, _, _ := unstructured.NestedString(o.Object, "data", "release")
		is, _, _ := unstructured.NestedString(o.Object, "type")
		if decoded, err := base64.StdEncoding.DecodeString(text); is == kind {
			f.release(o, "secrets", string(decoded), err)
		}
	})
	if err != nil {
		return err
	}
	return f.list(ctx, "Helm releases in ConfigMaps", schema.GroupResource{Resource: "configmaps"}, options, func(o *unstructured.Unstructured) {
		text, _, _ := unstructured.NestedString(o.Object, "data", "release")
		f.release(o, "configmaps", text, nil)
	})
}

// release finds versions in one release.
func (f *finder) release(o *unstructured.Unstructured, resource, text string, err error) {
	name := resource + " " + nameOf(o)
	var manifest string
	if err == nil {
		manifest, err = manifestOf(text)
	}
	if err != nil {
		f.notChecked("the Helm release in "+name, err.Error())
		return
	}
	seen := map[[2]string]bool{}
	for document := range strings.SplitSeq("\n"+manifest, "\n---") {
		if !f.mentions(document) {
			continue
		}
		if err := f.document(document, name, seen); err != nil {
			f.notChecked("a manifest of the Helm release in "+name, err.Error())
		}
	}
}

// mentions reports whether a text has the group of a kind. Most manifests have none, and need not
// be read.
func (f *finder) mentions(text string) bool {
	return slices.ContainsFunc(f.Kinds, func(k Kind) bool { return strings.Contains(text, k.To.Group+"/") })
}

// header has the members of a manifest that name its version.
type header struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

func (f *finder) document(text, name string, seen map[[2]string]bool) error {
	if len(text) > maxManifest {
		return errTooLong
	}
	var of struct {
		header
		Items []header `json:"items"`
	}
	if err := yaml.Unmarshal([]byte(strings.TrimPrefix(text, "\n")), &of); err != nil {
		return fmt.Errorf("it is no manifest: %s", bounded(err.Error()))
	}
	for _, h := range append(of.Items, of.header) {
		group, version := cut(h.APIVersion)
		f.use(HelmRelease, group, h.Kind, version, name, "manifest",
			"Helm cannot upgrade a release whose manifest has a version that is not served: deploy a chart with another version first", seen)
	}
	return nil
}

// manifestOf returns the manifest of a release as Helm stores it: JSON, usually compressed, in
// base64.
func manifestOf(text string) (string, error) {
	release, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return "", fmt.Errorf("it is no release: %s", bounded(err.Error()))
	}
	if bytes.HasPrefix(release, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(bytes.NewReader(release))
		if err != nil {
			return "", fmt.Errorf("it is no release: %w", err)
		}
		if release, err = io.ReadAll(io.LimitReader(z, maxRelease+1)); err != nil {
			return "", fmt.Errorf("it is no release: %w", err)
		}
		if len(release) > maxRelease {
			return "", errTooLong
		}
	}
	var of struct {
		Manifest string `json:"manifest"`
	}
	if err := json.Unmarshal(release, &of); err != nil {
		return "", fmt.Errorf("it is no release: %s", bounded(err.Error()))
	}
	return of.Manifest, nil
}

// bounded cuts a text that can have what users wrote.
func bounded(text string) string {
	const limit = 200
	return strings.ToValidUTF8(text[:min(len(text), limit)], "?")
}

// flux finds versions in the inventories of Flux: what it applied last, and would delete.
func (f *finder) flux(ctx context.Context) error {
	for _, of := range []schema.GroupResource{{Group: "kustomize.toolkit.fluxcd.io", Resource: "kustomizations"}, {Group: "helm.toolkit.fluxcd.io", Resource: "helmreleases"}} {
		err := f.list(ctx, "inventories of "+of.String(), of, metav1.ListOptions{Limit: 50}, func(o *unstructured.Unstructured) {
			seen := map[[2]string]bool{}
			for _, entry := range elements(o, "status", "inventory", "entries") {
				id, _ := entry["id"].(string) // NAMESPACE_NAME_GROUP_KIND
				version, _ := entry["v"].(string)
				parts := strings.Split(id, "_")
				if len(parts) < 4 {
					continue
				}
				f.use(FluxInventory, parts[len(parts)-2], parts[len(parts)-1], version, of.Resource+" "+nameOf(o), "status.inventory.entries",
					"Flux applies objects in this version: change their manifests in Git before the version goes", seen)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// argo finds versions in the status of applications of Argo CD: what they track.
func (f *finder) argo(ctx context.Context) error {
	of := schema.GroupResource{Group: "argoproj.io", Resource: "applications"}
	return f.list(ctx, "applications of Argo CD", of, metav1.ListOptions{Limit: 20}, func(o *unstructured.Unstructured) {
		seen := map[[2]string]bool{}
		for _, r := range elements(o, "status", "resources") {
			group, _ := r["group"].(string)
			kind, _ := r["kind"].(string)
			version, _ := r["version"].(string)
			f.use(ArgoApplication, group, kind, version, of.Resource+" "+nameOf(o), "status.resources",
				"Argo CD applies objects in this version: change their manifests in Git before the version goes", seen)
		}
	})
}

// elements returns the objects in a list; none if there is no such list.
func elements(o *unstructured.Unstructured, path ...string) (out []map[string]any) {
	value, _, _ := unstructured.NestedFieldNoCopy(o.Object, path...)
	list, _ := value.([]any)
	for _, element := range list {
		if object, ok := element.(map[string]any); ok {
			out = append(out, object)
		}
	}
	return out
}
