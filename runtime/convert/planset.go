package convert

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/declared"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/operation"
	"github.com/stratakube/strata/runtime/internal/preserve"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// planFormat is the newest format of plan files that [ReadPlans] reads. It reads all older ones.
const planFormat = 1

// PlanSet has the plans of one API group as data. It needs no generated code, so that a program can
// convert objects of any version for which it has the file.
type PlanSet struct {
	group string
	kinds []PlannedKind
	ends  map[schema.GroupVersionKind]*ends
	// outlines has the versions with hand-written steps.
	outlines map[schema.GroupVersionKind]*ends
}

// PlannedKind is a kind of a [PlanSet].
type PlannedKind struct {
	Kind, Plural string
	Versions     []PlannedVersion // from the oldest to the newest
}

// PlannedVersion is an API version of a kind. Without a plan, a hand-written step takes part in its
// conversions.
type PlannedVersion struct {
	Name    string
	HasPlan bool
}

// planFile is the content of a plan file.
type planFile struct {
	Format  int               `json:"format"`
	Group   string            `json:"group"`
	Objects []describedObject `json:"objects"`
	Kinds   []describedKind   `json:"kinds"`
}

type describedObject struct {
	Members    []describedMember `json:"members"`
	Additional string            `json:"additional"`
	Replaces   string            `json:"replaces"`
}

type describedMember struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Keys    []string `json:"keys"`
	Default string   `json:"default"`
}

type describedKind struct {
	Kind     string             `json:"kind"`
	Plural   string             `json:"plural"`
	Hub      string             `json:"hub"`
	Spec     int                `json:"spec"`
	Status   int                `json:"status"`
	Versions []describedVersion `json:"versions"`
}

type describedVersion struct {
	Name       string         `json:"name"`
	Spec       int            `json:"spec"`
	Status     int            `json:"status"`
	AtRoot     bool           `json:"atRoot"`
	Annotation bool           `json:"annotation"`
	Replicas   string         `json:"replicas"`
	Plan       *describedPlan `json:"plan"`
	Outline    *describedPlan `json:"outline"`
}

type describedPlan struct {
	Steps     [][]describedMove   `json:"steps"`
	Status    int                 `json:"status"`
	Stored    []describedStored   `json:"stored"`
	Changes   []describedChange   `json:"changes"`
	Sequences []describedSequence `json:"sequences"`
}

type describedMove struct {
	Far    string         `json:"far"`
	Near   string         `json:"near"`
	Step   int            `json:"step"`
	Up     []describedKey `json:"up"`
	Down   []describedKey `json:"down"`
	Values []string       `json:"values"`
}

type describedKey struct {
	Name    string `json:"name"`
	Written bool   `json:"written"`
	Steps   []int  `json:"steps"`
}

type describedStored struct {
	Step   int `json:"step"`
	Object int `json:"object"`
}

type describedSequence struct {
	Step    int   `json:"step"`
	Parts   []int `json:"parts"`
	Between []int `json:"between"`
}

type describedChange struct {
	Step  int                `json:"step"`
	Moves bool               `json:"moves"`
	ID    string             `json:"id"`
	Far   describedEnd       `json:"far"`
	Near  describedEnd       `json:"near"`
	To    describedOperation `json:"to"`
	From  describedOperation `json:"from"`
}

type describedEnd struct {
	Path    []string `json:"path"`
	Objects []string `json:"objects"`
	Key     string   `json:"key"`
	Within  []string `json:"within"`
}

type describedOperation struct {
	Kind  string   `json:"kind"`
	Text  string   `json:"text"`
	By    int64    `json:"by"`
	Over  int64    `json:"over"`
	Pairs []string `json:"pairs"`
}

// addedTypes returns the types of the members that Strata adds to objects.
func addedTypes() map[string]*shape.Shape {
	return map[string]*shape.Shape{
		"text":          {Kind: shape.Pointer, Elem: &shape.Shape{Kind: shape.Text}},
		"label":         {Kind: shape.Text},
		"owner":         shape.Of(reflect.TypeFor[*runtime.Owner]()),
		"secretRefs":    shape.Of(reflect.TypeFor[[]runtime.SecretRef]()),
		"configMapRefs": shape.Of(reflect.TypeFor[[]runtime.ConfigMapRef]()),
		"outputs":       shape.Of(reflect.TypeFor[*runtime.Outputs]()),
		"conditions":    shape.Of(reflect.TypeFor[[]metav1.Condition]()),
	}
}

// ReadPlans reads a plan file, which strata generate writes for each API group. It returns an error
// for a text that is not a plan file, or one of a later format.
func ReadPlans(text []byte) (*PlanSet, error) {
	if !jsontext.IsValid(text) {
		return nil, errors.New("the file is not JSON")
	}
	var head struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(text, &head); err != nil || head.Format < 1 {
		return nil, errors.New("the file has no plans: it lacks a format")
	}
	if head.Format > planFormat {
		return nil, fmt.Errorf("the file has format %d, but this program reads up to format %d: use a later program", head.Format, planFormat)
	}
	var file planFile
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("the file has no plans: %w", err)
	}
	return file.plans()
}

func (f *planFile) plans() (*PlanSet, error) {
	var all []shape.Described
	for _, o := range f.Objects {
		d := shape.Described{Additional: o.Additional, Replaces: o.Replaces}
		for _, m := range o.Members {
			d.Members = append(d.Members, shape.DescribedMember(m))
		}
		all = append(all, d)
	}
	objects, err := shape.FromDescriptions(all, addedTypes())
	if err != nil {
		return nil, err
	}
	out := &PlanSet{group: f.Group, ends: map[schema.GroupVersionKind]*ends{}, outlines: map[schema.GroupVersionKind]*ends{}}
	for _, k := range f.Kinds {
		kind := PlannedKind{Kind: k.Kind, Plural: k.Plural}
		for _, v := range k.Versions {
			kind.Versions = append(kind.Versions, PlannedVersion{v.Name, v.Plan != nil})
			of := schema.GroupVersionKind{Group: f.Group, Version: v.Name, Kind: k.Kind}
			switch {
			case v.Plan != nil:
				out.ends[of], err = v.ends(v.Plan, of, &k, objects)
			case v.Outline != nil:
				out.outlines[of], err = v.ends(v.Outline, of, &k, objects)
			}
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", k.Kind, v.Name, err)
			}
		}
		out.kinds = append(out.kinds, kind)
	}
	return out, nil
}

var errNoObject = errors.New("it refers to an object that the file lacks")

// chosen returns the shapes with the given indices.
func chosen(objects []*shape.Shape, indices ...int) ([]*shape.Shape, error) {
	var out []*shape.Shape
	for _, i := range indices {
		if i < 0 || i >= len(objects) {
			return nil, errNoObject
		}
		out = append(out, objects[i])
	}
	return out, nil
}

// ends returns the shapes and steps of a version with a plan, which is its plan or its outline.
func (v *describedVersion) ends(described *describedPlan, of schema.GroupVersionKind, k *describedKind, objects []*shape.Shape) (*ends, error) {
	roots, err := chosen(objects, v.Spec, v.Status, k.Spec, k.Status)
	if err != nil {
		return nil, err
	}
	plan, err := described.plan()
	if err != nil {
		return nil, err
	}
	out := &ends{
		kind: of, hubVersion: schema.GroupVersion{Group: of.Group, Version: k.Hub}.String(), annotation: v.Annotation, atRoot: v.AtRoot,
		program: preserve.ProgramFor(of, roots[0], roots[1], v.Replicas), ownSpec: roots[0], ownStatus: roots[1], itsSpec: roots[2], itsStatus: roots[3],
		steps: plan.steps(), statusStep: plan.StatusStep, stored: map[int]*shape.Shape{}, changes: plan.Changes,
	}
	for _, s := range described.Stored {
		at, err := chosen(objects, s.Object)
		if err != nil {
			return nil, err
		}
		out.stored[s.Step] = at[0]
	}
	for _, s := range described.Sequences {
		between, err := chosen(objects, s.Between...)
		if err != nil {
			return nil, err
		}
		out.sequences = append(out.sequences, shapedSequence{s.Step, s.Parts, between})
	}
	return out, nil
}

// plan returns the steps and changes as a [Plan] without types, which it checks.
func (d *describedPlan) plan() (Plan, error) {
	p := Plan{StatusStep: d.Status}
	for _, moves := range d.Steps {
		var step Step
		for _, m := range moves {
			move := Move{Far: m.Far, Near: m.Near, Step: m.Step, Up: keysOf(m.Up), Down: keysOf(m.Down), Values: m.Values}
			if m.Far == m.Near {
				move.Name, move.Far, move.Near = m.Far, "", ""
			}
			step = append(step, move)
		}
		p.Steps = append(p.Steps, step)
	}
	for _, s := range d.Sequences {
		p.Sequences = append(p.Sequences, Sequence{Step: s.Step, Parts: s.Parts, Between: make([]any, len(s.Between))})
	}
	for _, c := range d.Changes {
		to, err := c.To.operation()
		from, inverse := c.From.operation()
		if err = errors.Join(err, inverse); err != nil {
			return Plan{}, err
		}
		p.Changes = append(p.Changes, Change{c.Step, c.Moves, declared.Moved{ID: c.ID, Far: declared.MovedEnd(c.Far), Near: declared.MovedEnd(c.Near), To: to, From: from}})
	}
	return p, p.check()
}

func keysOf(all []describedKey) []Key {
	var out []Key
	for _, k := range all {
		out = append(out, Key(k))
	}
	return out
}

func (d *describedOperation) operation() (operation.Operation, error) {
	switch d.Kind {
	case "unchanged":
		return operation.Unchanged, nil
	case "plural":
		return operation.Plural, nil
	case "singular":
		return operation.Singular, nil
	case "wrap":
		return operation.Wrap(d.Text), nil
	case "unwrap":
		return operation.Unwrap(d.Text), nil
	case "split":
		return operation.Split(d.Text), nil
	case "join":
		return operation.Join(d.Text), nil
	case "key":
		return operation.Key(d.Text), nil
	case "list":
		return operation.List(d.Text), nil
	case "rename":
		return operation.Rename(d.Pairs...), nil
	}
	if d.By <= 0 || d.Over <= 0 {
		return operation.Operation{}, fmt.Errorf("there is no operation %q", d.Kind)
	}
	switch d.Kind {
	case "scale":
		return operation.Scale(d.By, d.Over), nil
	case "scaleWhole":
		return operation.ScaleWhole(d.By, d.Over), nil
	}
	return operation.Operation{}, fmt.Errorf("there is no operation %q", d.Kind)
}

// Group returns the API group of the plans.
func (s *PlanSet) Group() string { return s.group }

// Kinds returns the kinds of the group, in the order of the file.
func (s *PlanSet) Kinds() []PlannedKind { return slices.Clone(s.kinds) }

// Converter returns the converter of a kind between two API versions. It returns nil if they are
// the same, or if one of them has no plan.
func (s *PlanSet) Converter(kind, from, to string) *Converter {
	up, down := s.ends[schema.GroupVersionKind{Group: s.group, Version: from, Kind: kind}], s.ends[schema.GroupVersionKind{Group: s.group, Version: to, Kind: kind}]
	if up == nil || down == nil || from == to {
		return nil
	}
	return &Converter{directions: []*direction{up.direction(true), down.direction(false)}}
}

// Tracer returns what traces the values of a kind between two API versions. Beside those with a
// [Converter] it knows versions whose conversions have hand-written steps, and ignores these steps.
// It returns nil if the versions are the same, or if the file has nothing about one of them.
func (s *PlanSet) Tracer(kind, from, to string) *Tracer {
	up, down := s.outline(kind, from), s.outline(kind, to)
	if up == nil || down == nil || from == to {
		return nil
	}
	return &Tracer{directions: []*direction{up.direction(true), down.direction(false)}}
}

func (s *PlanSet) outline(kind, version string) *ends {
	of := schema.GroupVersionKind{Group: s.group, Version: version, Kind: kind}
	return cmp.Or(s.ends[of], s.outlines[of])
}
