package shape

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/fingerprint"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// Shape describes the memory layout of a Go type that represents JSON: the offsets of the members
// of its objects, and which of them can contain property bags. It is made once for a type. Values
// are then read by address.
type Shape struct {
	Kind Kind
	Type reflect.Type
	size uintptr
	// Whole means that an opaque type is an integer of another size than an int64, or unsigned.
	Whole bool
	// Elem is the shape of the values of a pointer, a list or a map.
	Elem *Shape
	// Fields are the members of an object, sorted by name.
	Fields []Field
	// always counts the fields with Always.
	always int
	// Embedded are the structs that a hand-written type embeds by pointer.
	Embedded []embedding
	// InOrder are the indices of the fields in the order of the type.
	InOrder []int
	// Foreign marks a type whose JSON is determined by its own methods, or by tags that this
	// package does not read.
	Foreign bool
	// Additional is the map of the additional members of an open object; nil if the object is
	// closed.
	Additional *Field
	// Replaces is the tag that lists the bag entries which a write of an additional member
	// removes; nil for none.
	Replaces *string
	// bag is the offset of an object's property bag.
	bag    uintptr
	HasBag bool
	// CarriesBag reports whether a value can contain a property bag.
	CarriesBag bool
	// Carriers are the fields that can contain a bag, and last the additional members if they
	// can.
	Carriers []Field
	// entries is a pool of entries for reading maps of this shape.
	entries sync.Pool
}

// embedding is a struct that is embedded by a pointer at an offset.
type embedding struct {
	Shape  *Shape
	Offset uintptr
}

// Kind is the kind of a shape.
type Kind uint8

const (
	// Opaque is a type whose layout is not known, only its JSON.
	Opaque Kind = iota
	// Text is a string.
	Text
	// Integer is an int64.
	Integer
	// Number is a float64.
	Number
	// Bool is a bool.
	Bool
	// JSON is free JSON.
	JSON
	// Pointer is a pointer to an Elem.
	Pointer
	// List is a slice of Elem, but not of bytes.
	List
	// Map is a map from strings to Elem.
	Map
	// Object is a struct.
	Object
)

// Field is a member of an object.
type Field struct {
	Name string
	// Quoted is the name as JSON, with its colon.
	Quoted string
	Offset uintptr
	Shape  *Shape
	// Print is the fingerprint of the name.
	Print uint64
	// Default is the fingerprint of the default; zero for none.
	Default uint64
	// Keys are the members that identify an element of a list.
	Keys []string
	// Order is the position of the field among all fields of its type.
	Order int
	// Always means that the member is always written, and OmitEmpty that it is omitted if it is
	// empty.
	Always, OmitEmpty bool
	// OmitZero means that the member is omitted if it is zero.
	OmitZero bool
	// quotes means that a scalar is written as a string.
	quotes bool
	// IsPlain means that the member is no free JSON, is written also if it is empty, and has a name
	// that is not like that of a property bag.
	IsPlain bool
}

var shapes struct {
	known sync.Map // reflect.Type -> *Shape
	sync.Mutex
}

// Of returns the shape of a type. All calls for one type return the same shape.
func Of(t reflect.Type) *Shape {
	if s, ok := shapes.known.Load(t); ok {
		return s.(*Shape)
	}
	shapes.Lock()
	defer shapes.Unlock()
	m := shapeMaker{}
	s := m.shape(t)
	m.finish()
	for t, s := range m {
		shapes.known.LoadOrStore(t, s)
	}
	return s
}

// shapeMaker has the new shapes of one call of Of, which refer to each other.
type shapeMaker map[reflect.Type]*Shape

func (m shapeMaker) shape(t reflect.Type) *Shape {
	if s, ok := shapes.known.Load(t); ok {
		return s.(*Shape)
	}
	if s, ok := m[t]; ok {
		return s
	}
	s := &Shape{Type: t, size: t.Size(), Kind: kindOf(t)}
	m[t] = s
	switch s.Kind {
	case Pointer, List, Map:
		s.Elem = m.shape(t.Elem())
	case Object:
		m.addFields(s, t, 0)
		slices.SortFunc(s.Fields, func(a, b Field) int { return strings.Compare(a.Name, b.Name) })
		s.order()
	}
	s.Foreign = s.Foreign || isForeign(t, s.Kind)
	s.Whole = s.Kind == Opaque && isWhole(t)
	return s
}

// isWhole reports whether a type is an integer type without JSON methods.
func isWhole(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return reflect.Int <= t.Kind() && t.Kind() <= reflect.Uint64 && !p.Implements(marshaler) && !p.Implements(Unmarshaler) &&
		!p.Implements(textMarshaler) && !p.Implements(TextUnmarshaler)
}

// SetWhole sets the integer of a shape with Whole at p. It reports whether the type has the value.
func (s *Shape) SetWhole(p unsafe.Pointer, v int64) bool {
	at := reflect.NewAt(s.Type, p).Elem()
	switch {
	case at.CanInt():
		if at.OverflowInt(v) {
			return false
		}
		at.SetInt(v)
	case v < 0 || at.OverflowUint(uint64(v)):
		return false
	default:
		at.SetUint(uint64(v))
	}
	return true
}

// AppendWhole appends the integer of a shape with Whole at p.
func (s *Shape) AppendWhole(out []byte, p unsafe.Pointer) []byte {
	v := reflect.NewAt(s.Type, p).Elem()
	if v.CanInt() {
		return strconv.AppendInt(out, v.Int(), 10)
	}
	return strconv.AppendUint(out, v.Uint(), 10)
}

// HasWhole reports whether the integer type of a shape with Whole has a value.
func (s *Shape) HasWhole(v int64) bool {
	zero := reflect.Zero(s.Type)
	if zero.CanInt() {
		return !zero.OverflowInt(v)
	}
	return v >= 0 && !zero.OverflowUint(uint64(v))
}

// order sets the order of the fields. A type with two fields of one name is foreign.
func (s *Shape) order() {
	s.InOrder = make([]int, len(s.Fields))
	for i := range s.Fields {
		s.InOrder[i] = i
		s.Foreign = s.Foreign || i > 0 && s.Fields[i].Name == s.Fields[i-1].Name
	}
	slices.SortFunc(s.InOrder, func(a, b int) int { return s.Fields[a].Order - s.Fields[b].Order })
}

// isForeign reports whether a type has its own methods to read or write JSON. The methods of open
// objects, of free JSON and of rooted types do not count.
func isForeign(t reflect.Type, k Kind) bool {
	if _, open := additional(t); k == JSON || k == Opaque || open || t.Kind() == reflect.Pointer {
		return false
	}
	p := reflect.PointerTo(t)
	return !p.Implements(RootedType) && (p.Implements(marshaler) || p.Implements(Unmarshaler)) || p.Implements(TextUnmarshaler) || p.Implements(textMarshaler) ||
		k == Map && (reflect.PointerTo(t.Key()).Implements(TextUnmarshaler) || t.Key().Implements(textMarshaler))
}

func kindOf(t reflect.Type) Kind {
	switch {
	case t == reflect.TypeFor[runtime.JSON]():
		return JSON
	case t.Kind() == reflect.Pointer:
		return Pointer
	}
	_, open := additional(t)
	if p := reflect.PointerTo(t); !open && !p.Implements(RootedType) && p.Implements(marshaler) {
		return Opaque
	}
	switch t.Kind() {
	case reflect.String:
		return Text
	case reflect.Int64:
		return Integer
	case reflect.Float64:
		return Number
	case reflect.Bool:
		return Bool
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 {
			return List
		}
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			return Map
		}
	case reflect.Struct:
		return Object
	}
	return Opaque
}

// additional returns the field of an open object that has the additional members.
func additional(t reflect.Type) (reflect.StructField, bool) {
	if t.Kind() != reflect.Struct {
		return reflect.StructField{}, false
	}
	f, found := t.FieldByName("AdditionalProperties")
	return f, found && len(f.Index) == 1 && f.Type.Kind() == reflect.Map && f.Tag.Get("json") == "-"
}

func (m shapeMaker) addFields(s *Shape, t reflect.Type, offset uintptr) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Type == reflect.TypeFor[runtime.PropertyBag]():
			s.bag, s.HasBag = offset+f.Offset, true
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			m.addFields(s, f.Type, offset+f.Offset)
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Pointer && f.Type.Elem().Kind() == reflect.Struct:
			s.Embedded = append(s.Embedded, embedding{m.shape(f.Type.Elem()), offset + f.Offset})
		case !f.IsExported() || name == "-":
		default:
			s.Fields = append(s.Fields, m.field(f, name, offset))
			last := &s.Fields[len(s.Fields)-1]
			s.Foreign = s.Foreign || last.quotes
			if last.Order = len(s.Fields); last.Always {
				s.always++
			}
		}
	}
	if f, open := additional(t); open {
		more := m.field(f, "", offset)
		more.Name = ""
		s.Additional = &more
		if text, found := f.Tag.Lookup("replaces"); found {
			s.Replaces = &text
		}
	}
}

func (m shapeMaker) field(f reflect.StructField, name string, offset uintptr) Field {
	if name == "" {
		name = f.Name
	}
	made := Field{Name: name, Quoted: jsontext.QuotedName(name), Offset: offset + f.Offset, Shape: m.shape(f.Type), Print: fingerprint.OfText(fingerprint.NameSeed, name)}
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	made.quotes = slices.Contains(strings.Split(options, ","), "string")
	made.OmitEmpty = strings.Contains(options, "omitempty")
	made.OmitZero = strings.Contains(options, "omitzero")
	made.Always = !made.OmitEmpty && !made.OmitZero
	made.IsPlain = !made.OmitEmpty && made.Shape.Kind != JSON && !strings.HasPrefix(name, "$")
	for option := range strings.SplitSeq(f.Tag.Get("strata"), ";") {
		if keys, found := strings.CutPrefix(option, "key="); found {
			made.Keys = strings.Split(keys, ",")
		}
	}
	if preset, found := f.Tag.Lookup("default"); found {
		made.Default = fingerprint.OfJSON(runtime.JSON(preset))
	}
	return made
}

// finish determines which shapes carry property bags, once all of them are known.
func (m shapeMaker) finish() {
	for _, s := range m {
		s.CarriesBag = s.reachesBag(map[*Shape]bool{})
	}
	for _, s := range m {
		s.carry()
	}
}

// carry sets the fields that can contain a bag.
func (s *Shape) carry() {
	for _, f := range s.Fields {
		if f.Shape.CarriesBag {
			s.Carriers = append(s.Carriers, f)
		}
	}
	if s.Additional != nil && s.Additional.Shape.CarriesBag {
		s.Carriers = append(s.Carriers, *s.Additional)
	}
}

func (s *Shape) reachesBag(visited map[*Shape]bool) bool {
	if visited[s] {
		return false
	}
	visited[s] = true
	if s.HasBag || s.Elem != nil && s.Elem.reachesBag(visited) || s.Additional != nil && s.Additional.Shape.reachesBag(visited) {
		return true
	}
	return slices.ContainsFunc(s.Fields, func(f Field) bool { return f.Shape.reachesBag(visited) })
}
