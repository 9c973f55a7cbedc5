package versions

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	coretesting "k8s.io/client-go/testing"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/terminal"
)

var notes = &crd.CRD{
	Group: "crm.example.com", Kind: "Note", Plural: "notes", Namespaced: true, Stored: []string{"v2storage"},
	Versions: []crd.Version{
		{Name: "v2storage", Served: true, Storage: true}, {Name: "v2", Served: true}, {Name: "v1storage", Former: true},
		{Name: "v1", Served: true, Deprecated: true},
	},
}

func note(version, namespace, name, original string) *unstructured.Unstructured {
	spec := map[string]any{}
	if original != "" {
		spec["originalVersion"] = original
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "crm.example.com/" + version, "kind": "Note", "metadata": map[string]any{"namespace": namespace, "name": name}, "spec": spec,
	}}
}

func client(objects ...runtime.Object) *fake.FakeDynamicClient {
	kinds := map[schema.GroupVersionResource]string{}
	for _, v := range notes.Versions {
		kinds[notes.Resource(v.Name)] = "NoteList"
	}
	return fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds, objects...)
}

func TestOfKind(t *testing.T) {
	c := client(note("v2storage", "a", "x", ""), note("v2storage", "a", "y", "v1"), note("v2storage", "b", "x", "v2"), note("v2storage", "b", "z", "v0"))
	k, err := OfKind(t.Context(), c, notes, "")
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	k.Table(&table)
	const want = `notes.crm.example.com: 4 objects, stored in v2storage
VERSION    SERVED           ROLE     ORIGINAL OF
v1         yes, deprecated  api      1 object
v1storage  no               former   -
v2         yes              hub      2 objects
v2storage  yes              stored   -
v0         no               unknown  1 object
`
	if diff := cmp.Diff(want, table.String()); diff != "" {
		t.Errorf("all (-want +got):\n%s", diff)
	}
	if k, err = OfKind(t.Context(), c, notes, "a"); err != nil || k.Objects != 2 || len(k.Unknown) != 0 {
		t.Errorf("those of a namespace: %+v, %v", k, err)
	}
}

func TestOfObject(t *testing.T) {
	visible := note("v1", "a", "x", "")
	visible.Object["status"] = map[string]any{"propertyBag": `{"format":1,"spec":{"bag":{"top":1},"in":{"list":{"in":[[1,{"bag":{"k":true}}]]}}}}`}
	c := client(note("v2storage", "a", "x", "v1"), note("v2", "a", "x", ""), visible)
	o, err := OfObject(t.Context(), c, notes, "a", "x")
	if err != nil {
		t.Fatal(err)
	}
	want := &Object{Group: "crm.example.com", Kind: "Note", Namespace: "a", Name: "x", Hub: "v2storage", Original: "v1", Known: true, Versions: []View{
		{Version: "v2", Hidden: []Hidden{}},
		{Version: "v1", Hidden: []Hidden{{Path: "spec", Key: "top", Bytes: 1}, {Path: "spec.list[1]", Key: "k", Bytes: 4}}, Bytes: 85},
	}}
	want.Versions[1].Bytes = len(visible.Object["status"].(map[string]any)["propertyBag"].(string))
	if diff := cmp.Diff(want, o); diff != "" || o.Failed() {
		t.Errorf("object (-want +got):\n%s", diff)
	}
	var table bytes.Buffer
	o.Table(&table)
	for _, line := range []string{"Note a/x: original version v1, stored in v2storage\n", "\nv2       nothing", "spec.list[1]  k    4\n"} {
		if !strings.Contains(table.String(), line) {
			t.Errorf("there is no %q in\n%s", line, table.String())
		}
	}
}

// TestDraw draws the versions of a kind on terminals of several widths, and on none.
func TestDraw(t *testing.T) {
	c := client(note("v2storage", "a", "x", ""), note("v2storage", "a", "y", "v1"), note("v2storage", "b", "x", "v2"), note("v2storage", "b", "z", "v0"))
	k, err := OfKind(t.Context(), c, notes, "")
	if err != nil {
		t.Fatal(err)
	}
	const title = "notes.crm.example.com: 4 objects, stored in v2storage\nVERSION    SERVED           ROLE     ORIGINAL OF\n"
	for _, test := range []struct {
		reason string
		screen terminal.Screen
		want   string
	}{
		{"with room", terminal.Screen{Columns: 58}, title + `v1         yes, deprecated  api      1 object   █████
v1storage  no               former   -
v2         yes              hub      2 objects  ██████████
v2storage  yes              stored   -
v0         no               unknown  1 object   █████
`},
		{"in ASCII", terminal.Screen{Columns: 58, Plain: true}, title + `v1         yes, deprecated  api      1 object   #####
v1storage  no               former   -
v2         yes              hub      2 objects  ##########
v2storage  yes              stored   -
v0         no               unknown  1 object   #####
`},
		{"without room", terminal.Screen{Columns: 50}, plain(k)},
		{"without a terminal", terminal.Screen{}, plain(k)},
	} {
		t.Run(test.reason, func(t *testing.T) {
			var out bytes.Buffer
			if err := k.Draw(&out, test.screen); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func plain(k *Kind) string {
	var out bytes.Buffer
	k.Table(&out)
	return out.String()
}

// TestExpiredLists lists objects in two pages. The API server has removed the state of the first
// page when the second one is asked for.
func TestExpiredLists(t *testing.T) {
	c := client()
	asked := 0
	c.PrependReactor("list", "notes", func(coretesting.Action) (bool, runtime.Object, error) {
		asked++
		list := &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "crm.example.com/v2storage", "kind": "NoteList"}}
		switch asked {
		case 1:
			list.SetContinue("second")
			list.Items = append(list.Items, *note("v2storage", "a", "x", "v1"))
		case 2:
			err := apierrors.NewResourceExpired("gone")
			err.ErrStatus.Continue = "again"
			return true, nil, err
		case 3:
			list.Items = append(list.Items, *note("v2storage", "a", "y", "v1"))
		default:
			return true, nil, errors.New("one list too many")
		}
		return true, list, nil
	})
	k, err := OfKind(t.Context(), c, notes, "")
	if err != nil || k.Objects != 2 || asked != 3 {
		t.Errorf("it asked %d times, and counted %+v; error %v", asked, k, err)
	}
}

// TestTablesShowNoValues covers an object that hides a value of its spec. The report has its
// path, and not the value, which may be a secret.
func TestTablesShowNoValues(t *testing.T) {
	visible := note("v1", "a", "x", "")
	visible.Object["status"] = map[string]any{"propertyBag": `{"format":1,"spec":{"bag":{"password":"hunter2"},"in":{"list":{"in":[["hunter2",{"bag":{"k":"hunter2"}}]]}}}}`}
	o, err := OfObject(t.Context(), client(note("v2storage", "a", "x", "v1"), note("v2", "a", "x", ""), visible), notes, "a", "x")
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	o.Table(&table)
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, report := range []string{table.String(), string(text)} {
		if !strings.Contains(report, "password") || strings.Contains(report, "hunter2") {
			t.Errorf("the report is %s", report)
		}
	}
}

// TestUnreadableObjects checks a version whose conversion fails, and one whose bag is damaged.
func TestUnreadableObjects(t *testing.T) {
	damaged := note("v1", "a", "x", "")
	damaged.SetAnnotations(map[string]string{"strata.dev/property-bag": "{"})
	c := client(note("v2storage", "a", "x", "v9"), damaged)
	c.PrependReactor("get", "notes", func(action coretesting.Action) (bool, runtime.Object, error) {
		if action.GetResource().Version == "v2" {
			return true, nil, errors.New("conversion failed")
		}
		return false, nil, nil
	})
	o, err := OfObject(t.Context(), c, notes, "a", "x")
	if err != nil {
		t.Fatal(err)
	}
	if !o.Failed() || o.Known || o.Versions[0].Error != "conversion failed" || o.Versions[1].Error == "" {
		t.Errorf("the object is %+v", o)
	}
	if _, err := OfObject(t.Context(), c, notes, "a", "nobody"); err == nil || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("an object that there is not: %v", err)
	}
}
