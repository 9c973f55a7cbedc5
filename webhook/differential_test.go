package webhook_test

import (
	"net/http"
	"reflect"
	"strings"
	"testing"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/stratakube/strata/runtime/conformance/hostile"
	"github.com/stratakube/strata/webhook"
	"github.com/stratakube/strata/webhook/engine"
	"github.com/stratakube/strata/webhook/internal/example"
)

// TestHandlersOfBothEnginesAgree sends the same reviews to a handler with plans and to one with Go
// types only. The reviews have objects of all kinds and versions that are drawn, edited and forged.
// Both handlers must answer with the same values, and with the same bytes of hidden values.
func TestHandlersOfBothEnginesAgree(t *testing.T) {
	const rounds = 100 // for each kind
	scheme := schemeOf(t, example.AddToScheme)
	for i, kind := range enginesOf(t, scheme).plans.Kinds() {
		t.Run(kind.Kind, func(t *testing.T) {
			r := newRival(t, scheme, kind, uint64(i))
			for round := range rounds {
				r.round(t, round)
			}
			if r.converted < 4*rounds {
				t.Errorf("only %d objects were converted", r.converted)
			}
		})
	}
}

type bothEngines struct{ plans, types engine.Engine }

func enginesOf(t *testing.T, scheme *k8sruntime.Scheme) bothEngines {
	t.Helper()
	plans, err := webhook.EngineOf(scheme)
	if err != nil {
		t.Fatal(err)
	}
	types, err := webhook.EngineOfTypes(scheme)
	if err != nil {
		t.Fatal(err)
	}
	return bothEngines{plans, types}
}

// differed are objects on which the engines once differed.
var differed = []struct{ reason, kind, from, to, rest string }{
	{"an undecided original version", "Person", "v20190909", "v20190909storage",
		`,"spec":{"location":"a"},"status":{"propertyBag":"{\"fingerprints\":1,\"format\":1,\"originalVersion\":\"v20190909|v20150505\",\"shown\":\"AAAAAAAAAAA\"}"}`},
	{"a text with escapes that a version hides", "Person", "v20110101", "v20190909", `,"spec":{"properties":{"lastName":"\u003cA\u003e"}}`},
	{"a key twice in a property bag that goes to another", "Party", "v20190909storage", "v20150505",
		`,"spec":{"properties":{"channels":{"c":{"$propertyBag":{"k":1,"from":"a","k":2}}}}}`},
}

func TestEnginesAgreeWhereTheyDiffered(t *testing.T) {
	scheme := schemeOf(t, example.AddToScheme)
	rivals := map[string]*rival{}
	for i, kind := range enginesOf(t, scheme).plans.Kinds() {
		rivals[kind.Kind] = newRival(t, scheme, kind, uint64(i))
	}
	for _, test := range differed {
		t.Run(test.reason, func(t *testing.T) {
			r := rivals[test.kind]
			object := `{"apiVersion":"` + r.kind.Group + "/" + test.from + `","kind":"` + test.kind + `","metadata":{"name":"p"}` + test.rest + `}`
			if got := r.answers(t, test.to, []string{object}); len(got) != 1 {
				t.Errorf("%d objects", len(got))
			}
		})
	}
}

// rival compares two handlers on objects of one kind.
type rival struct {
	kind         engine.Kind
	api          map[string]reflect.Type // by label
	labels       []string                // of API versions
	drawer       *hostile.Drawer
	plans, types *webhook.Handler
	converted    int
}

func newRival(t *testing.T, scheme *k8sruntime.Scheme, kind engine.Kind, seed uint64) *rival {
	t.Helper()
	engines := enginesOf(t, scheme)
	r := &rival{
		kind: kind, api: map[string]reflect.Type{},
		plans: webhook.New(engines.plans, webhook.Options{}), types: webhook.New(engines.types, webhook.Options{}),
	}
	of := hostile.Kind{Group: kind.Group, Name: kind.Kind, Hub: kind.Hub}
	for _, label := range kind.Versions {
		object := scheme.AllKnownTypes()[kind.WithVersion(label)]
		if label == kind.Hub {
			of.Stored = object
		} else if !strings.HasSuffix(label, "storage") {
			r.api[label], r.labels = object, append(r.labels, label)
		}
	}
	of.Versions = r.labels
	r.drawer = hostile.New(seed, of)
	return r
}

// round draws stored objects and such of clients, reads them in a version, edits them there, and
// writes them back. Then it reads them in another version.
func (r *rival) round(t *testing.T, round int) {
	label, other := r.labels[round%len(r.labels)], r.labels[(round/len(r.labels))%len(r.labels)]
	var stored, written []string
	for range 4 {
		stored = append(stored, string(r.drawer.Stored()))
		written = append(written, string(r.drawer.Written(label, r.api[label])))
	}
	for _, object := range r.answers(t, label, stored) {
		written = append(written, string(r.drawer.Edited(label, object)))
	}
	var again []string
	for _, object := range r.answers(t, r.kind.Hub, written) {
		again = append(again, string(object))
	}
	r.answers(t, label, again)
	if other != label {
		r.answers(t, other, again)
		r.answers(t, other, written)
	}
}

// answers sends a review of objects to both handlers, and returns the objects of the answer by
// types.
func (r *rival) answers(t *testing.T, label string, objects []string) [][]byte {
	t.Helper()
	body := reviewOf(r.kind.Group+"/"+label, objects...)
	got, want := send(r.plans, body), send(r.types, body)
	if got.Code != want.Code {
		t.Fatalf("plans answer %d, types %d: %s", got.Code, want.Code, body)
	}
	if got.Code != http.StatusOK {
		t.Fatalf("status %d: %s\n%s", got.Code, got.Body, body)
	}
	byPlans, byTypes := responseOf(t, got.Body.Bytes()), responseOf(t, want.Body.Bytes())
	if !reflect.DeepEqual(byPlans.Result, byTypes.Result) || len(byPlans.ConvertedObjects) != len(byTypes.ConvertedObjects) {
		t.Fatalf("plans answer %v and %d objects, types %v and %d: %s", byPlans.Result, len(byPlans.ConvertedObjects), byTypes.Result, len(byTypes.ConvertedObjects), body)
	}
	var out [][]byte
	for i, object := range byTypes.ConvertedObjects {
		if at := r.drawer.Difference(byPlans.ConvertedObjects[i].Raw, object.Raw); at != "" {
			t.Fatalf("to %s: differs at %s:\n%s\nis by the plan\n%s\nby types\n%s", label, at, objects[i], byPlans.ConvertedObjects[i].Raw, object.Raw)
		}
		out = append(out, object.Raw)
	}
	r.converted += len(out)
	return out
}
