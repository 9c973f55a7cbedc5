package planned_test

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"

	"github.com/stratakube/strata/webhook/engine"
	"github.com/stratakube/strata/webhook/internal/example"
	"github.com/stratakube/strata/webhook/internal/planned"
	"github.com/stratakube/strata/webhook/internal/typed"
)

const hub = "v20190909storage"

var party = schema.GroupKind{Group: "crm.example.com", Kind: "Party"}

// engines returns the engine of types, and one of plans before an engine that counts the objects
// passed to it.
func engines(t testing.TB) (objects engine.Engine, plans *planned.Engine, handedOn *int) {
	t.Helper()
	scheme := k8sruntime.NewScheme()
	if err := example.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	byType, err := typed.New(scheme)
	if err != nil {
		t.Fatal(err)
	}
	c := &counting{Engine: byType}
	return byType, planned.New(c), &c.count
}

type counting struct {
	engine.Engine
	count int
}

func (c *counting) Converter(pair engine.Pair) engine.Converter {
	converter := c.Engine.Converter(pair)
	if converter == nil {
		return nil
	}
	return countingConverter{converter, &c.count}
}

type countingConverter struct {
	engine.Converter
	count *int
}

func (c countingConverter) Append(ctx context.Context, dst, object []byte) ([]byte, error) {
	*c.count++
	return c.Converter.Append(ctx, dst, object)
}

func partyOf(version, rest string) string {
	return `{"apiVersion":"crm.example.com/` + version + `","kind":"Party","metadata":{"name":"p"}` + rest + `}`
}

var objects = []struct {
	reason, version, to, rest string
	handedOn                  bool
}{
	{"up", "v20150505", hub, `,"spec":{"location":"n","properties":{"displayName":"t","members":[{"personName":"a","role":"Owner"}]}}`, false},
	{"down, with what the version lacks", hub, "v20150505", `,"spec":{"properties":{"displayName":"t","postalAddress":{"city":"c","latitude":1.5}},"originalVersion":"v20190909"}`, false},
	{"between versions that are not the hub", "v20190909", "v20150505", `,"spec":{"properties":{"postalAddress":{"city":"c"}}}`, false},
	{"an old client's write", "v20150505", hub, `,"spec":{"properties":{"displayName":"t"}},"status":{"propertyBag":"{\"fingerprints\":1,\"format\":1,\"noStatus\":true,\"spec\":{\"in\":{\"properties\":{\"bag\":{\"postalAddress\":{\"city\":\"c\"}}}}}}"}`, false},
	{"an old client's write, read by another version", "v20150505", "v20190909", `,"spec":{"properties":{"displayName":"t"}},"status":{"propertyBag":"{\"fingerprints\":1,\"format\":1,\"noStatus\":true,\"spec\":{\"in\":{\"properties\":{\"bag\":{\"postalAddress\":{\"city\":\"c\"}}}}}}"}`, false},
	{"texts and numbers that are hidden", hub, "v20150505", `,"spec":{"properties":{"postalAddress":{"latitude":1.50e0,"city":"\u003cé\n"}},"originalVersion":"v20150505"}`, false},
	{"a wrong type", "v20150505", hub, `,"spec":{"properties":{"displayName":7}}`, true},
	{"nothing but a name", "v20150505", hub, ``, false},
}

func TestPlansAgreeWithTypes(t *testing.T) {
	byType, byPlan, handedOn := engines(t)
	for _, test := range objects {
		pair := engine.Pair{Kind: party, From: test.version, To: test.to}
		object := []byte(partyOf(test.version, test.rest))
		*handedOn = 0
		checkSame(t, byType.Converter(pair), byPlan.Converter(pair), object)
		if *handedOn != 0 != test.handedOn {
			t.Errorf("%s: handed on %d times", test.reason, *handedOn)
		}
	}
}

func checkSame(t *testing.T, byType, byPlan engine.Converter, object []byte) {
	t.Helper()
	want, wantErr := byType.Append(t.Context(), nil, bytes.Clone(object))
	got, err := byPlan.Append(t.Context(), []byte("before"), bytes.Clone(object))
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%s: by plan %v, by type %v", object, err, wantErr)
	}
	if err != nil {
		return
	}
	got, isBehind := bytes.CutPrefix(got, []byte("before"))
	if !isBehind || !reflect.DeepEqual(valueOf(t, got), valueOf(t, want)) {
		t.Fatalf("%s is by plan\n%s, by type\n%s", object, got, want)
	}
}

// valueOf reads an object. Only the fields of metadata that its Go type has count.
func valueOf(t *testing.T, data []byte) any {
	t.Helper()
	var value map[string]any
	var root struct {
		metav1.ObjectMeta `json:"metadata"`
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	if kjson.UnmarshalCaseSensitivePreserveInts(data, &root) == nil {
		metadata, err := json.Marshal(root.ObjectMeta) // empty and missing fields are the same
		if err != nil {
			t.Fatal(err)
		}
		value["metadata"] = string(metadata)
	}
	return normal(value)
}

// normal gives numbers of the same float64 value one spelling.
func normal(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, v := range value {
			value[name] = normal(v)
		}
	case []any:
		for i, v := range value {
			value[i] = normal(v)
		}
	case json.Number:
		if f, err := value.Float64(); err == nil {
			return f
		}
	}
	return value
}

// FuzzPlans checks that both engines convert any JSON alike, and that neither panics.
func FuzzPlans(f *testing.F) {
	for i, test := range objects {
		f.Add([]byte(partyOf(test.version, test.rest)), byte(i))
	}
	for _, rest := range []string{
		`,"spec":{"properties":{"displayName":"a","displayName":"b"}}`, `,"spec":null`, `,"spec":{"properties":{"creditLimit":1e400}}`,
		`,"spec":{"properties":{"displayName":"\ud800"}}`, `,"spec":{"$propertyBag":{"a":1}}`, `,"status":{"propertyBag":"{"}`,
	} {
		f.Add([]byte(partyOf("v20150505", rest)), byte(0))
		f.Add([]byte(partyOf(hub, rest)), byte(1))
	}
	byType, byPlan, _ := engines(f)
	pairs := []engine.Pair{{Kind: party, From: "v20150505", To: hub}, {Kind: party, From: hub, To: "v20150505"}, {Kind: party, From: "v20190909", To: "v20150505"}}
	f.Fuzz(func(t *testing.T, object []byte, which byte) {
		pair := pairs[int(which)%len(pairs)]
		if !isOf(object, pair) {
			return
		}
		checkSame(t, byType.Converter(pair), byPlan.Converter(pair), object)
	})
}

// isOf reports whether a handler would pass an object to the converter of a pair.
func isOf(object []byte, pair engine.Pair) bool {
	var head struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	return json.Valid(object) && kjson.UnmarshalCaseSensitivePreserveInts(object, &head) == nil &&
		head.APIVersion == pair.Kind.Group+"/"+pair.From && head.Kind == pair.Kind.Kind && !strings.Contains(string(object), "\ufffd")
}
