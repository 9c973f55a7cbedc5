package conformance

import (
	"time"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
)

// The types of a resource as strata generates them, written by hand. API and storage types differ
// in their enums, and the storage type lacks some properties, which travel in its bag.

type TypeMeta struct {
	Kind       string `json:"kind,omitempty"`
	APIVersion string `json:"apiVersion,omitempty"`
}

type ObjectMeta struct {
	Name              string            `json:"name,omitempty"`
	Namespace         string            `json:"namespace,omitempty"`
	UID               string            `json:"uid,omitempty"`
	Generation        int64             `json:"generation,omitempty"`
	CreationTimestamp Time              `json:"creationTimestamp,omitzero"`
	Labels            map[string]string `json:"labels,omitempty"`
	Annotations       map[string]string `json:"annotations,omitempty"`
}

type Time struct{ time.Time }

type mood string

type person struct {
	TypeMeta   `json:",inline"`
	ObjectMeta `json:"metadata,omitzero"`

	Spec   *spec[mood] `json:"spec,omitzero"`
	Status *status     `json:"status,omitzero"`
}

type storedPerson struct {
	TypeMeta   `json:",inline"`
	ObjectMeta `json:"metadata,omitzero"`

	Spec   *storedSpec `json:"spec,omitzero"`
	Status *status     `json:"status,omitzero"`
}

type status struct {
	Phase       *string     `json:"phase,omitzero"`
	Conditions  []condition `json:"conditions,omitzero"`
	PropertyBag *string     `json:"propertyBag,omitzero"`
}

type condition struct {
	Type               string `json:"type"`
	Status             string `json:"status"`
	ObservedGeneration int64  `json:"observedGeneration,omitempty"`
	LastTransitionTime Time   `json:"lastTransitionTime"`
}

type spec[M ~string] struct {
	AzureName *string         `json:"azureName,omitzero"`
	Owner     *runtime.Owner  `json:"owner,omitzero"`
	Names     *block[M]       `json:"names,omitzero"`
	Numbers   *block[M]       `json:"numbers,omitzero"`
	Work      *block[M]       `json:"work,omitzero"`
	Home      *block[M]       `json:"home,omitzero"`
	Phones    []block[M]      `json:"phones,omitzero"`
	ByName    map[string]leaf `json:"byName,omitzero"`
	Parent    *spec[M]        `json:"parent,omitzero"`
	Moods     []M             `json:"moods,omitzero"`
	Matrix    [][]string      `json:"matrix,omitzero"`
	Free      runtime.JSON    `json:"free,omitzero"`
	Extras    []leaf          `json:"extras,omitzero"`
}

type storedSpec struct {
	spec[string]
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

// block has twenty scalars.
type block[M ~string] struct {
	A       *string           `json:"a,omitzero"`
	B       *string           `json:"b,omitzero"`
	C       *string           `json:"c,omitzero"`
	D       *string           `json:"d,omitzero"`
	E       *string           `json:"e,omitzero"`
	Mood    *M                `json:"mood,omitzero"`
	Count   *int64            `json:"count,omitzero"`
	Limit   *int64            `json:"limit,omitzero"`
	Ratio   *float64          `json:"ratio,omitzero"`
	Enabled *bool             `json:"enabled,omitzero"`
	Tags    map[string]string `json:"tags,omitzero"`
	Left    *leaf             `json:"left,omitzero"`
	Right   *leaf             `json:"right,omitzero"`
	Leaves  []leaf            `json:"leaves,omitzero"`
}

type leaf struct {
	ID    *string  `json:"id,omitzero"`
	Label *string  `json:"label,omitzero"`
	Size  *int64   `json:"size,omitzero"`
	Share *float64 `json:"share,omitzero"`
	On    *bool    `json:"on,omitzero"`
}

func up(src *person, dst *storedPerson) error {
	dst.ObjectMeta = src.ObjectMeta
	dst.Status = src.Status
	return genruntime.ObjectTo(&dst.Spec, src.Spec, upSpec)
}

func down(dst *person, src *storedPerson) error {
	dst.ObjectMeta = src.ObjectMeta
	dst.Status = src.Status
	return genruntime.ObjectFrom(&dst.Spec, src.Spec, downSpec)
}

func upSpec(src *spec[mood], dst *storedSpec) error {
	genruntime.Stash(&dst.PropertyBag, "extras", src.Extras)
	return convertSpec(src, &dst.spec)
}

func downSpec(dst *spec[mood], src *storedSpec) error {
	bag := src.PropertyBag.Clone()
	err := convertSpec(&src.spec, dst)
	genruntime.Recall(&bag, "extras", &dst.Extras)
	return err
}

func convertSpec[S, D ~string](src *spec[S], dst *spec[D]) error {
	*dst = spec[D]{
		AzureName: src.AzureName,
		Owner:     src.Owner,
		ByName:    src.ByName,
		Moods:     genruntime.CastList[D](src.Moods),
		Matrix:    src.Matrix,
		Free:      src.Free,
	}
	return genruntime.FirstError(
		genruntime.ObjectTo(&dst.Names, src.Names, convertBlock[S, D]),
		genruntime.ObjectTo(&dst.Numbers, src.Numbers, convertBlock[S, D]),
		genruntime.ObjectTo(&dst.Work, src.Work, convertBlock[S, D]),
		genruntime.ObjectTo(&dst.Home, src.Home, convertBlock[S, D]),
		genruntime.ListTo(&dst.Phones, src.Phones, convertBlock[S, D]),
		genruntime.ObjectTo(&dst.Parent, src.Parent, convertNested[S, D]),
	)
}

// convertNested does not change the extras, which are stashed at the root only.
func convertNested[S, D ~string](src *spec[S], dst *spec[D]) error {
	err := convertSpec(src, dst)
	dst.Extras = src.Extras
	return err
}

func convertBlock[S, D ~string](src *block[S], dst *block[D]) error {
	*dst = block[D]{
		A: src.A, B: src.B, C: src.C, D: src.D, E: src.E,
		Mood: (*D)(unsafe.Pointer(src.Mood)), Count: src.Count, Limit: src.Limit, Ratio: src.Ratio, Enabled: src.Enabled,
		Tags: src.Tags, Left: src.Left, Right: src.Right, Leaves: src.Leaves,
	}
	return nil
}

func personSpoke() Spoke { return Version("v1", up, down).Ignore("Status.PropertyBag") }
