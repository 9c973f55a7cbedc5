package stages

import (
	"fmt"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// transition returns an installed CRD with the versions of another one, and a storage version.
// Versions that the other one lacks stay if keeps reports so. Versions that it does not serve stay
// served. The client of the webhook stays, because it has the address and the CA of the cluster.
// Without another CRD, only the storage version changes.
func transition(installed, brought *unstructured.Unstructured, storage string, keeps func(version string) bool) (*unstructured.Unstructured, error) {
	out := installed.DeepCopy()
	versions := versionsOf(out)
	if brought != nil {
		replaceSpec(out, brought)
		versions = unite(versionsOf(installed), versionsOf(brought), keeps)
	}
	found := false
	for _, v := range versions {
		is := v["name"] == storage
		v["storage"] = is
		if is {
			v["served"], found = true, true
		}
	}
	if !found {
		return nil, fmt.Errorf("it has no version %s", storage)
	}
	setVersions(out, versions)
	return out, nil
}

// unite returns the versions of two CRDs.
func unite(was, is []map[string]any, keeps func(version string) bool) []map[string]any {
	byName := map[any]map[string]any{}
	var out []map[string]any
	for _, v := range is {
		v = maps.Clone(v)
		byName[v["name"]] = v
		out = append(out, v)
	}
	for _, v := range was {
		name, _ := v["name"].(string)
		switch now := byName[name]; {
		case now == nil && keeps(name):
			out = append(out, maps.Clone(v))
		case now != nil && v["served"] == true && now["served"] != true:
			clear(now)
			maps.Copy(now, v)
		}
	}
	return out
}

// replaceSpec replaces the spec of a CRD, but for the client of its webhook. It adds labels and
// annotations.
func replaceSpec(out, by *unstructured.Unstructured) {
	client, had, _ := unstructured.NestedMap(out.Object, "spec", "conversion", "webhook", "clientConfig")
	spec, _, _ := unstructured.NestedMap(by.Object, "spec")
	out.Object["spec"] = spec
	if _, has, _ := unstructured.NestedMap(spec, "conversion", "webhook"); has && had {
		_ = unstructured.SetNestedMap(spec, client, "conversion", "webhook", "clientConfig") // both are objects
	}
	labels, annotations := out.GetLabels(), out.GetAnnotations()
	for _, of := range []struct {
		into *map[string]string
		from map[string]string
	}{{&labels, by.GetLabels()}, {&annotations, by.GetAnnotations()}} {
		if *of.into == nil {
			*of.into = map[string]string{}
		}
		maps.Copy(*of.into, of.from)
	}
	out.SetLabels(labels)
	out.SetAnnotations(annotations)
}

func versionsOf(o *unstructured.Unstructured) []map[string]any {
	list, _, _ := unstructured.NestedSlice(o.Object, "spec", "versions")
	var out []map[string]any
	for _, v := range list {
		if v, ok := v.(map[string]any); ok {
			out = append(out, v)
		}
	}
	return out
}

func setVersions(o *unstructured.Unstructured, versions []map[string]any) {
	list := make([]any, len(versions))
	for i := range versions {
		list[i] = versions[i]
	}
	_ = unstructured.SetNestedSlice(o.Object, list, "spec", "versions") // spec is an object
}
