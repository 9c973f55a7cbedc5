package conformance

import (
	"maps"
	"slices"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
)

// thing is a type with one property of every sort. Tests spoil its tags and conversions one at a
// time.
type thing struct {
	Name   *string             `json:"name,omitzero"`
	Size   *int64              `json:"size,omitzero"`
	Ratio  *float64            `json:"ratio,omitzero"`
	On     *bool               `json:"on,omitzero"`
	Inner  *inner              `json:"inner,omitzero"`
	Inners []inner             `json:"inners,omitzero"`
	ByName map[string]inner    `json:"byName,omitzero"`
	Tags   []string            `json:"tags,omitzero"`
	Notes  map[string]string   `json:"notes,omitzero"`
	Table  map[string][]string `json:"table,omitzero"`
	Free   runtime.JSON        `json:"free,omitzero"`
}

type inner struct {
	Label *string `json:"label,omitzero"`
	Next  *inner  `json:"next,omitzero"`
}

func (t *thing) DeepCopyInto(out *thing) {
	*out = thing{
		Name:   genruntime.Clone(t.Name),
		Size:   genruntime.Clone(t.Size),
		Ratio:  genruntime.Clone(t.Ratio),
		On:     genruntime.Clone(t.On),
		Inner:  genruntime.CopyObject(t.Inner),
		Inners: genruntime.CopyList(t.Inners),
		ByName: genruntime.CopyMap(t.ByName),
		Tags:   slices.Clone(t.Tags),
		Notes:  maps.Clone(t.Notes),
		Table:  genruntime.CloneMapFunc(t.Table, genruntime.CloneList),
		Free:   t.Free.DeepCopy(),
	}
}

func (n *inner) DeepCopyInto(out *inner) {
	*out = inner{Label: genruntime.Clone(n.Label), Next: genruntime.CopyObject(n.Next)}
}

func share[T any](dst *T, src T) error {
	*dst = src
	return nil
}

func upThing(src, dst *thing) error   { return share(dst, *src) }
func downThing(dst, src *thing) error { return share(dst, *src) }
