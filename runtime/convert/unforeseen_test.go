package convert

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/label"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// unforeseen are specs that no schema describes, and the specs that are read back if they differ.
var unforeseen = []struct{ reason, spec, back string }{
	{"no name, a value of the wrong type", `{"open":{"":1}}`, ""},
	{"no name, in objects and lists", `{"parts":[{"":1}],"open":{"":{"color":"c"},"x":1}}`, `{"parts":[{}],"open":{"":{"color":"c"},"x":1}}`},
	{"the whole object is of the wrong type", `{"open":1,"any":[],"main":"x"}`, ""},
	{"a property bag", `{"any":{"$propertyBag":{"k":1}}}`, ""},
	{"a property bag that is none", `{"any":{"$propertyBag":1,"x":2}}`, ""},
	{"names of property bags", `{"any":{"$propertyBag":{},"$$propertyBag":"s","$$$propertyBag":[1]}}`, ""},
	{"the property that is called so, of the wrong type", `{"any":{"$$propertyBag":1,"$propertyBag":2}}`, ""},
	{"a forged raw value", `{"any":{"$propertyBag":{"$$propertyBag@v20140404!raw":1,"@v20140404!raw":2}}}`, ""},
	{"a forged raw value of typed members", `{"open":{"$propertyBag":{"color":"c"},"known@v20140404!raw":{"weight":1},"@v20140404!raw":{}}}`, ""},
	{"names of keys, values of the wrong type", `{"open":{"known@v20140404!raw":1,"@v20140404!raw":2,"@":3,"$propertyBag":4,"known":5}}`, ""},
	{"null is a value in free JSON only", `{"free":null,"size":null,"any":{"free":null,"x":null,"$$propertyBag":null}}`, `{"any":{"x":null}}`},
	{"null in free JSON", `{"free":{"a":null,"b":[null]},"any":{"x":[null]}}`, ""},
	{"null among typed members", `{"open":{"x":null,"y":{"color":null}},"spares":{"a":null},"parts":[null]}`, `{"open":{"y":{}},"spares":{},"parts":[null]}`},
	{"a prototype", `{"any":{"__proto__":{"x":1}},"open":{"__proto__":{"color":"c"}},"tags":{"__proto__":"p"}}`, ""},
	{"halves of characters", `{"any":{"a":"\ud800"},"tags":{"k":"\ud83d\udd11"}}`, ""},
}

func TestUnforeseenJSON(t *testing.T) {
	for _, test := range unforeseen {
		back := test.back
		if back == "" {
			back = test.spec
		}
		comesBack(t, test.reason, test.spec, back)
	}
	for _, name := range fixtures.OddNames {
		quoted := string(jsontext.AppendText(nil, name))
		for _, value := range []string{`1`, `"s"`, `{}`, `{"color":"c"}`, `[{"color":1}]`, `true`} {
			spec := `{"any":{` + quoted + `:` + value + `,"x":1},"tags":{` + quoted + `:"t"},"open":{"x":{"color":"d"},` + quoted + `:` + value + `},"spares":{` + quoted + `:` + value + `}}`
			comesBack(t, name, spec, spec)
		}
	}
}

func TestAnyJSONComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := jsonDrawer{t}
		spec := d.value(shape.Of(reflect.TypeFor[fixtures.GadgetSpec]()), 6)
		data, err := json.Marshal(spec)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := json.Marshal(remaining(shape.Of(reflect.TypeFor[fixtures.GadgetSpec]()), spec))
		comesBack(t, "drawn", string(data), string(want))
	})
}

func FuzzUnforeseenJSON(f *testing.F) {
	for _, test := range unforeseen {
		f.Add(test.spec)
	}
	for _, name := range fixtures.OddNames {
		f.Add(`{"any":{` + string(jsontext.AppendText(nil, name)) + `:{"$propertyBag":1}},"open":{` + string(jsontext.AppendText(nil, name)) + `:0}}`)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		value, err := jsontext.Parse([]byte(spec))
		if object, ok := value.(map[string]any); err != nil || !jsontext.IsValid([]byte(spec)) || !ok || hasTwiceIn([]byte(spec)) {
			return
		} else if _, ours := object["originalVersion"]; ours {
			return
		}
		want, err := json.Marshal(remaining(shape.Of(reflect.TypeFor[fixtures.GadgetSpec]()), value))
		if err != nil {
			return
		}
		comesBack(t, "fuzzed", spec, string(want))
	})
}

// hasTwiceIn reports whether JSON is written otherwise once it was parsed: an object has two
// members of one name, or a text is not UTF-8 or has escapes.
func hasTwiceIn(data []byte) bool {
	value, err := jsontext.Parse(data)
	if err != nil {
		return true
	}
	again, err := jsontext.Marshal(value)
	return err != nil || len(again) != len(jsontext.AppendCompact(nil, data)) || strings.Contains(string(data), `\u`)
}

// comesBack converts a spec up and down, and fails unless the result is want. It also fails if
// converting the result up again gives another stored object, or if the two engines disagree in
// either direction.
func comesBack(t rapid.TB, reason, spec, want string) {
	t.Helper()
	api := []byte(gadgetHead + `,"spec":` + spec + `}`)
	stored, err := gadgetUp(api)
	if err != nil {
		t.Fatalf("%s: up: %v", reason, err)
	}
	hasNoForgedBag(t, reason, shape.Of(reflect.TypeFor[fixtures.StoredSpec]()), specIn(t, stored), spec)
	visible, err := gadgetDown(stored)
	if err != nil {
		t.Fatalf("%s: down: %v", reason, err)
	}
	if got, want := specIn(t, visible), specIn(t, []byte(gadgetHead+`,"spec":`+want+`}`)); !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: %s comes back as %v, stored as %s", reason, shortened(spec), got, shortened(string(stored)))
	}
	again, err := gadgetUp(visible)
	if err != nil || !reflect.DeepEqual(specIn(t, again), specIn(t, stored)) {
		t.Fatalf("%s: stored as %s, then as %s, %v", reason, shortened(string(stored)), shortened(string(again)), err)
	}
	if err := RegisterPlans(gadgetPlan()); err != nil {
		t.Fatal(err)
	}
	up, down := NewConverter(gadgetKind, fixtures.GadgetVersion, gadgetHub), NewConverter(gadgetKind, gadgetHub, fixtures.GadgetVersion)
	if out, ok := tryAppend(up, nil, api); ok && !reflect.DeepEqual(specIn(t, out), specIn(t, stored)) {
		t.Fatalf("%s: %s is stored as %s, but as an object as %s", reason, shortened(spec), out, stored)
	}
	if out, ok := tryAppend(down, nil, stored); ok && !reflect.DeepEqual(specIn(t, out), specIn(t, visible)) {
		t.Fatalf("%s: %s is shown as %s, but as an object as %s", reason, shortened(string(stored)), out, visible)
	}
}

// hasNoForgedBag fails if a map in storage has a key that would read as a property bag. A version
// that names members of the map would read it so.
func hasNoForgedBag(t rapid.TB, reason string, s *shape.Shape, stored any, spec string) {
	t.Helper()
	for s.Kind == shape.Pointer {
		s = s.Elem
	}
	switch value := stored.(type) {
	case map[string]any:
		for name, part := range value {
			if s.Kind == shape.Map && name == bag.Name {
				t.Fatalf("%s: %s is stored with a key that reads as a property bag", reason, shortened(spec))
			}
			if inner := partOf(s, name); inner != nil {
				hasNoForgedBag(t, reason, inner, part, spec)
			}
		}
	case []any:
		for _, part := range value {
			if s.Kind == shape.List {
				hasNoForgedBag(t, reason, s.Elem, part, spec)
			}
		}
	}
}

// partOf returns the shape of a member of an object or a map. It returns nil for property bags
// and for members that the type lacks.
func partOf(s *shape.Shape, name string) *shape.Shape {
	switch f := s.Member(name); {
	case s.Kind == shape.Map:
		return s.Elem
	case s.Kind != shape.Object || name == bag.Name:
		return nil
	case f != nil:
		return f.Shape
	case s.Additional != nil:
		return s.Additional.Shape.Elem
	}
	return nil
}

// shortened returns at most the first 1000 bytes of a text, for messages.
func shortened(text string) string { return text[:min(len(text), 1000)] }

func specIn(t rapid.TB, object []byte) any {
	t.Helper()
	value, err := jsontext.Parse(object)
	if err != nil {
		t.Fatalf("%v: %s", err, object)
	}
	return fixtures.Normalize(value.(map[string]any)["spec"])
}

// remaining returns the part of a value that remains after it was read as an object of a shape.
// Members that the type lacks are removed. So are nulls, except those in free JSON and in lists.
func remaining(s *shape.Shape, value any) any {
	for s.Kind == shape.Pointer {
		s = s.Elem
	}
	switch value := value.(type) {
	case map[string]any:
		if s.Kind != shape.Object && s.Kind != shape.Map || s.Type == reflect.TypeFor[runtime.Owner]() && !fitsWhole(s, value) {
			return value
		}
		out := map[string]any{}
		for name, part := range value {
			inner, free := s.Elem, s.Elem != nil && s.Elem.Kind == shape.JSON
			if s.Kind == shape.Object {
				inner = shapeIn(s, name)
				free = inner != nil && s.Member(name) == nil && inner.Kind == shape.JSON
			}
			if inner != nil && (part != nil || free) {
				out[name] = remaining(inner, part)
			}
		}
		if s.Kind == shape.Map && !fitsAll(s.Elem, out) {
			return value
		}
		return out
	case []any:
		if s.Kind != shape.List || !fitsAll(s.Elem, value) {
			return value
		}
		out := make([]any, len(value))
		for i := range value {
			out[i] = remaining(s.Elem, value[i])
		}
		return out
	}
	return value
}

// fitsAll reports whether all values fit a list or map of a shape, apart from those that should
// be objects and are not.
func fitsAll(s *shape.Shape, values any) bool {
	if s.Object() != nil {
		return true
	}
	fits := true
	switch values := values.(type) {
	case map[string]any:
		for _, value := range values {
			fits = fits && fitsInto(s, value)
		}
	case []any:
		for _, value := range values {
			fits = fits && fitsInto(s, value)
		}
	}
	return fits
}

// fitsInto reports whether a value fits a shape, apart from values within objects that have bags.
func fitsInto(s *shape.Shape, value any) bool {
	for s.Kind == shape.Pointer {
		s = s.Elem
	}
	switch s.Kind {
	case shape.JSON:
		return true
	case shape.Text:
		_, ok := value.(string)
		return ok
	case shape.Bool:
		_, ok := value.(bool)
		return ok
	case shape.Integer:
		n, ok := value.(json.Number)
		_, err := strconv.ParseInt(string(n), 10, 64)
		return ok && err == nil
	case shape.Number:
		n, ok := value.(json.Number)
		_, err := strconv.ParseFloat(string(n), 64)
		return ok && err == nil
	case shape.Object:
		_, ok := value.(map[string]any)
		return ok
	case shape.List:
		values, ok := value.([]any)
		return ok && fitsAll(s.Elem, values)
	default:
		values, ok := value.(map[string]any)
		return ok && fitsAll(s.Elem, present(values))
	}
}

// present is a map without its nulls.
func present(values map[string]any) map[string]any {
	out := map[string]any{}
	for name, value := range values {
		if value != nil {
			out[name] = value
		}
	}
	return out
}

// shapeIn is the shape of a member of an object; nil for none.
func shapeIn(s *shape.Shape, name string) *shape.Shape {
	if f := s.Member(name); f != nil {
		return f.Shape
	} else if s.Additional != nil {
		return s.Additional.Shape.Elem
	}
	return nil
}

// fitsWhole reports whether an object without its own bag has no value of a wrong type.
func fitsWhole(s *shape.Shape, object map[string]any) bool {
	for name, value := range object {
		if f := s.Member(name); f != nil && value != nil && !fitsInto(f.Shape, value) {
			return false
		}
	}
	return true
}

// jsonDrawer draws JSON that has much of a shape, and much that it does not foresee.
type jsonDrawer struct{ *rapid.T }

func (d jsonDrawer) value(s *shape.Shape, depth int) any {
	for s.Kind == shape.Pointer {
		s = s.Elem
	}
	if depth == 0 || s.Kind == shape.JSON || rapid.IntRange(0, 7).Draw(d.T, "kind") == 0 {
		return d.any(depth)
	}
	switch s.Kind {
	case shape.Object:
		return d.object(s, depth)
	case shape.List:
		out := []any{}
		for range rapid.IntRange(0, 3).Draw(d.T, "length") {
			out = append(out, d.value(s.Elem, depth-1))
		}
		return out
	case shape.Map:
		out := map[string]any{}
		for range rapid.IntRange(0, 2).Draw(d.T, "length") {
			out[d.name()] = d.value(s.Elem, depth-1)
		}
		return out
	case shape.Integer:
		return json.Number(rapid.SampledFrom([]string{"0", "-1", "9007199254740993"}).Draw(d.T, "integer"))
	case shape.Number:
		return json.Number("1.5")
	case shape.Bool:
		return true
	default:
		return d.name()
	}
}

func (d jsonDrawer) object(s *shape.Shape, depth int) any {
	out := map[string]any{}
	for i := range s.Fields {
		if rapid.IntRange(0, 3).Draw(d.T, "present") == 0 {
			out[s.Fields[i].Name] = d.value(s.Fields[i].Shape, depth-1)
		}
	}
	for range rapid.IntRange(0, 2).Draw(d.T, "additional") {
		name := d.name()
		if name == label.OriginalVersion {
			continue
		}
		if inner := shapeIn(s, name); inner != nil {
			out[name] = d.value(inner, depth-1)
		} else {
			out[name] = d.any(depth - 1)
		}
	}
	return out
}

func (d jsonDrawer) name() string {
	return rapid.SampledFrom(fixtures.OddNames[:len(fixtures.OddNames)-1]).Draw(d.T, "name")
}

// any draws a value of any kind.
func (d jsonDrawer) any(depth int) any {
	switch most := 8; rapid.IntRange(0, most).Draw(d.T, "any") {
	case 0:
		return nil
	case 1:
		return false
	case 2:
		return json.Number("1e400")
	case 3, 4:
		return d.name()
	case 5:
		if depth > 0 {
			return []any{d.any(depth - 1)}
		}
	case 6, 7:
		if depth > 0 {
			return map[string]any{d.name(): d.any(depth - 1), bag.Name: d.any(depth - 1)}
		}
	}
	return json.Number("1")
}
