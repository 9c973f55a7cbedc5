package rewrite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/fake"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/stratakube/strata/operator/cluster/ownership"
)

var things = schema.GroupVersionResource{Group: "example.com", Version: "v2", Resource: "things"}

const schemaOfTwo = `{"properties": {"spec": {"properties": {
	"name": {"type": "string"},
	"ports": {"items": {}, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]},
	"tags": {"items": {}, "x-kubernetes-list-type": "set"},
	"whole": {"items": {}},
	"labels": {"additionalProperties": {"type": "string"}},
	"free": {"x-kubernetes-preserve-unknown-fields": true}
}}}}`

func thing(name string, entries ...metav1.ManagedFieldsEntry) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{APIVersion: "example.com/v2", Kind: "Thing"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: "u", ResourceVersion: "5", ManagedFields: entries},
	}
}

func owner(manager, version string, operation metav1.ManagedFieldsOperationType, fields string) metav1.ManagedFieldsEntry {
	e := metav1.ManagedFieldsEntry{Manager: manager, Operation: operation, APIVersion: "example.com/" + version, FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{}}
	e.FieldsV1.SetRawBytes([]byte(fields))
	return e
}

func owners() Owners {
	return Owners{
		Group:     things.Group,
		Target:    func(string) string { return "v2" },
		Translate: Relabel(map[string]json.RawMessage{"v2": json.RawMessage(schemaOfTwo)}),
	}
}

// start returns a client whose patches answer as given.
func start(objects []*metav1.PartialObjectMetadata, patched func(name string, call int) (*metav1.PartialObjectMetadata, error)) *fake.FakeMetadataClient {
	scheme := fake.NewTestScheme()
	_ = metav1.AddMetaToScheme(scheme)
	var all []runtime.Object
	for _, o := range objects {
		all = append(all, o)
	}
	c := fake.NewSimpleMetadataClient(scheme, all...)
	var calls atomic.Int32
	c.PrependReactor("patch", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		o, err := patched(a.(clienttesting.PatchAction).GetName(), int(calls.Add(1)))
		return true, o, err
	})
	return c
}

func rewriteAll(t *testing.T, c metadata.Interface, o Owners) (Report, error) {
	t.Helper()
	return Run(t.Context(), Options{Client: c, Resource: things, Others: []string{"v1"}, Owners: o, Pace: NewPace(1000), Pause: time.Millisecond, Progress: func(Report, int64) {}})
}

// TestOwnersThatWerePutBack has an API server that stores an object without the translated owners,
// and reports no error.
func TestOwnersThatWerePutBack(t *testing.T) {
	old := owner("flux", "v1", metav1.ManagedFieldsOperationApply, `{"f:spec":{"f:name":{}}}`)
	c := start([]*metav1.PartialObjectMetadata{thing("a", old)}, func(string, int) (*metav1.PartialObjectMetadata, error) {
		return thing("a", old), nil
	})
	r, err := rewriteAll(t, c, owners())
	if err != nil || r.Poison.Objects != 1 || !strings.Contains(r.Poison.Examples[0].Reason, "has not stored the translated owners") {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestDefaults has an API server that adds a default in the write, whose owner is this program.
func TestDefaults(t *testing.T) {
	c := start([]*metav1.PartialObjectMetadata{thing("a", owner("flux", "v1", metav1.ManagedFieldsOperationApply, `{"f:spec":{"f:name":{}}}`))}, func(string, int) (*metav1.PartialObjectMetadata, error) {
		written := thing("a", owner("flux", "v2", metav1.ManagedFieldsOperationApply, `{"f:spec":{"f:name":{}}}`),
			owner(Manager, "v2", metav1.ManagedFieldsOperationUpdate, `{"f:spec":{"f:free":{}}}`))
		written.ResourceVersion = "6"
		return written, nil
	})
	if r, err := rewriteAll(t, c, owners()); err != nil || r.Written != 1 || r.Poison.Objects != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestConflicts has a writer beside the run. A conflict is no evidence: the object is written
// again.
func TestConflicts(t *testing.T) {
	gone := apierrors.NewNotFound(things.GroupResource(), "b")
	for _, test := range []struct {
		reason string
		answer func(call int) error
		want   Report
	}{
		{"one conflict", func(call int) error {
			if call == 1 {
				return apierrors.NewConflict(things.GroupResource(), "a", errors.New("another writer"))
			}
			return nil
		}, Report{Objects: 1, Written: 1}},
		{"an answer of the webhook that passes", func(call int) error {
			if call == 1 {
				return apierrors.NewInternalError(errors.New("connection refused"))
			}
			return nil
		}, Report{Objects: 1, Written: 1}},
		{"an object that was not found, and is there", func(call int) error {
			if call == 1 {
				return gone
			}
			return nil
		}, Report{Objects: 1, Written: 1}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			c := start([]*metav1.PartialObjectMetadata{thing("a")}, func(name string, call int) (*metav1.PartialObjectMetadata, error) {
				written := thing(name)
				written.ResourceVersion = "6"
				return written, test.answer(call)
			})
			r, err := rewriteAll(t, c, owners())
			if got := fmt.Sprintf("%+v", r); err != nil || got != fmt.Sprintf("%+v", test.want) {
				t.Errorf("%s, %v", got, err)
			}
		})
	}
	c := start([]*metav1.PartialObjectMetadata{thing("a")}, func(string, int) (*metav1.PartialObjectMetadata, error) { return nil, gone })
	c.PrependReactor("get", "*", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, gone })
	if r, err := rewriteAll(t, c, owners()); err != nil || r.Gone != 1 || r.Poison.Objects != 0 {
		t.Errorf("a deleted object: %+v, %v", r, err)
	}
}

// TestNotFoundVersion has an API server that stops serving the version. Its answer is no evidence
// that objects were deleted.
func TestNotFoundVersion(t *testing.T) {
	unserved := apierrors.NewGenericServerResponse(http.StatusNotFound, "patch", things.GroupResource(), "a", "404 page not found", 0, true)
	c := start([]*metav1.PartialObjectMetadata{thing("a")}, func(string, int) (*metav1.PartialObjectMetadata, error) { return nil, unserved })
	c.PrependReactor("get", "*", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, unserved })
	if r, err := rewriteAll(t, c, owners()); err != nil || r.Gone != 0 || r.Poison.Objects != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestLiveReads has reads of live objects that fail once, and objects that are deleted before them.
func TestLiveReads(t *testing.T) {
	gone := apierrors.NewNotFound(things.GroupResource(), "a")
	for _, test := range []struct {
		reason string
		fails  error
		want   Report
	}{
		{"a failure that passes", apierrors.NewInternalError(errors.New("connection refused")), Report{Objects: 1, Written: 1, Entries: 1}},
		{"a deleted object", gone, Report{Objects: 1, Gone: 1}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			translated := owner("flux", "v2", metav1.ManagedFieldsOperationApply, `{"f:spec":{"f:name":{}}}`)
			c := start([]*metav1.PartialObjectMetadata{thing("a", owner("flux", "v1", metav1.ManagedFieldsOperationApply, `{"f:spec":{"f:name":{}}}`))}, func(name string, _ int) (*metav1.PartialObjectMetadata, error) {
				written := thing(name, translated)
				written.ResourceVersion = "6"
				return written, nil
			})
			if test.fails == gone {
				c.PrependReactor("get", "*", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, gone })
			}
			o, calls := owners(), 0
			o.Translate = func(set *fieldpath.Set, _, _ string) (*ownership.Translation, error) {
				return &ownership.Translation{Set: set, Whole: set, Lost: fieldpath.NewSet(), Stepped: fieldpath.NewSet()}, nil
			}
			o.Live = func(context.Context, *metav1.PartialObjectMetadata, string) (map[string]any, error) {
				if calls++; calls == 1 {
					return nil, test.fails
				}
				return map[string]any{"spec": map[string]any{"name": "x"}}, nil
			}
			r, err := rewriteAll(t, c, o)
			if got := fmt.Sprintf("%+v", r); err != nil || got != fmt.Sprintf("%+v", test.want) {
				t.Errorf("%s, %v", got, err)
			}
		})
	}
}

// TestValueThatStorageVersionLacks checks that an object is not written if the write would
// remove a value.
func TestValueThatStorageVersionLacks(t *testing.T) {
	c := start([]*metav1.PartialObjectMetadata{thing("a"), thing("b")}, func(name string, _ int) (*metav1.PartialObjectMetadata, error) {
		if name == "a" {
			t.Error("it was written")
		}
		return thing(name), nil
	})
	r, err := Run(t.Context(), Options{Client: c, Resource: things, Owners: owners(), Pace: NewPace(1000), Progress: func(Report, int64) {},
		Removes: func(_ context.Context, m *metav1.PartialObjectMetadata) (string, error) {
			return map[string]string{"a": ".spec.legacy"}[m.Name], nil
		}})
	if err != nil || r.Objects != 2 || r.Poison.Objects != 1 || !strings.Contains(r.Poison.Examples[0].Reason, "lacks .spec.legacy") {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestPruned compares with what API servers remove.
func TestPruned(t *testing.T) {
	find, err := Pruned(json.RawMessage(`{"properties": {"spec": {"properties": {
		"name": {"type": "string"},
		"list": {"items": {"properties": {"a": {}}}},
		"map": {"additionalProperties": {"properties": {"a": {}}}},
		"any": {"additionalProperties": true},
		"none": {"additionalProperties": false},
		"free": {"x-kubernetes-preserve-unknown-fields": true, "properties": {"a": {}}},
		"freeList": {"x-kubernetes-preserve-unknown-fields": true, "items": {"properties": {"a": {}}}},
		"object": {"x-kubernetes-embedded-resource": true}
	}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]string{
		`{"apiVersion":"a/v1","kind":"A","metadata":{"name":"n"},"spec":{"name":"n"}}`: "",
		`{"spec":{"legacy":null}}`:                         ".spec.legacy",
		`{"other":1}`:                                      ".other",
		`{"spec":{"name":{"x":1}}}`:                        ".spec.name.x",
		`{"spec":{"list":[{"a":1},{"b":1}]}}`:              ".spec.list[1].b",
		`{"spec":{"map":{"x":{"a":1},"y":{"b":1}}}}`:       ".spec.map.y.b",
		`{"spec":{"any":{"x":1}}}`:                         "",
		`{"spec":{"any":{"x":{"b":1}}}}`:                   ".spec.any.x.b",
		`{"spec":{"none":{"x":1}}}`:                        ".spec.none.x",
		`{"spec":{"free":{"x":{"y":[{"z":1}]}}}}`:          "",
		`{"spec":{"freeList":[{"b":1}]}}`:                  "",
		`{"spec":{"freeList":[{"a":{"b":1}}]}}`:            ".spec.freeList[0].a.b",
		`{"spec":{"free":{"a":{"y":1}}}}`:                  ".spec.free.a.y",
		`{"spec":{"object":{"kind":"B","metadata":{}}}}`:   "",
		`{"spec":{"object":{"kind":"B","spec":{}}}}`:       ".spec.object.spec",
		`{"spec":{"list":"text","map":[{}],"name":[[1]]}}`: "",
	} {
		var object map[string]any
		if err := json.Unmarshal([]byte(given), &object); err != nil {
			t.Fatal(err)
		}
		if got := find(object); got != want {
			t.Errorf("%s: %q, want %q", given, got, want)
		}
	}
}

// TestPoisonAmongOthers has an object that cannot be converted to the version of the lists. The
// version in which it is stored shows its name.
func TestPoisonAmongOthers(t *testing.T) {
	broken := apierrors.NewInternalError(errors.New("conversion webhook failed"))
	c := start([]*metav1.PartialObjectMetadata{thing("a")}, func(string, int) (*metav1.PartialObjectMetadata, error) { return nil, broken })
	lists := 0
	c.PrependReactor("list", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		lists++
		if a.GetResource().Version == things.Version {
			return true, nil, broken
		}
		return true, &metav1.List{Items: []runtime.RawExtension{{Object: thing("a")}}}, nil
	})
	r, err := rewriteAll(t, c, owners())
	if err != nil || r.Poison.Objects != 1 || r.Poison.Examples[0].Object != "default/a" || lists > 20 {
		t.Errorf("%+v after %d lists, %v", r, lists, err)
	}
}

// TestNothingCanBeWritten has a user without the right to write: the run ends early.
func TestNothingCanBeWritten(t *testing.T) {
	var all []*metav1.PartialObjectMetadata
	for i := range 200 {
		all = append(all, thing(fmt.Sprint("thing-", i)))
	}
	c := start(all, func(name string, _ int) (*metav1.PartialObjectMetadata, error) {
		return nil, apierrors.NewForbidden(things.GroupResource(), name, errors.New("no right"))
	})
	r, err := rewriteAll(t, c, owners())
	if !apierrors.IsForbidden(err) || r.Poison.Objects >= len(all) || len(r.Poison.Examples) != examples {
		t.Errorf("%d poison objects, %v", r.Poison.Objects, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, Options{Client: c, Resource: things, Owners: owners(), Pace: NewPace(1), Pause: time.Millisecond, Progress: func(Report, int64) {}}); !errors.Is(err, context.Canceled) {
		t.Errorf("after an interrupt: %v", err)
	}
}

// TestRelabel checks which fields stay owned where only the schema of the target is known.
func TestRelabel(t *testing.T) {
	for _, test := range []struct{ reason, fields, want, lost string }{
		{"a property of both", `{"f:spec":{"f:name":{}}}`, `{"f:spec":{"f:name":{}}}`, ""},
		{"a property that went", `{"f:spec":{"f:old":{}}}`, `{}`, ".spec.old"},
		{"two properties that went", `{"f:spec":{"f:old":{},"f:older":{"f:a":{}}}}`, `{}`, ".spec.old"},
		{"metadata", `{"f:metadata":{"f:labels":{"f:a":{}}}}`, `{"f:metadata":{"f:labels":{"f:a":{}}}}`, ""},
		{"an element of a list by its key", `{"f:spec":{"f:ports":{"k:{\"name\":\"a\"}":{".":{}}}}}`, `{"f:spec":{"f:ports":{"k:{\"name\":\"a\"}":{}}}}`, ""},
		{"another key", `{"f:spec":{"f:ports":{"k:{\"number\":1}":{".":{}}}}}`, `{}`, `.spec.ports[number=1]`},
		{"an element of a set", `{"f:spec":{"f:tags":{"v:\"x\"":{}}}}`, `{"f:spec":{"f:tags":{"v:\"x\"":{}}}}`, ""},
		{"a list that became atomic", `{"f:spec":{"f:whole":{"v:\"x\"":{}}}}`, `{"f:spec":{"f:whole":{}}}`, ""},
		{"a map", `{"f:spec":{"f:labels":{"f:x":{}}}}`, `{"f:spec":{"f:labels":{"f:x":{}}}}`, ""},
		{"free JSON", `{"f:spec":{"f:free":{"f:x":{"f:y":{}}}}}`, `{"f:spec":{"f:free":{"f:x":{"f:y":{}}}}}`, ""},
	} {
		t.Run(test.reason, func(t *testing.T) {
			entries, c, err := owners().translate(t.Context(), thing("a", owner("m", "v1", metav1.ManagedFieldsOperationUpdate, test.fields)))
			if err != nil || len(entries) != 1 || entries[0].APIVersion != "example.com/v2" {
				t.Fatalf("%+v, %v", entries, err)
			}
			if got := string(entries[0].FieldsV1.GetRawBytes()); got != test.want {
				t.Errorf("the fields are %s, want %s", got, test.want)
			}
			if !strings.HasPrefix(c.lost, test.lost) || (c.lost == "") != (test.lost == "") {
				t.Errorf("lost is %q", c.lost)
			}
		})
	}
}

// TestOwnersAreUnited translates two entries of one manager that become one. An entry of another
// group's version, and one without fields, stay.
func TestOwnersAreUnited(t *testing.T) {
	one := owner("flux", "v1", metav1.ManagedFieldsOperationUpdate, `{"f:spec":{"f:name":{}}}`)
	two := owner("flux", "v2", metav1.ManagedFieldsOperationUpdate, `{"f:spec":{"f:tags":{}}}`)
	other := owner("flux", "v1", metav1.ManagedFieldsOperationApply, `{"f:spec":{"f:name":{}}}`)
	o := owners()
	o.Target = func(v string) string { return strings.Replace(v, "v1", "v2", 1) }
	entries, c, err := o.translate(t.Context(), thing("a", one, two, other))
	if err != nil || c.entries != 2 || len(entries) != 2 {
		t.Fatalf("%+v, %+v, %v", entries, c, err)
	}
	if got, want := string(entries[0].FieldsV1.GetRawBytes()), `{"f:spec":{"f:name":{},"f:tags":{}}}`; got != want {
		t.Errorf("the fields are %s", got)
	}
}

// TestStoppedPaceAllowsNoWrite stops a pace while a write waits for its turn.
func TestStoppedPaceAllowsNoWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPace(1)
		if err := p.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		var allowed atomic.Bool
		go func() { allowed.Store(p.Wait(t.Context()) == nil) }()
		synctest.Wait()
		p.Hold(true)
		time.Sleep(time.Minute)
		if synctest.Wait(); allowed.Load() {
			t.Error("a stopped pace has allowed a write")
		}
		p.Hold(false)
		if synctest.Wait(); !allowed.Load() {
			t.Error("the write does not go on")
		}
	})
}

// TestPace answers as a busy API server does.
func TestPace(t *testing.T) {
	p := NewPace(100)
	for range sample {
		p.answered(2*time.Millisecond, http.StatusOK)
	}
	p.answered(0, http.StatusTooManyRequests)
	if p.Rate() != 50 {
		t.Errorf("after a refusal the rate is %v", p.Rate())
	}
	for range sample {
		p.answered(20*time.Millisecond, http.StatusOK)
	}
	if p.Rate() != 40 {
		t.Errorf("after slow answers the rate is %v", p.Rate())
	}
	for range 10 * sample {
		p.answered(2*time.Millisecond, http.StatusOK)
	}
	if p.Rate() != 100 {
		t.Errorf("after fast answers the rate is %v", p.Rate())
	}
	for range 100 * sample {
		p.answered(20*time.Millisecond, http.StatusOK)
	}
	if p.Rate() != 10 {
		t.Errorf("after slow answers only, the rate is %v", p.Rate())
	}
	for range 100 {
		p.answered(0, http.StatusServiceUnavailable)
	}
	if p.Rate() != slowest {
		t.Errorf("after many refusals the rate is %v", p.Rate())
	}
}

// TestSilence has an API server that never answers: each request takes as long as the client lets
// it. A run ends within some minutes, and not after all its attempts.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &run{Options: Options{Pause: time.Second}}
		began, calls := time.Now(), 0
		err := r.retry(t.Context(), func() error {
			calls++
			time.Sleep(90 * time.Second)
			return errors.New("no answer")
		})
		if took := time.Since(began); err == nil || took > 10*time.Minute || calls < 2 {
			t.Errorf("%d calls took %s: %v", calls, took, err)
		}
	})
}
