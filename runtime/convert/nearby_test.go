package convert

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/label"
	"github.com/stratakube/strata/runtime/internal/shape"
)

// everyValue is the spec of a gadget with a value at every kind of position.
const everyValue = `{"any":{"$$propertyBag":"own","$propertyBag":{"k":1},"free":[1.50,null],"x":{"y":null}},"boxes":{"a":[{"on":true},{}],"b":[]},"count":-12,` +
	`"free":{"a":[null,1e400]},"grid":[{"x":{"color":"g"}},{}],"lines":["a","b"],"opens":[{"known":{},"other":{"on":true}}],` +
	`"main":{"color":"c","inner":{"on":false},"labels":{"l":"1"},"on":true,"parts":[{"weight":2}],"ratio":1.5,"weight":7},` +
	`"open":{"known":{"color":"k"},"other":{"color":"d"}},"owner":{"armId":"/x"},"parts":[{"color":"a"},{"weight":1},{"parts":[{"color":"b"}]}],` +
	`"ports":[{"id":"i","name":"n","number":1,"part":{}}],"rows":[[{"color":"r"},{}],[]],"rules":[{"name":"a","number":1}],"size":"s","spares":{"one":{"on":true}},"tags":{"t":"u"}}`

// TestOneValueOff converts specs up and down that differ from a valid one by one value of each
// kind at each path.
func TestOneValueOff(t *testing.T) {
	spec, err := jsontext.Parse([]byte(everyValue))
	if err != nil {
		t.Fatal(err)
	}
	of := shape.Of(reflect.TypeFor[fixtures.GadgetSpec]())
	forged := map[string]any{bag.Name: map[string]any{"color@v20140404!raw": json.Number("1")}}
	fixtures.EachValue("spec", spec, func(whole any) any { return whole }, func(path string, _ any, whole func(any) any) {
		for i, other := range append(slices.Clone(fixtures.Others), any(forged)) {
			wrong := whole(other)
			if wrong == (fixtures.Absence{}) {
				continue
			}
			comesBack(t, path, fixtures.Spell(wrong, i%2 == 0), fixtures.Spell(remaining(of, wrong), false))
		}
	})
}

// TestOneValueOffInHub converts hub objects down and up, in both engines. They hide values at
// many paths, and differ from a valid one by one value of each kind at each path.
func TestOneValueOffInHub(t *testing.T) {
	up, down := gadgetWays(t)
	hub := fixtures.FullGadget()
	hub.TypeMeta = metav1.TypeMeta{APIVersion: fixtures.Group + "/" + gadgetHub, Kind: "Gadget"}
	data, err := Encode(hub)
	if err != nil {
		t.Fatal(err)
	}
	right, err := jsontext.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	fixtures.EachValue("", right, func(whole any) any { return whole }, func(path string, _ any, whole func(any) any) {
		// No client of an API version writes bags and original versions.
		if !strings.HasPrefix(path, ".spec") && !strings.HasPrefix(path, ".status") || strings.HasSuffix(path, bag.Name) || strings.HasSuffix(path, label.OriginalVersion) {
			return
		}
		count++
		for i, other := range fixtures.Others {
			if i%6 != count%6 { // which is enough, for there are many positions of each kind
				continue
			}
			object := []byte(fixtures.Spell(whole(other), i%2 == 0))
			visible := converted(t, path, down, object, gadgetDown)
			stored := converted(t, path, up, visible, gadgetUp)
			if again := converted(t, path, down, stored, gadgetDown); !reflect.DeepEqual(valueOf(t, again), valueOf(t, visible)) {
				t.Fatalf("%s: %s is shown as\n%s, then as\n%s", path, object, visible, again)
			}
		}
	})
}

// converted converts an object as a Go value, and by a plan, which must do the same or refuse.
func converted(t *testing.T, reason string, plan *Converter, object []byte, objects func([]byte) ([]byte, error)) []byte {
	t.Helper()
	out, err := objects(object)
	if err != nil {
		t.Fatalf("%s: %s: %v", reason, object, err)
	}
	if planned, ok := tryAppend(plan, nil, object); ok && !reflect.DeepEqual(valueOf(t, planned), valueOf(t, out)) {
		t.Fatalf("%s: %s is by its plan\n%s, but as an object\n%s", reason, object, planned, out)
	}
	return out
}

// TestOneByteOff changes one byte of an object. If a plan accepts the text as JSON, it must
// convert it like the object that it represents.
func TestOneByteOff(t *testing.T) {
	up, down := gadgetWays(t)
	const odd = `"$$propertyBag":"own","$propertyBag":{"k":1},` // no plan takes them
	api := gadgetHead + `,"spec":` + strings.Replace(everyValue, odd, "", 1) + `,"status":{"main":{"on":true}}}`
	stored, err := gadgetUp([]byte(strings.Replace(api, `"status":{`, `"status":{"propertyBag":"{\"fingerprints\":1,\"format\":1,\"spec\":{\"bag\":{\"k\":[1]}}}",`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	for text, side := range map[string]struct {
		plan    *Converter
		objects func([]byte) ([]byte, error)
	}{api: {up, gadgetUp}, string(stored): {down, gadgetDown}} {
		if _, ok := tryAppend(side.plan, nil, []byte(text)); !ok {
			t.Errorf("the plan refuses %s", text)
		}
		offByOneByte(text, func(wrong []byte) {
			out, ok := tryAppend(side.plan, nil, wrong)
			if valid := json.Valid(wrong); valid != jsontext.IsValid(wrong) || ok && !valid {
				t.Fatalf("%s is JSON: %t, and is converted: %t", wrong, valid, ok)
			} else if ok {
				checkSame(t, "a byte is other", wrong, out, side.objects)
			}
		})
	}
}

// offByOneByte calls visit with a text without each of its bytes, and with other bytes in place
// of each or before it. Within strings it writes only bytes that may end them.
func offByOneByte(text string, visit func(wrong []byte)) {
	inString := false
	for i := range len(text) {
		if text[i] == '"' && (i == 0 || text[i-1] != '\\') {
			inString = !inString
		}
		bytes := `{}[],:"\0-. n`
		if inString {
			bytes = `"\`
		}
		visit([]byte(text[:i] + text[i+1:]))
		for _, b := range []byte(bytes) {
			visit([]byte(text[:i] + string([]byte{b}) + text[i:]))
			visit([]byte(text[:i] + string([]byte{b}) + text[i+1:]))
		}
	}
}

// TestNoMemberStandsTwice repeats each member of an object, next to itself or behind the others. No
// plan converts that.
func TestNoMemberStandsTwice(t *testing.T) {
	up, _ := gadgetWays(t)
	spec, err := jsontext.Parse([]byte(`{"free":{},"lines":["a"],"main":{"color":"c","on":true,"parts":[{"on":true,"ratio":1,"weight":1}],"weight":7},"ports":[{"name":"n","number":1}],"rows":[[{"color":"r","weight":1}]],"size":"s"}`))
	if err != nil {
		t.Fatal(err)
	}
	fixtures.EachValue("spec", spec, func(whole any) any { return whole }, func(path string, value any, whole func(any) any) {
		members, ok := value.(map[string]any)
		if !ok || strings.HasPrefix(path, "spec.free") {
			return
		}
		for name := range members {
			twice := `"` + name + `":` + fixtures.Spell(members[name], false)
			object := fixtures.Spell(value, false)
			for _, wrong := range []string{strings.TrimSuffix(object, "}") + "," + twice + "}", strings.Replace(object, twice, twice+","+twice, 1)} {
				api := gadgetHead + `,"spec":` + strings.Replace(fixtures.Spell(whole("HERE"), false), `"HERE"`, wrong, 1) + `}`
				if out, ok := tryAppend(up, nil, []byte(api)); ok {
					t.Errorf("%s with %s twice is converted to %s", path, name, out)
				}
			}
		}
	})
}
