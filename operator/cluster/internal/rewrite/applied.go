package rewrite

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/stratakube/strata/operator/cluster/internal/fieldowner"
)

// lastApplied is the annotation in which kubectl stores a manifest. A later `kubectl apply` removes
// the fields of this manifest that the new one leaves out, by the names that they have here.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// annotation is the path of the annotation in field sets.
var annotation = fieldpath.NewSet(fieldpath.MakePathOrDie("metadata", "annotations", lastApplied))

// isApplied reports whether the annotation of kubectl names a version that goes.
func (o Owners) isApplied(m *metav1.PartialObjectMetadata) bool {
	_, version := o.manifest(m)
	return version != ""
}

// manifest returns the manifest that kubectl has applied, and its version. The version is empty if
// it stays, or if there is no manifest of the group.
func (o Owners) manifest(m *metav1.PartialObjectMetadata) (map[string]any, string) {
	var of map[string]any
	if text := m.Annotations[lastApplied]; text == "" || json.Unmarshal([]byte(text), &of) != nil {
		return nil, ""
	}
	apiVersion, _ := of["apiVersion"].(string)
	group, version, ok := strings.Cut(apiVersion, "/")
	if !ok || group != o.Group || o.Target(version) == version {
		return nil, ""
	}
	return of, version
}

// applied returns the annotation of kubectl with the fields of the version that takes the place of
// its own; empty if the annotation stays. The values are those of the live object: kubectl compares
// names only.
func (o Owners) applied(ctx context.Context, m *metav1.PartialObjectMetadata, c *changes) (string, error) {
	was, version := o.manifest(m)
	if version == "" {
		return "", nil
	}
	to := o.Target(version)
	old, err := fieldsOf(was)
	if err != nil {
		return "", fmt.Errorf("read the annotation of kubectl apply: %w", err)
	}
	t, err := o.Translate(old, version, to)
	if err != nil {
		return "", fmt.Errorf("translate the annotation of kubectl apply: %w", err)
	}
	live, err := o.Live(ctx, m, to)
	if err != nil {
		return "", err
	}
	set := t.Set
	if !t.Whole.Empty() {
		fields, err := fieldsOf(live)
		if err != nil {
			return "", err
		}
		set = t.Over(fields)
	}
	taken, err := o.taken(ctx, m, version, set.Difference(old))
	if err != nil {
		return "", err
	}
	if !taken.Empty() {
		c.inexact = first(c.inexact, "the annotation of kubectl apply, which stays in "+version+" because another field has the name there", taken)
		return "", nil
	}
	const who = "the annotation of kubectl apply"
	c.lost, c.inexact = first(c.lost, who, t.Lost), first(c.inexact, who, t.Stepped)
	out := map[string]any{"apiVersion": o.Group + "/" + to}
	for _, name := range []string{"kind", "metadata"} {
		if value, ok := was[name]; ok {
			out[name] = value
		}
	}
	for path := range set.All() {
		take(out, live, was, path)
	}
	text, err := json.Marshal(out)
	return string(text) + "\n", err
}

// taken returns the fields that an object has in a version which is still served, and whose names
// the translated manifest has for others. An apply of the old manifest would remove
// them.
func (o Owners) taken(ctx context.Context, m *metav1.PartialObjectMetadata, version string, added *fieldpath.Set) (*fieldpath.Set, error) {
	if added.Empty() || o.Serves == nil || !o.Serves(version) {
		return fieldpath.NewSet(), nil
	}
	live, err := o.Live(ctx, m, version)
	if err != nil {
		return nil, err
	}
	fields, err := fieldsOf(live)
	if err != nil {
		return nil, err
	}
	return fields.Intersection(added), nil
}

// fieldsOf returns the fields of an object outside its metadata. Lists are fields as a whole.
func fieldsOf(object map[string]any) (*fieldpath.Set, error) {
	inner := map[string]any{}
	for name, value := range object {
		if name != "apiVersion" && name != "kind" && name != "metadata" {
			inner[name] = value
		}
	}
	value, err := typed.DeducedParseableType.FromUnstructured(inner)
	if err != nil {
		return nil, err
	}
	return value.ToFieldSet()
}

// take copies the value of a path from an object to another one, if it has the value. Of an object
// it copies what the manifest has there: the rest is not its own.
func take(into, from, manifest map[string]any, path fieldpath.Path) {
	for i, e := range path {
		if e.FieldName == nil {
			return
		}
		value, ok := from[*e.FieldName]
		if !ok {
			return
		}
		inner, isObject := value.(map[string]any)
		was, _ := manifest[*e.FieldName].(map[string]any)
		switch {
		case i == len(path)-1 && isObject:
			into[*e.FieldName] = narrow(inner, was)
			return
		case i == len(path)-1:
			into[*e.FieldName] = value
			return
		case !isObject:
			return
		}
		next, ok := into[*e.FieldName].(map[string]any)
		if !ok {
			next = map[string]any{}
			into[*e.FieldName] = next
		}
		into, from, manifest = next, inner, was
	}
}

// narrow returns an object without members that another one lacks.
func narrow(of, by map[string]any) map[string]any {
	out := map[string]any{}
	for name, value := range of {
		was, ok := by[name]
		inner, isObject := value.(map[string]any)
		if isObject {
			was, _ := was.(map[string]any)
			value = narrow(inner, was)
		}
		if ok {
			out[name] = value
		}
	}
	return out
}

// swap writes an object with another manifest of kubectl, and returns it. The owner of the
// annotation is noted in the object, and [run.once] restores it by the next write: kubectl finds
// the manager of its fields by this owner.
func (r *run) swap(ctx context.Context, m *metav1.PartialObjectMetadata, entries []metav1.ManagedFieldsEntry, applied string) (*metav1.PartialObjectMetadata, error) {
	record, err := fieldowner.Record(entries, annotation)
	if err != nil {
		return nil, err
	}
	return r.patch(ctx, m, map[string]any{"managedFields": entries, "annotations": map[string]any{lastApplied: applied, fieldowner.Annotation: record}})
}
