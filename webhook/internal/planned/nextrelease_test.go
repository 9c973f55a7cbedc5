package planned_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/webhook/engine"
	"github.com/stratakube/strata/webhook/internal/example"
)

// TestMembersOfNextRelease stores objects as a later release would, whose storage types have
// more members, and whose bags have more keys. A client of each version reads such an object, and
// edits its azureName. Nothing else may change.
func TestMembersOfNextRelease(t *testing.T) {
	scheme := k8sruntime.NewScheme()
	if err := example.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	byType, byPlan, _ := engines(t)
	for _, kind := range byType.Kinds() {
		for seed := range uint64(40) {
			d := &later{rand.New(rand.NewPCG(seed, 0)), 0}
			stored := d.root(t, scheme, kind)
			for _, version := range kind.Versions {
				if version == kind.Hub {
					continue
				}
				for _, e := range []engine.Engine{byType, byPlan} {
					writesThrough(t, e, kind, version, stored)
				}
			}
			if d.added == 0 {
				t.Errorf("%s, seed %d: nothing of a later release", kind.GroupKind, seed)
			}
		}
	}
}

// writesThrough reads an object through a version, and writes it with another azureName.
func writesThrough(t *testing.T, e engine.Engine, kind engine.Kind, version string, stored map[string]any) {
	t.Helper()
	convert := func(from, to string, object any) map[string]any {
		t.Helper()
		text, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		out, err := e.Converter(engine.Pair{Kind: kind.GroupKind, From: from, To: to}).Append(t.Context(), nil, text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed(t, out)
	}
	read := convert(kind.Hub, version, stored)
	read["spec"].(map[string]any)["azureName"] = "edited"
	got, want := convert(version, kind.Hub, read), maps.Clone(stored)
	delete(got["spec"].(map[string]any), "originalVersion")
	want["spec"] = maps.Clone(stored["spec"].(map[string]any))
	want["spec"].(map[string]any)["azureName"] = "edited"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%s through %s (-stored +written):\n%s", kind.GroupKind, version, diff)
	}
}

func parsed(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var out map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// later draws objects of the hub as a later release stores them.
type later struct {
	*rand.Rand
	added int
}

func (d *later) root(t *testing.T, scheme *k8sruntime.Scheme, kind engine.Kind) map[string]any {
	t.Helper()
	hub := schema.GroupVersionKind{Group: kind.Group, Version: kind.Hub, Kind: kind.GroupKind.Kind}
	object, err := scheme.New(hub)
	if err != nil {
		t.Fatal(err)
	}
	root := map[string]any{"apiVersion": hub.GroupVersion().String(), "kind": hub.Kind, "metadata": map[string]any{"name": "p"}}
	of := reflect.TypeOf(object).Elem()
	for _, section := range []string{"Spec", "Status"} {
		f, _ := of.FieldByName(section)
		root[strings.ToLower(section)] = d.value(f.Type, 0)
	}
	text, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return parsed(t, text)
}

var bagType = reflect.TypeFor[runtime.PropertyBag]()

// value draws a value that every version can show or hide. Lists have elements with a text of
// their own, so that hidden values find them.
func (d *later) value(of reflect.Type, depth int) any {
	if of == reflect.TypeFor[runtime.JSON]() {
		return map[string]any{"free": []any{1, "x"}}
	}
	switch of.Kind() {
	case reflect.Pointer:
		return d.value(of.Elem(), depth)
	case reflect.String:
		return "text " + strconv.Itoa(d.IntN(1e9))
	case reflect.Bool:
		return true
	case reflect.Int64:
		return 1 + d.IntN(100)
	case reflect.Float64:
		return 0.5 + float64(d.IntN(100))
	case reflect.Slice:
		var out []any
		for range 1 + d.IntN(3) {
			out = append(out, d.value(of.Elem(), depth+1))
		}
		return out
	case reflect.Map:
		return map[string]any{"k": d.value(of.Elem(), depth+1)}
	default:
		return d.object(of, depth)
	}
}

func (d *later) object(of reflect.Type, depth int) map[string]any {
	out := map[string]any{}
	if bag, ok := of.FieldByName("PropertyBag"); !ok || bag.Type != bagType {
		return out
	}
	for f := range of.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		isOurs := slices.Contains([]string{"AzureName", "Owner", "SecretRefs", "ConfigMapRefs", "Outputs", "OriginalVersion", "Conditions", "PropertyBag"}, f.Name)
		if depth < 8 && !isOurs && (d.IntN(4) > 0 || f.Type.Kind() == reflect.Slice) {
			out[name] = d.value(f.Type, depth+1)
		}
	}
	for i := range d.IntN(3) {
		d.added++
		out["later"+strconv.Itoa(i)] = []any{"x", 7, map[string]any{"a": 1, "$propertyBag": map[string]any{"k": 1}}, []any{1, 2}, false}[d.IntN(5)]
	}
	if d.IntN(3) == 0 {
		d.added++
		out["$propertyBag"] = map[string]any{"laterKey@v20301231": map[string]any{"a": []any{1}}}
	}
	return out
}
