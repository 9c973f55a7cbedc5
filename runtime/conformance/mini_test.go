package conformance

import (
	"errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
)

// A kind in three versions, as strata generates it, written by hand: v1 -> v2 -> v3, the hub. The
// note is away in v2 and back in v3; no later version has the color of v1; the title is the heading
// of v3; parts gained a weight in v2 and a maker in v3. Tests plant faults.

// fault is the fault that a test has planted in the conversions.
var fault string

type mini[S, T any] struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   *S `json:"spec,omitzero"`
	Status *T `json:"status,omitzero"`
}

// unembedded is a storage type that no cluster persists.
type unembedded[S, T any] struct {
	APIVersion string            `json:"apiVersion,omitzero"`
	Kind       string            `json:"kind,omitzero"`
	ObjectMeta metav1.ObjectMeta `json:"metadata,omitzero"`
	Spec       *S                `json:"spec,omitzero"`
	Status     *T                `json:"status,omitzero"`
}

type (
	mini1 mini[spec1, miniStatus]
	mini2 mini[spec2, miniStatus]
	mini3 mini[spec3, miniStatus]

	stored1 = unembedded[storedSpec1, storedStatus]
	stored2 = unembedded[storedSpec2, storedStatus]
	stored3 = mini[storedSpec3, storedStatus]
)

type miniHub interface{ isMiniHub() }

func (*mini[S, T]) isMiniHub() {}

type miniStatus struct {
	Phase       *string `json:"phase,omitzero"`
	PropertyBag *string `json:"propertyBag,omitzero"`
}

type storedStatus struct {
	Phase       *string             `json:"phase,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

type spec1 struct {
	Title *string          `json:"title,omitzero"`
	Note  *string          `json:"note,omitzero"`
	Mood  *mood            `json:"mood,omitzero"`
	Parts []part1          `json:"parts,omitzero"`
	ByKey map[string]part1 `json:"byKey,omitzero"`
	Main  *part1           `json:"main,omitzero"`
	Tags  []string         `json:"tags,omitzero"`
}

type part1 struct {
	Name  *string `json:"name,omitzero"`
	Color *string `json:"color,omitzero"`
	Size  *int64  `json:"size,omitzero"`
	Subs  []part1 `json:"subs,omitzero"`
}

type storedSpec1 struct {
	Title           *string                `json:"title,omitzero"`
	Note            *string                `json:"note,omitzero"`
	Mood            *string                `json:"mood,omitzero"`
	Parts           []storedPart1          `json:"parts,omitzero"`
	ByKey           map[string]storedPart1 `json:"byKey,omitzero"`
	Main            *storedPart1           `json:"main,omitzero"`
	Tags            []string               `json:"tags,omitzero"`
	OriginalVersion string                 `json:"originalVersion,omitzero"`
	PropertyBag     runtime.PropertyBag    `json:"$propertyBag,omitzero"`
}

type storedPart1 struct {
	Name        *string             `json:"name,omitzero"`
	Color       *string             `json:"color,omitzero"`
	Size        *int64              `json:"size,omitzero"`
	Subs        []storedPart1       `json:"subs,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

type spec2 struct {
	Title *string          `json:"title,omitzero"`
	Mood  *string          `json:"mood,omitzero"`
	Parts []part2          `json:"parts,omitzero"`
	ByKey map[string]part2 `json:"byKey,omitzero"`
	Main  *part2           `json:"main,omitzero"`
	Tags  []string         `json:"tags,omitzero"`
	Free  runtime.JSON     `json:"free,omitzero"`
}

type part2 struct {
	Name   *string  `json:"name,omitzero"`
	Size   *int64   `json:"size,omitzero"`
	Weight *float64 `json:"weight,omitzero"`
	Subs   []part2  `json:"subs,omitzero"`
}

type storedSpec2 struct {
	Title           *string                `json:"title,omitzero"`
	Mood            *string                `json:"mood,omitzero"`
	Parts           []storedPart2          `json:"parts,omitzero"`
	ByKey           map[string]storedPart2 `json:"byKey,omitzero"`
	Main            *storedPart2           `json:"main,omitzero"`
	Tags            []string               `json:"tags,omitzero"`
	Free            runtime.JSON           `json:"free,omitzero"`
	OriginalVersion string                 `json:"originalVersion,omitzero"`
	PropertyBag     runtime.PropertyBag    `json:"$propertyBag,omitzero"`
}

type storedPart2 struct {
	Name        *string             `json:"name,omitzero"`
	Size        *int64              `json:"size,omitzero"`
	Weight      *float64            `json:"weight,omitzero"`
	Subs        []storedPart2       `json:"subs,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

type spec3 struct {
	Heading *string          `json:"heading,omitzero"`
	Note    *string          `json:"note,omitzero"`
	Mood    *string          `json:"mood,omitzero"`
	Parts   []part3          `json:"parts,omitzero"`
	ByKey   map[string]part3 `json:"byKey,omitzero"`
	Main    *part3           `json:"main,omitzero"`
	Tags    []string         `json:"tags,omitzero"`
	Free    runtime.JSON     `json:"free,omitzero"`
}

type part3 struct {
	Name   *string  `json:"name,omitzero"`
	Size   *int64   `json:"size,omitzero"`
	Weight *float64 `json:"weight,omitzero"`
	Maker  *part3   `json:"maker,omitzero"`
	Subs   []part3  `json:"subs,omitzero"`
}

type storedSpec3 struct {
	Heading         *string                `json:"heading,omitzero"`
	Note            *string                `json:"note,omitzero"`
	Mood            *string                `json:"mood,omitzero"`
	Parts           []storedPart3          `json:"parts,omitzero"`
	ByKey           map[string]storedPart3 `json:"byKey,omitzero"`
	Main            *storedPart3           `json:"main,omitzero"`
	Tags            []string               `json:"tags,omitzero"`
	Free            runtime.JSON           `json:"free,omitzero"`
	OriginalVersion string                 `json:"originalVersion,omitzero"`
	PropertyBag     runtime.PropertyBag    `json:"$propertyBag,omitzero"`
}

type storedPart3 struct {
	Name        *string             `json:"name,omitzero"`
	Size        *int64              `json:"size,omitzero"`
	Weight      *float64            `json:"weight,omitzero"`
	Maker       *storedPart3        `json:"maker,omitzero"`
	Subs        []storedPart3       `json:"subs,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

func (*mini1) OriginalGVK() *schema.GroupVersionKind { return gvk("v1") }
func (*mini2) OriginalGVK() *schema.GroupVersionKind { return gvk("v2") }
func (*mini3) OriginalGVK() *schema.GroupVersionKind { return gvk("v3") }

func gvk(version string) *schema.GroupVersionKind {
	return &schema.GroupVersionKind{Group: "crm.example.com", Version: version, Kind: "Mini"}
}

func (m *mini1) StatusBag() *string       { return bagOf(m.Status) }
func (m *mini2) StatusBag() *string       { return bagOf(m.Status) }
func (m *mini3) StatusBag() *string       { return bagOf(m.Status) }
func (m *mini1) SetStatusBag(bag *string) { setBag(&m.Status, bag) }
func (m *mini2) SetStatusBag(bag *string) { setBag(&m.Status, bag) }
func (m *mini3) SetStatusBag(bag *string) { setBag(&m.Status, bag) }

func bagOf(status *miniStatus) *string {
	if status == nil {
		return nil
	}
	return status.PropertyBag
}

func setBag(status **miniStatus, bag *string) {
	if *status == nil && bag != nil {
		*status = new(miniStatus)
	}
	if *status != nil {
		(*status).PropertyBag = bag
	}
}

// Unexpressed returns the paths that the original version lacks.
func (m *mini[S, T]) Unexpressed() []string {
	if _, is := any(m).(*stored3); is {
		return genruntime.Unexpressed(m.Spec, miniExpressions)
	}
	return genruntime.Unexpressed(m.Spec, openExpressions)
}

func init() {
	genruntime.RegisterDerived("v1", func(src *storedSpec1, dst *storedSpec3) error {
		if fault == "derived values count as missing" {
			return errors.New("nothing is known of what is derived")
		}
		var s2 storedSpec2
		return genruntime.FirstError(spec12(src, &s2), spec23(&s2, dst))
	}, func(src *storedSpec3, dst *storedSpec1) error {
		var s2 storedSpec2
		return genruntime.FirstError(spec32(src, &s2), spec21(&s2, dst))
	})
}

var miniExpressions = genruntime.Expressions{
	Versions: []genruntime.Expression{
		{Version: "v1", Lacks: 1},
		{Version: "v2", Lacks: 3},
		{Version: "v3", Hub: true},
	},
	Lists: genruntime.Lists{
		{{Name: "parts", List: 2}, {Name: "byKey", List: 2}, {Name: "main", List: 2}, {Name: "free"}},
		{{Name: "weight"}, {Name: "maker"}, {Key: "color"}, {Name: "subs", List: 2}},
		{{Name: "note"}, {Name: "parts", List: 4}, {Name: "byKey", List: 4}, {Name: "main", List: 4}},
		{{Name: "maker"}, {Name: "subs", List: 4}},
	},
}
