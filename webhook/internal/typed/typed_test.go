package typed_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/webhook/engine"
	"github.com/stratakube/strata/webhook/internal/example"
	"github.com/stratakube/strata/webhook/internal/hotel"
	"github.com/stratakube/strata/webhook/internal/hotel/v1"
	"github.com/stratakube/strata/webhook/internal/typed"
)

var (
	person = schema.GroupKind{Group: "crm.example.com", Kind: "Person"}
	room   = schema.GroupKind{Group: "hotel.example.com", Kind: "Room"}
)

func schemeOf(t testing.TB, add ...func(*k8sruntime.Scheme) error) *k8sruntime.Scheme {
	t.Helper()
	scheme := k8sruntime.NewScheme()
	for _, f := range add {
		if err := f(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return scheme
}

func engineOf(t testing.TB, add ...func(*k8sruntime.Scheme) error) *typed.Engine {
	t.Helper()
	e, err := typed.New(schemeOf(t, add...))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// convert converts an object whose members behind apiVersion and kind are given, and returns these
// members of the result.
func convert(t *testing.T, e engine.Engine, pair engine.Pair, rest string) (string, error) {
	t.Helper()
	converter := e.Converter(pair)
	if converter == nil {
		t.Fatalf("there is no converter of %s", pair)
	}
	version, kind := pair.Source().ToAPIVersionAndKind()
	object := `{"apiVersion":"` + version + `","kind":"` + kind + `"` + rest + `}`
	before := strings.Clone(object)
	out, err := converter.Append(t.Context(), []byte("before,"), []byte(object))
	if object != before {
		t.Error("the object was changed")
	}
	if err != nil {
		return "", err
	}
	text, found := strings.CutPrefix(string(out), "before,")
	if !found {
		t.Fatalf("what was in the buffer is gone: %s", out)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	version, kind = pair.Target().ToAPIVersionAndKind()
	if got["apiVersion"] != version || got["kind"] != kind {
		t.Errorf("the result is a %s of %s", got["kind"], got["apiVersion"])
	}
	delete(got, "apiVersion")
	delete(got, "kind")
	data, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	return string(data), nil
}

func TestPersons(t *testing.T) {
	e := engineOf(t, example.AddToScheme)
	for _, test := range []struct {
		reason, from, to, rest, want string
	}{
		{"no metadata at all becomes empty metadata", "v20110101", "v20190909storage", ``, `{"metadata":{}}`},
		{"a name alone is enough", "v20110101", "v20190909", `,"metadata":{"name":"ann"}`, `{"metadata":{"name":"ann"}}`},
		{"a spec that is null is none", "v20110101", "v20190909", `,"metadata":{"name":"ann"},"spec":null`, `{"metadata":{"name":"ann"}}`},
		{"metadata that is null is empty", "v20110101", "v20190909", `,"metadata":null`, `{"metadata":{}}`},
		{"a value of the wrong type is kept", "v20110101", "v20190909storage", `,"metadata":{"name":"ann"},"spec":{"location":1}`,
			`{"metadata":{"name":"ann"},"spec":{"$propertyBag":{"location@v20110101!raw":1},"originalVersion":"v20110101"}}`},
		{"and comes back", "v20190909storage", "v20110101", `,"metadata":{"name":"ann"},"spec":{"$propertyBag":{"location@v20110101!raw":1},"originalVersion":"v20110101"}`,
			`{"metadata":{"name":"ann"},"spec":{"location":1}}`},
		{"labels of the wrong type stay as they are", "v20110101", "v20190909", `,"metadata":{"name":"ann","labels":{"a":1},"uid":"u"}`,
			`{"metadata":{"labels":{"a":1},"name":"ann","uid":"u"}}`},
		{"metadata that is no object cannot be kept", "v20110101", "v20190909", `,"metadata":[1]`, `{"metadata":{}}`},
		{"of members that stand twice the last counts", "v20110101", "v20190909", `,"metadata":{"name":"ann"},"metadata":{"name":"bob"}`, `{"metadata":{"name":"bob"}}`},
		{"a number beyond all numbers is kept", "v20110101", "v20190909storage", `,"metadata":{"name":"ann"},"spec":{"location":1e9999}`,
			`{"metadata":{"name":"ann"},"spec":{"$propertyBag":{"location@v20110101!raw":1e9999},"originalVersion":"v20110101"}}`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			converter := e.Converter(engine.Pair{Kind: person, From: test.from, To: test.to})
			out, err := converter.Append(t.Context(), nil, []byte(`{"apiVersion":"crm.example.com/`+test.from+`","kind":"Person"`+test.rest+`}`))
			if err != nil {
				t.Fatal(err)
			}
			want := `{"apiVersion":"crm.example.com/` + test.to + `","kind":"Person",` + test.want[1:]
			if diff := cmp.Diff(canonical(t, want), canonical(t, string(out))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// canonical sorts members, and does not change the spelling of numbers.
func canonical(t *testing.T, text string) string {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestEveryVersionConverts(t *testing.T) {
	e := engineOf(t, example.AddToScheme)
	var kinds []string
	for _, kind := range e.Kinds() {
		kinds = append(kinds, kind.Kind+" "+kind.Hub)
	}
	want := []string{"Party v20190909storage", "Person v20190909storage"}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Error(diff)
	}
	if err := engine.Check(t.Context(), e); err != nil {
		t.Error(err)
	}
}

type events struct {
	sync.Mutex
	all []string
}

func (e *events) Observe(event runtime.Event) {
	e.Lock()
	defer e.Unlock()
	e.all = append(e.all, strings.Join([]string{string(event.What), event.Kind.Kind, event.Kind.Version, event.Namespace, event.Name, event.Path}, " "))
}

func TestPreservedValuesAreReported(t *testing.T) {
	var seen events
	runtime.SetObserver(&seen)
	defer runtime.SetObserver(nil)
	e := engineOf(t, example.AddToScheme)
	pair := engine.Pair{Kind: person, From: "v20110101", To: "v20190909"}
	if _, err := convert(t, e, pair, `,"metadata":{"name":"ann","namespace":"ns","labels":3},"spec":{"location":1}`); err != nil {
		t.Fatal(err)
	}
	want := []string{"raw value kept Person v20110101 ns ann spec.location", "raw value kept Person v20110101 ns ann metadata"}
	if diff := cmp.Diff(want, seen.all); diff != "" {
		t.Error(diff)
	}
}

func TestRooms(t *testing.T) {
	e := engineOf(t, hotel.AddToScheme)
	for _, test := range []struct {
		reason, from, to, rest, want, err string
	}{
		{"to the hub", "v1", "v2", `,"metadata":{"name":"a"},"spec":{"guest":"Ann Lee"}`, `{"metadata":{"name":"a"},"spec":{"guest":{"first":"Ann","last":"Lee"}}}`, ""},
		{"from the hub", "v2", "v1", `,"metadata":{"name":"a"},"spec":{"guest":{"first":"Ann"}}`, `{"metadata":{"name":"a"},"spec":{"guest":"Ann"}}`, ""},
		{"through the hub", "v1beta1", "v1", `,"spec":{"beds":"2"}`, `{"metadata":{},"spec":{"beds":2}}`, ""},
		{"nothing but a type", "v1", "v1beta1", ``, `{"metadata":{},"spec":{}}`, ""},
		{"a wrong type is named with its path", "v2", "v1", `,"spec":{"guest":{"first":7}}`, "", "spec.guest.first: got number, want string"},
		{"a number that does not fit, without the number", "v2", "v1", `,"spec":{"beds":1.5}`, "", "spec.beds: got number, want int"},
		{"a conversion that fails", "v1beta1", "v2", `,"spec":{"beds":"many"}`, "", "to the hub v2: spec.beds: invalid syntax"},
		{"a conversion that changes names", "v1beta1", "v2", `,"metadata":{"name":"a"},"spec":{"beds":"elsewhere"}`, "", "metadata.name: the conversion of *v1beta1.Room to *v2.Room must not change it"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			got, err := convert(t, e, engine.Pair{Kind: room, From: test.from, To: test.to}, test.rest)
			if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Fatalf("error is %v, want %q", err, test.err)
			}
			if got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

func TestSteps(t *testing.T) {
	e := engineOf(t, hotel.AddToScheme)
	for to, want := range map[string]int{"v2": 1, "v1": 2} {
		if got := e.Converter(engine.Pair{Kind: room, From: "v1beta1", To: to}).Steps(); got != want {
			t.Errorf("%d steps to %s, want %d", got, to, want)
		}
	}
}

func TestNoConverter(t *testing.T) {
	e := engineOf(t, hotel.AddToScheme)
	for reason, pair := range map[string]engine.Pair{
		"an unknown kind":    {Kind: person, From: "v1", To: "v2"},
		"an unknown version": {Kind: room, From: "v1", To: "v3"},
		"the same version":   {Kind: room, From: "v1", To: "v1"},
	} {
		if e.Converter(pair) != nil {
			t.Errorf("%s has a converter", reason)
		}
	}
}

type plain struct{ k8sruntime.Unknown }

func TestNewRefuses(t *testing.T) {
	scheme := schemeOf(t, hotel.AddToScheme)
	for _, version := range []string{"v4", "v5"} {
		scheme.AddKnownTypeWithName(room.WithVersion(version), &plain{})
	}
	scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: "a", Version: "v1", Kind: "Lonely"}, &v1.Room{})
	scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: "a", Version: "v2", Kind: "Lonely"}, &v1.Room{})
	_, err := typed.New(scheme)
	for _, want := range []string{
		"serve Room.hotel.example.com: version v4 has no converter",
		"serve Room.hotel.example.com: version v5 has no converter",
		"serve Lonely.a: no version is the hub",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want one with %q", err, want)
		}
	}
	if _, err := typed.New(scheme, person); err == nil || !strings.Contains(err.Error(), "no such kind") {
		t.Errorf("a kind that is not there: %v", err)
	}
}

func TestKindsWithoutConversionAreNotServed(t *testing.T) {
	scheme := schemeOf(t, hotel.AddToScheme)
	scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: "a", Version: "v1", Kind: "Plain"}, &plain{})
	scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: "a", Version: "v2", Kind: "Plain"}, &plain{})
	e, err := typed.New(scheme)
	if err != nil {
		t.Fatal(err)
	}
	if kinds := e.Kinds(); len(kinds) != 1 || kinds[0].GroupKind != room {
		t.Errorf("it serves %v", kinds)
	}
}
