package shape

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// Described describes an object type as data.
type Described struct {
	Members []DescribedMember
	// Additional is the type of the additional members of an open object; empty if the object is
	// closed.
	Additional string
	// Replaces lists the bag entries that a write of an additional member removes; empty for none.
	Replaces string
}

// DescribedMember is a member of a described object. Default is JSON, and Keys are the members that
// identify the elements of a list.
//
// Type has a letter for each list (l) and map (m) around the value, outermost first. Then follows s
// for a string, i for an integer, n for a number, b for a boolean, j for free JSON, the index of a
// described object, or @ and the name of a type that the caller knows.
type DescribedMember struct {
	Name, Type string
	Keys       []string
	Default    string
}

// FromDescriptions returns the shapes of described objects. Each has a property bag. Shapes of the
// result serve JSON only: they have no Go type, and values cannot be read by their address. Known
// has the types whose names begin with @.
func FromDescriptions(all []Described, known map[string]*Shape) ([]*Shape, error) {
	m := describer{known: known}
	for range all {
		m.objects = append(m.objects, &Shape{Kind: Object, HasBag: true, CarriesBag: true})
	}
	for i, d := range all {
		if err := m.describe(m.objects[i], d); err != nil {
			return nil, fmt.Errorf("object %d: %w", i, err)
		}
	}
	for _, s := range m.objects {
		s.carry()
	}
	return m.objects, nil
}

// describer makes the shapes of described objects, which refer to each other.
type describer struct {
	objects []*Shape
	known   map[string]*Shape
}

func (m *describer) describe(s *Shape, d Described) error {
	for i, member := range d.Members {
		f, err := m.member(member)
		if err != nil {
			return fmt.Errorf("member %s: %w", member.Name, err)
		}
		f.Order = i + 1
		s.Fields = append(s.Fields, f)
	}
	slices.SortFunc(s.Fields, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
	s.order()
	if s.Foreign {
		return errors.New("two members have the same name")
	}
	if d.Additional == "" {
		return nil
	}
	elem, err := m.typed(d.Additional)
	if err != nil {
		return fmt.Errorf("additional members: %w", err)
	}
	s.Additional = &Field{Shape: &Shape{Kind: Map, Elem: elem, CarriesBag: elem.CarriesBag}, OmitZero: true}
	if d.Replaces != "" {
		s.Replaces = &d.Replaces
	}
	return nil
}

func (m *describer) member(d DescribedMember) (Field, error) {
	if d.Name == "" {
		return Field{}, errors.New("it has no name")
	}
	s, err := m.typed(d.Type)
	if err != nil {
		return Field{}, err
	}
	f := Field{Name: d.Name, Quoted: jsontext.QuotedName(d.Name), Shape: s, Print: fingerprint.OfText(fingerprint.NameSeed, d.Name), Keys: d.Keys, OmitZero: true}
	f.IsPlain = s.Kind != JSON && !strings.HasPrefix(d.Name, "$")
	if d.Default != "" {
		if !jsontext.IsValid([]byte(d.Default)) {
			return Field{}, errors.New("its default is not JSON")
		}
		f.Default = fingerprint.OfJSON(runtime.JSON(d.Default))
	}
	return f, nil
}

var scalars = map[string]Kind{"s": Text, "i": Integer, "n": Number, "b": Bool}

// typed returns the shape of a type. Objects and scalars are behind pointers, as in generated
// types.
func (m *describer) typed(text string) (*Shape, error) {
	rest := strings.TrimLeft(text, "lm")
	var s *Shape
	kind, isScalar := scalars[rest]
	switch {
	case rest == "j":
		s = &Shape{Kind: JSON}
	case isScalar:
		s = &Shape{Kind: Pointer, Elem: &Shape{Kind: kind}}
	case strings.HasPrefix(rest, "@"):
		s = m.known[rest[1:]]
	default:
		if i, err := strconv.ParseUint(rest, 10, 31); err == nil && i < uint64(len(m.objects)) {
			s = &Shape{Kind: Pointer, Elem: m.objects[i], CarriesBag: true}
		}
	}
	if s == nil {
		return nil, fmt.Errorf("there is no type %q", text)
	}
	for i := len(text) - len(rest) - 1; i >= 0; i-- {
		outer := &Shape{Kind: List, Elem: s, CarriesBag: s.CarriesBag}
		if text[i] == 'm' {
			outer.Kind = Map
		}
		s = outer
	}
	return s, nil
}
