package fieldowner

import (
	"encoding/json"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// The field managers of writes.
const (
	Healer   = "strata-cluster-heal"
	Migrator = "strata-cluster-migrate"
)

// Annotation is the annotation that lists who owned the fields which a write has changed. An API
// server gives a changed field to who changed it, so that one write cannot preserve the owners. The
// write sets the annotation, and a second write removes it and restores the owners. After a kill
// between both, the next run finds the annotation.
const Annotation = "cluster.strata.dev/field-owners"

// Record returns the value of the annotation: the entries that own one of the fields, with nothing
// but these fields.
func Record(entries []metav1.ManagedFieldsEntry, fields *fieldpath.Set) (string, error) {
	owned := []metav1.ManagedFieldsEntry{}
	for _, e := range entries {
		set, err := Read(&e)
		if err != nil {
			return "", err
		}
		if set = set.Intersection(fields); set.Empty() {
			continue
		}
		if err := Write(&e, set); err != nil {
			return "", err
		}
		owned = append(owned, e)
	}
	text, err := json.Marshal(owned)
	return string(text), err
}

// Restore returns the entries of an object after the fields of the annotation have their owners
// again, and whether the object has the annotation. A field that another client has changed since
// the first write stays that client's. An annotation that is not valid restores nothing.
func Restore(m *metav1.PartialObjectMetadata) (entries []metav1.ManagedFieldsEntry, recorded bool, err error) {
	text, recorded := m.Annotations[Annotation]
	if !recorded {
		return m.ManagedFields, false, nil
	}
	mine := fieldpath.NewSet()
	for _, e := range m.ManagedFields {
		if !isOurs(&e) {
			entries = append(entries, e)
			continue
		}
		set, err := Read(&e)
		if err != nil {
			return nil, true, err
		}
		mine = mine.Union(set)
	}
	var owned []metav1.ManagedFieldsEntry
	if json.Unmarshal([]byte(text), &owned) != nil {
		return entries, true, nil
	}
	for _, e := range owned {
		set, err := Read(&e)
		if err != nil {
			continue
		}
		if set = set.Intersection(mine); set.Empty() {
			continue
		}
		if entries, err = give(entries, e, set); err != nil {
			return nil, true, err
		}
	}
	return entries, true, nil
}

// isOurs reports whether an entry is of the writes of this program, which own nothing for good.
func isOurs(e *metav1.ManagedFieldsEntry) bool {
	return (e.Manager == Healer || e.Manager == Migrator) && e.Operation == metav1.ManagedFieldsOperationUpdate
}

// give adds fields to the entry of an owner. An entry that the first write has emptied is new.
func give(entries []metav1.ManagedFieldsEntry, to metav1.ManagedFieldsEntry, fields *fieldpath.Set) ([]metav1.ManagedFieldsEntry, error) {
	i := slices.IndexFunc(entries, func(e metav1.ManagedFieldsEntry) bool { return IdentityOf(&e) == IdentityOf(&to) })
	if i < 0 {
		err := Write(&to, fields)
		return append(entries, to), err
	}
	set, err := Read(&entries[i])
	if err != nil {
		return nil, err
	}
	return entries, Write(&entries[i], set.Union(fields))
}

// Identity identifies an entry. An API server stores one entry of each identity.
type Identity struct {
	Manager, Version, Subresource string
	Operation                     metav1.ManagedFieldsOperationType
}

// IdentityOf returns the identity of an entry.
func IdentityOf(e *metav1.ManagedFieldsEntry) Identity {
	return Identity{e.Manager, e.APIVersion, e.Subresource, e.Operation}
}

// Read returns the fields of an entry.
func Read(e *metav1.ManagedFieldsEntry) (*fieldpath.Set, error) {
	set := fieldpath.NewSet()
	if e.FieldsV1 == nil {
		return set, nil
	}
	return set, set.FromJSON(e.FieldsV1.GetRawReader())
}

// Write sets the fields of an entry. It does not change the value that another copy of the entry
// has.
func Write(e *metav1.ManagedFieldsEntry, set *fieldpath.Set) error {
	text, err := set.ToJSON()
	if err != nil {
		return err
	}
	e.FieldsV1 = &metav1.FieldsV1{}
	e.FieldsV1.SetRawBytes(text)
	return nil
}

// Same reports whether entries give the same fields of the same versions to the same owners. Their
// order and times may differ. The API server adds an entry of this program if it adds defaults to
// the object.
func Same(want, got []metav1.ManagedFieldsEntry) bool {
	sets := map[Identity]*fieldpath.Set{}
	for i := range want {
		set, err := Read(&want[i])
		if err != nil {
			return false
		}
		if !set.Empty() { // the API server removes an entry without fields
			sets[IdentityOf(&want[i])] = set
		}
	}
	for i := range got {
		id := IdentityOf(&got[i])
		if isOurs(&got[i]) && sets[id] == nil {
			continue
		}
		set, err := Read(&got[i])
		if err != nil || sets[id] == nil || !sets[id].Equals(set) {
			return false
		}
		delete(sets, id)
	}
	return len(sets) == 0
}

// Patch returns a merge patch of metadata. It fails if the object is another one, or was written
// since. A member whose value is nil is removed.
func Patch(m *metav1.PartialObjectMetadata, change map[string]any) []byte {
	meta := map[string]any{"resourceVersion": m.ResourceVersion, "uid": m.UID}
	maps.Copy(meta, change)
	text, err := json.Marshal(map[string]any{"metadata": meta})
	if err != nil {
		panic(err) // these types have a JSON form
	}
	return text
}
