package ownership

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// MaxBytes is the maximum size of a file of histories.
const MaxBytes = 64 << 20

// format is the number of the format that Read accepts.
const format = 1

// Kind has the property histories of a kind. It is safe for concurrent use.
type Kind struct {
	Group, Kind, Plural string

	versions []version
	indices  map[string]int // of versions and of their storage versions
	objects  []object
	spec     int
	status   int
	longest  int // the longest path of a conversion
}

// version is a version of the kind. AtRoot means that the members of the spec are at the root of
// objects.
type version struct {
	Name    string `json:"name"`
	Storage string `json:"storage"`
	Next    int    `json:"next"`
	AtRoot  bool   `json:"atRoot"`
}

// object is an object at one place of the kind, in all versions.
type object struct {
	Properties  [][]span     `json:"properties"`
	Conversions []conversion `json:"conversions"`
	Steps       []pair       `json:"steps"`

	byName map[string][]reference
}

// reference is the span of a property, whose index it has.
type reference struct {
	property int
	span     *span
}

// span is a property in the versions From to To. Form is equal where values are copied. Levels has
// a letter for each list (l; s for a set; k for one with Keys) and map (m; a for an atomic one) and
// last for an object (o; x for an atomic one), from the outside to the inside.
type span struct {
	From   int      `json:"from"`
	To     int      `json:"to"`
	Name   string   `json:"name"`
	Form   int      `json:"form"`
	Levels string   `json:"levels"`
	Object *int     `json:"object"`
	Keys   []string `json:"keys"`
}

// pair is a version and its neighbour towards the hub.
type pair struct {
	Far  int `json:"far"`
	Near int `json:"near"`
}

// conversion states that the value of one property becomes that of another. Of and To are the
// indices of properties on the paths to them, in the far and in the near version.
type conversion struct {
	pair
	Of []int `json:"of"`
	To []int `json:"to"`
}

// further is the name of the property that stands for members which no schema names.
const further = "*"

// Read reads a file of property histories. It refuses what strata does not write.
func Read(data []byte) (*Kind, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("the histories have %d bytes; the limit is %d", len(data), MaxBytes)
	}
	var in struct {
		Format   int       `json:"format"`
		Group    string    `json:"group"`
		Kind     string    `json:"kind"`
		Plural   string    `json:"plural"`
		Spec     int       `json:"spec"`
		Status   int       `json:"status"`
		Versions []version `json:"versions"`
		Objects  []object  `json:"objects"`
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return nil, fmt.Errorf("read histories: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("read histories: text follows the JSON object")
	}
	if in.Format != format {
		return nil, fmt.Errorf("the histories have the format %d, and this program reads %d: use the strata of the same release", in.Format, format)
	}
	k := &Kind{Group: in.Group, Kind: in.Kind, Plural: in.Plural, versions: in.Versions, objects: in.Objects, spec: in.Spec, status: in.Status, indices: map[string]int{}}
	if err := k.check(); err != nil {
		return nil, fmt.Errorf("the histories of %s.%s are damaged: %w", in.Plural, in.Group, err)
	}
	k.index()
	return k, nil
}

// Versions returns the API versions, in version order.
func (k *Kind) Versions() []string {
	var out []string
	for _, v := range k.versions {
		out = append(out, v.Name)
	}
	return out
}

// Has reports whether the histories have a version, or a storage version, of that name.
func (k *Kind) Has(version string) bool {
	_, known := k.indices[version]
	return known
}

// check reports the first index that leads nowhere.
func (k *Kind) check() error {
	if err := errors.Join(k.checkNames(), k.checkHub()); err != nil {
		return err
	}
	if !within(k.spec, len(k.objects)) || !within(k.status, len(k.objects)) {
		return errors.New("the spec or the status is missing")
	}
	for i := range k.objects {
		if err := k.objects[i].check(len(k.versions), len(k.objects)); err != nil {
			return fmt.Errorf("object %d: %w", i, err)
		}
	}
	return nil
}

// checkNames reports the first version whose name is another's.
func (k *Kind) checkNames() error {
	known := map[string]bool{}
	for i, v := range k.versions {
		if v.Name == "" || known[v.Name] || known[v.Storage] {
			return fmt.Errorf("version %d has no name of its own", i)
		}
		known[v.Name], known[v.Storage] = true, v.Storage != ""
	}
	return nil
}

// checkHub reports a version from which the links do not lead to the one hub. It visits each
// version once.
func (k *Kind) checkHub() error {
	before := make([][]int, len(k.versions)) // the versions whose neighbour towards the hub it is
	var found []int
	for i, v := range k.versions {
		switch {
		case !within(v.Next, len(k.versions)):
			return fmt.Errorf("version %d is not linked to a hub", i)
		case v.Next == i:
			found = append(found, i)
		default:
			before[v.Next] = append(before[v.Next], i)
		}
	}
	if len(found) > 1 {
		return fmt.Errorf("version %d is a second hub", found[1])
	}
	for i := 0; i < len(found); i++ {
		found = append(found, before[found[i]]...)
	}
	if len(found) < len(k.versions) {
		return errors.New("the links of versions do not lead to a hub")
	}
	return nil
}

func (o *object) check(versions, objects int) error {
	for i, p := range o.Properties {
		last := -1
		for _, s := range p {
			if s.From <= last || s.To < s.From || s.To >= versions || !s.hasType(objects) {
				return fmt.Errorf("property %d is not valid", i)
			}
			last = s.To
		}
	}
	pairs := slices.Clone(o.Steps)
	for _, c := range o.Conversions {
		if len(c.Of) == 0 || len(c.To) == 0 {
			return errors.New("a conversion is empty")
		}
		pairs = append(pairs, c.pair)
	}
	for _, p := range pairs {
		if !within(p.Far, versions) || !within(p.Near, versions) {
			return errors.New("a step has no version")
		}
	}
	return nil
}

// hasType reports whether the levels of a property are those of a type.
func (s *span) hasType(objects int) bool {
	inner := strings.TrimRight(s.Levels, "ox")
	switch {
	case s.Object != nil && !within(*s.Object, objects):
		return false
	case strings.Trim(inner, "lskma") != "" || len(s.Levels)-len(inner) > 1 || inner != s.Levels && s.Object == nil:
		return false
	}
	return s.Name != further || inner != ""
}

func within(i, n int) bool { return i >= 0 && i < n }

// toHub returns the versions from a version to the hub.
func (k *Kind) toHub(i int) []int {
	out := []int{i}
	for k.versions[i].Next != i {
		i = k.versions[i].Next
		out = append(out, i)
	}
	return out
}

// route returns the versions from one to another, through the hub. All conversions take it: what
// they derive on the way to the hub shows in versions that lie before it.
func (k *Kind) route(from, to int) []int {
	b := k.toHub(to)
	slices.Reverse(b)
	return append(k.toHub(from), b[1:]...)
}

func (k *Kind) index() {
	for i, v := range k.versions {
		k.indices[v.Name] = i
		if v.Storage != "" {
			k.indices[v.Storage] = i
		}
	}
	for i := range k.objects {
		o := &k.objects[i]
		o.byName = map[string][]reference{}
		for _, c := range o.Conversions {
			k.longest = max(k.longest, len(c.Of), len(c.To))
		}
		for p, spans := range o.Properties {
			for s := range spans {
				o.byName[spans[s].Name] = append(o.byName[spans[s].Name], reference{p, &spans[s]})
			}
		}
	}
}

// named returns the property of a name in a version; nil if there is none.
func (o *object) named(name string, version int) (int, *span) {
	for _, r := range o.byName[name] {
		if r.span.From <= version && version <= r.span.To {
			return r.property, r.span
		}
	}
	return -1, nil
}

// at returns a property in a version; nil if the version lacks it.
func (o *object) at(property, version int) *span {
	if !within(property, len(o.Properties)) {
		return nil
	}
	for i := range o.Properties[property] {
		if s := &o.Properties[property][i]; s.From <= version && version <= s.To {
			return s
		}
	}
	return nil
}
