package packed_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stratakube/strata/operator/internal/packed"
)

var _ client.Object = (*packed.Object)(nil)

// object returns an object with every member of metadata, and values of every kind of JSON.
func object(t testing.TB, name string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	err := u.UnmarshalJSON(fmt.Appendf(nil, `{
		"apiVersion": "crm.example.com/v1", "kind": "Person",
		"metadata": {
			"name": %q, "namespace": "here", "generateName": "gen-", "uid": "0f-%[1]s", "resourceVersion": "8%[2]d", "generation": 3,
			"selfLink": "/link", "creationTimestamp": "2020-01-01T00:00:00Z", "deletionTimestamp": "2020-01-02T00:00:00Z", "deletionGracePeriodSeconds": 5,
			"labels": {"a": "b"}, "annotations": {"strata.dev/id": "/people/<&>\u2028%[1]s"}, "finalizers": ["f"],
			"ownerReferences": [{"apiVersion": "v1", "kind": "K", "name": "n", "uid": "u"}],
			"managedFields": [{"manager": "m", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {}}}]
		},
		"spec": {"whole": 9007199254740993, "part": 1.5, "yes": true, "nothing": null, "list": [1, "two", {}], "": "empty", "text": "a\u0000\"\\"}
	}`, name, len(name)))
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func pack(t testing.TB, p *packed.Packer, u *unstructured.Unstructured) *packed.Object {
	t.Helper()
	o, err := p.Pack(u)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestReadersSeeTheirObject packs many objects, so that most are no longer decoded. Each reads as
// it was, by every method that reads.
func TestReadersSeeTheirObject(t *testing.T) {
	var p packed.Packer
	var all []*packed.Object
	for i := range 200 {
		all = append(all, pack(t, &p, object(t, fmt.Sprintf("ann-%d", i))))
	}
	for i, o := range all {
		want := object(t, fmt.Sprintf("ann-%d", i))
		if diff := cmp.Diff(want, o.DeepCopyObject()); diff != "" {
			t.Fatalf("the copy of object %d (-want +got):\n%s", i, diff)
		}
		if diff := cmp.Diff(want, packed.Of(o)); diff != "" {
			t.Fatalf("object %d (-want +got):\n%s", i, diff)
		}
		reads := 0
		for m := range reflect.TypeFor[metav1.Object]().Methods() {
			if !strings.HasPrefix(m.Name, "Get") {
				continue
			}
			read := func(of metav1.Object) any { return reflect.ValueOf(of).MethodByName(m.Name).Call(nil)[0].Interface() }
			if diff := cmp.Diff(read(want), read(o)); diff != "" {
				t.Errorf("%s of object %d (-want +got):\n%s", m.Name, i, diff)
			}
			reads++
		}
		if reads < 15 || o.GetObjectKind().GroupVersionKind() != want.GroupVersionKind() {
			t.Errorf("object %d: %d methods, kind %s", i, reads, o.GetObjectKind().GroupVersionKind())
		}
	}
}

// TestPackedObjectsDoNotChange changes a copy, and calls each method that changes an object. The
// packed object stays as it was.
func TestPackedObjectsDoNotChange(t *testing.T) {
	var p packed.Packer
	o := pack(t, &p, object(t, "ann"))
	copied := packed.Of(o.DeepCopyObject())
	copied.SetName("bea")
	delete(copied.Object, "spec")
	for m := range reflect.TypeFor[metav1.Object]().Methods() {
		if strings.HasPrefix(m.Name, "Set") {
			reflect.ValueOf(o).MethodByName(m.Name).Call([]reflect.Value{reflect.Zero(m.Type.In(0))})
		}
	}
	if diff := cmp.Diff(object(t, "ann"), packed.Of(o)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestReadersAtSameTime has several goroutines read objects of which few are decoded at a time.
func TestReadersAtSameTime(t *testing.T) {
	var p packed.Packer
	var all []*packed.Object
	for i := range 100 {
		all = append(all, pack(t, &p, object(t, fmt.Sprintf("ann-%d", i))))
	}
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := range 400 {
				n := (worker*37 + i*11) % len(all)
				if want := fmt.Sprintf("ann-%d", n); packed.Of(all[n]).GetName() != want || all[n].GetLabels()["a"] != "b" {
					t.Errorf("object %d is another one", n)
				}
			}
		})
	}
	group.Wait()
}

// heap returns the bytes of live objects.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestFewLargeObjectsAreDecoded packs large objects. Decoded, all of them would take 130 MiB.
func TestFewLargeObjectsAreDecoded(t *testing.T) {
	var p packed.Packer
	var all []*packed.Object
	before := heap()
	for i := range 20 {
		u := object(t, fmt.Sprintf("ann-%d", i))
		var list []any
		for n := range 20_000 {
			list = append(list, map[string]any{"n": int64(n)})
		}
		u.Object["spec"] = map[string]any{"list": list}
		all = append(all, pack(t, &p, u))
	}
	for _, o := range all {
		packed.Of(o)
	}
	if taken := (heap() - before) >> 20; taken > 60 {
		t.Errorf("%d objects take %d MiB", len(all), taken)
	}
	runtime.KeepAlive(all)
}

// TestMemory requires that a packed object takes a third of the memory of its JSON, also if the
// first object of the kind is unlike all others. A decoded one takes four times its JSON.
func TestMemory(t *testing.T) {
	const few, count = 100, 2000
	var p packed.Packer
	empty := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "crm.example.com/v1", "kind": "Person"}}
	all := []*packed.Object{pack(t, &p, empty)}
	var before int64
	size := 0
	for i := range count + few {
		if i == few { // so many are decoded at any time
			before = heap()
		}
		u := object(t, fmt.Sprintf("ann-%d", i))
		for n := range 40 {
			_ = unstructured.SetNestedField(u.Object, fmt.Sprintf("value %d", n), "spec", fmt.Sprintf("member%d", n))
		}
		if i == 0 {
			text, err := json.Marshal(u.Object)
			if err != nil {
				t.Fatal(err)
			}
			size = len(text)
		}
		all = append(all, pack(t, &p, u))
	}
	each := (heap() - before) / count
	if most := int64(size) / 3; each > most {
		t.Errorf("an object of %d bytes of JSON takes %d bytes, want at most %d", size, each, most)
	}
	runtime.KeepAlive(all)
}

// TestObjectsWithoutLikeness packs objects that have nothing in common, of several kinds.
func TestObjectsWithoutLikeness(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var p packed.Packer
	var want []*unstructured.Unstructured
	var got []*packed.Object
	for i := range 300 {
		text := make([]byte, random.IntN(10_000))
		for n := range text {
			text[n] = byte(' ' + random.IntN(95))
		}
		u := object(t, fmt.Sprintf("ann-%d", i))
		u.SetKind(fmt.Sprintf("Kind%d", i%7))
		_ = unstructured.SetNestedField(u.Object, string(text), "spec", "text")
		want, got = append(want, u.DeepCopy()), append(got, pack(t, &p, u))
	}
	for i := range want {
		if diff := cmp.Diff(want[i], packed.Of(got[i])); diff != "" {
			t.Fatalf("object %d (-want +got):\n%s", i, diff)
		}
	}
}

func BenchmarkPack(b *testing.B) {
	var p packed.Packer
	u := object(b, "ann")
	for b.Loop() {
		pack(b, &p, u)
	}
}

func BenchmarkUnpack(b *testing.B) {
	var p packed.Packer
	o := pack(b, &p, object(b, "ann"))
	for b.Loop() {
		o.DeepCopyObject()
	}
}

func TestPackRefusesObjectsWithoutKind(t *testing.T) {
	var p packed.Packer
	for _, content := range []map[string]any{{"metadata": map[string]any{"name": "ann"}}, {"kind": "K", "spec": func() {}}} {
		if o, err := p.Pack(&unstructured.Unstructured{Object: content}); err == nil {
			t.Errorf("%v is packed: %v", content, o)
		}
	}
}
