package upgrade

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/stratakube/strata/operator/cluster/internal/converter"
	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/pack"
	"github.com/stratakube/strata/operator/cluster/internal/references"
)

const group = "crm.example.com"

// definition returns a CRD whose versions are NAME for a served and -NAME for another one. The
// first is the hub.
func definition(stored []any, versions ...string) map[string]any {
	var all []any
	for i, name := range versions {
		name, off := strings.CutPrefix(name, "-")
		all = append(all, map[string]any{"name": name, "served": !off, "storage": i == 0})
	}
	return map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "notes." + group, "uid": "u", "generation": int64(3)},
		"spec":     map[string]any{"group": group, "scope": "Namespaced", "names": map[string]any{"kind": "Note", "plural": "notes"}, "versions": all},
		"status":   map[string]any{"storedVersions": stored},
	}
}

// converting relabels objects, and changes them as a test asks.
type converting func(to string, object map[string]any) error

func (c converting) Convert(to string, objects []json.RawMessage) (out []converter.Result, err error) {
	for _, text := range objects {
		var object map[string]any
		if err := json.Unmarshal(text, &object); err != nil {
			return nil, err
		}
		if object["apiVersion"] != to {
			object["apiVersion"] = to
			if c != nil {
				if err := c(strings.TrimPrefix(to, group+"/"), object); err != nil {
					out = append(out, converter.Result{Err: err})
					continue
				}
			}
		}
		text, err := json.Marshal(object)
		if err != nil {
			return nil, err
		}
		out = append(out, converter.Result{Object: text})
	}
	return out, nil
}

// situation is a cluster, a package and a converter.
type situation struct {
	installed, brought map[string]any
	objects            []*unstructured.Unstructured
	convert            converting
	knows              []string
	react              func(*fake.FakeDynamicClient)
}

func (s situation) plan(t *testing.T) (*Plan, error) {
	t.Helper()
	kinds := map[schema.GroupVersionResource]string{{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}: "CustomResourceDefinitionList"}
	for _, version := range []string{"v1", "v2", "v1storage", "v2storage"} {
		kinds[schema.GroupVersionResource{Group: group, Version: version, Resource: "notes"}] = "NoteList"
	}
	var all []runtime.Object
	if s.installed != nil {
		all = append(all, &unstructured.Unstructured{Object: s.installed})
	}
	for _, o := range s.objects {
		all = append(all, o)
		visible := o.DeepCopy() // what the API server shows through the API version
		visible.SetAPIVersion(group + "/v1")
		unstructured.RemoveNestedField(visible.Object, "spec", "$propertyBag")
		all = append(all, visible)
	}
	c := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds, all...)
	if s.react != nil {
		s.react(c)
	}
	text, err := json.Marshal(s.brought)
	if err != nil {
		t.Fatal(err)
	}
	to, err := crd.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return Make(t.Context(), Options{
		Cluster: c, Package: &pack.Package{CRDs: []*crd.CRD{to}, Digest: "d"},
		Versions: &converter.Versions{Format: 1, Kinds: []converter.Kind{{Group: group, Kind: "Note", Versions: s.knows}}},
		Start:    func(context.Context) (Converter, func(), error) { return s.convert, func() {}, nil },
	})
}

func note(name string, edit func(o *unstructured.Unstructured)) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": group + "/v1storage", "kind": "Note", "metadata": map[string]any{"namespace": "a", "name": name, "uid": name}, "spec": map[string]any{"text": "t"},
	}}
	if edit != nil {
		edit(o)
	}
	return o
}

// TestFindings makes a plan for each reason of a finding.
func TestFindings(t *testing.T) {
	old := definition([]any{"v1storage"}, "v1storage", "v1")
	next := definition(nil, "v2storage", "v2", "v1", "-v1storage")
	all := []string{"v1", "v2", "v1storage", "v2storage"}
	change := func(where string) converting {
		return func(to string, object map[string]any) error {
			if to == where {
				object["spec"].(map[string]any)["text"] = "other"
			}
			return nil
		}
	}
	// bags gives what the installed hub stores a bag, which the new one does not have. v1 shows what
	// the bag has at one name.
	bags := func(bag map[string]any) converting {
		return func(to string, object map[string]any) error {
			spec := object["spec"].(map[string]any)
			has, _ := spec["$propertyBag"].(map[string]any)
			switch {
			case to == "v1storage":
				spec["$propertyBag"] = bag
			case to == "v1" && has["text"] != nil:
				spec["text"] = has["text"]
				fallthrough
			default:
				delete(spec, "$propertyBag")
			}
			return nil
		}
	}
	bagged := note("x", func(o *unstructured.Unstructured) {
		o.Object["spec"].(map[string]any)["$propertyBag"] = map[string]any{"old": map[string]any{"size": int64(1)}}
	})
	for _, test := range []struct {
		reason string
		s      situation
		want   []string // reason, version, count, example and path
	}{
		{"a bag that grows, and that no version shows", situation{installed: old, brought: next, knows: all,
			objects: []*unstructured.Unstructured{bagged},
			convert: bags(map[string]any{"old": map[string]any{"size": 1, "more": map[string]any{}}, "derived": "x"})}, nil},
		{"a bag that grows, and that a version shows", situation{installed: old, brought: next, knows: all,
			objects: []*unstructured.Unstructured{bagged},
			convert: bags(map[string]any{"old": map[string]any{"size": 1}, "text": "x"})}, []string{"HubChanged v1 1 a/x spec.text"}},
		{"a bag that loses a value", situation{installed: old, brought: next, knows: all,
			objects: []*unstructured.Unstructured{bagged}, convert: bags(map[string]any{"old": map[string]any{}})},
			[]string{`HubChanged v1storage 1 a/x spec["$propertyBag"].old.size`}},
		{"a bag with another value", situation{installed: old, brought: next, knows: all,
			objects: []*unstructured.Unstructured{bagged}, convert: bags(map[string]any{"old": map[string]any{"size": 2}})},
			[]string{`HubChanged v1storage 1 a/x spec["$propertyBag"].old.size`}},
		{"nothing", situation{installed: old, brought: next, objects: []*unstructured.Unstructured{note("x", nil)}, knows: all}, nil},
		{"a converter of another release", situation{installed: old, brought: next, knows: []string{"v1", "v1storage"}},
			[]string{"VersionUnknown v2 0  ", "VersionUnknown v2storage 0  "}},
		{"a stored version that is gone", situation{installed: old, brought: definition(nil, "v2storage", "v2", "v1"), knows: all},
			[]string{"StoredVersionGone v1storage 0  "}},
		{"an original version that is gone", situation{
			installed: old, brought: definition(nil, "v2storage", "v2", "-v1storage"), objects: []*unstructured.Unstructured{note("x", nil), note("y", nil)}, knows: all,
		}, []string{"VersionGone v1 2 a/x "}},
		{"metadata that name a version that is gone", situation{
			installed: old, brought: next, knows: all, objects: []*unstructured.Unstructured{note("x", func(o *unstructured.Unstructured) {
				o.SetManagedFields([]metav1.ManagedFieldsEntry{{APIVersion: group + "/v0"}, {APIVersion: group + "/v0"}, {APIVersion: "other/v0"}})
				o.SetAnnotations(map[string]string{lastApplied: `{"apiVersion":"` + group + `/v0"}`})
			})},
		}, []string{"LastApplied v0 1 a/x metadata.annotations", "Owned v0 1 a/x metadata.managedFields"}},
		{"objects that Argo CD applied in a version that is gone", situation{
			installed: old, brought: next, knows: all, objects: []*unstructured.Unstructured{note("x", func(o *unstructured.Unstructured) {
				o.SetManagedFields([]metav1.ManagedFieldsEntry{{APIVersion: group + "/v0", Operation: metav1.ManagedFieldsOperationApply}})
				o.SetAnnotations(map[string]string{tracking: "app:" + group + "/Note:a/x"})
			})},
		}, []string{"Owned v0 1 a/x metadata.managedFields", "Tracked v0 1 a/x metadata.annotations"}},
		{"an object that does not convert", situation{
			installed: old, brought: next, objects: []*unstructured.Unstructured{note("x", nil), note("y", nil)}, knows: all,
			convert: func(to string, object map[string]any) error {
				if name := object["metadata"].(map[string]any)["name"]; to == "v2storage" && name == "y" {
					return errors.New("no")
				}
				return nil
			},
		}, []string{"NotConvertible v2storage 1 a/y "}},
		{"a version that shows something else", situation{installed: old, brought: next, objects: []*unstructured.Unstructured{note("x", nil)}, knows: all, convert: change("v1")},
			[]string{"Lost v1 1 a/x spec.text", "VisibleChanged v1 1 a/x spec.text"}},
		{"a version that loses a value", situation{installed: old, brought: next, objects: []*unstructured.Unstructured{note("x", nil)}, knows: all, convert: change("v2")},
			[]string{"Lost v2 1 a/x spec.text"}},
		{"no way back to the installed hub", situation{installed: old, brought: next, objects: []*unstructured.Unstructured{note("x", nil)}, knows: all, convert: change("v1storage")},
			[]string{"HubChanged v1storage 1 a/x spec.text", "Lost v1storage 1 a/x spec.text"}},
		{"no way back from a version in which objects may be stored", situation{
			installed: definition([]any{"v1storage", "v2storage"}, "v2storage", "v2", "-v1storage"), brought: definition(nil, "v2storage", "v2", "-v1storage"),
			objects: []*unstructured.Unstructured{note("x", func(o *unstructured.Unstructured) { o.SetAPIVersion(group + "/v2storage") })}, knows: all, convert: change("v1storage"),
		}, []string{"Lost v1storage 1 a/x spec.text"}},
		{"answers in another version", situation{
			installed: old, brought: definition(nil, "v2storage", "v2", "-v1storage", "v1"), objects: []*unstructured.Unstructured{note("x", nil)}, knows: all,
			convert: func(_ string, object map[string]any) error { object["apiVersion"] = group + "/v1storage"; return nil },
		}, []string{"NotConvertible v2storage 1 a/x "}},
		{"an answer with another object", situation{installed: old, brought: next, objects: []*unstructured.Unstructured{note("x", nil)}, knows: all,
			convert: func(_ string, object map[string]any) error {
				object["metadata"].(map[string]any)["uid"] = "other"
				return nil
			}}, []string{"NotConvertible v2storage 1 a/x "}},
		{"an object that becomes too large", situation{installed: old, brought: next, objects: []*unstructured.Unstructured{note("x", nil)}, knows: all,
			convert: func(to string, object map[string]any) error {
				object["spec"] = map[string]any{"text": "t"}
				if to == "v2storage" {
					object["spec"] = map[string]any{"text": "t", "more": strings.Repeat("m", largest)}
				}
				return nil
			}}, []string{"TooLarge v2storage 1 a/x "}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			p, err := test.s.plan(t)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range p.Kinds[0].Findings {
				got = append(got, fmt.Sprint(f.Reason, " ", f.Version, " ", f.Objects, " ", f.Example, " ", f.Path))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			if p.Failed() != (len(test.want) > 0) || p.Writes != len(test.s.objects) {
				t.Errorf("the plan fails: %v; it has %d writes", p.Failed(), p.Writes)
			}
		})
	}
}

// TestPlanOfNewKind checks that a kind that is not installed has nothing to read.
func TestPlanOfNewKind(t *testing.T) {
	p, err := situation{brought: definition(nil, "v2storage", "v2"), knows: []string{"v2", "v2storage"}}.plan(t)
	if err != nil || !p.Kinds[0].New || p.Failed() || p.Writes != 0 {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestListsExpire checks that a plan goes on after the API server has removed the state of its
// first page.
func TestListsExpire(t *testing.T) {
	asked := 0
	s := situation{installed: definition([]any{"v1storage"}, "v1storage"), brought: definition(nil, "v1storage"), knows: []string{"v1storage"}}
	s.react = func(c *fake.FakeDynamicClient) {
		c.PrependReactor("list", "notes", func(clienttesting.Action) (bool, runtime.Object, error) {
			asked++
			list := &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": group + "/v1storage", "kind": "NoteList"}}
			switch asked {
			case 1:
				list.SetContinue("second")
			case 2:
				err := apierrors.NewResourceExpired("gone")
				err.ErrStatus.Continue = "anew"
				return true, nil, err
			case 4:
				return true, nil, errors.New("one list too many")
			}
			list.Items = []unstructured.Unstructured{*note(fmt.Sprint("n", asked), nil)}
			return true, list, nil
		})
	}
	p, err := s.plan(t)
	if err != nil || p.Kinds[0].Objects != 2 || asked != 3 {
		t.Errorf("%+v, %v, asked %d times", p, err, asked)
	}
}

// TestStatesExpire has an API server that removes the state of a page before another version shows
// it. The version is compared nevertheless.
func TestStatesExpire(t *testing.T) {
	s := situation{
		installed: definition([]any{"v1storage"}, "v1storage", "v1"), brought: definition(nil, "v1storage", "v1"), knows: []string{"v1", "v1storage"},
		objects: []*unstructured.Unstructured{note("x", nil)},
		convert: func(to string, object map[string]any) error {
			if to == "v1" {
				object["spec"].(map[string]any)["text"] = "other"
			}
			return nil
		},
	}
	asked := 0
	s.react = func(c *fake.FakeDynamicClient) {
		c.PrependReactor("list", "notes", func(a clienttesting.Action) (bool, runtime.Object, error) {
			if a.GetResource().Version != "v1" {
				return false, nil, nil
			}
			asked++
			return asked == 1, nil, apierrors.NewResourceExpired("gone")
		})
	}
	p, err := s.plan(t)
	if err != nil || len(p.Kinds[0].Findings) != 2 || p.Kinds[0].Findings[1].Reason != VisibleChanged {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestVersionsThatObjectsName has objects with a version of their own each. Users write such names.
func TestVersionsThatObjectsName(t *testing.T) {
	var objects []*unstructured.Unstructured
	for i := range 3 * crd.MaxVersions {
		objects = append(objects, note(fmt.Sprintf("n%03d", i), func(o *unstructured.Unstructured) {
			version := fmt.Sprint("w", i)
			if i%3 == 0 {
				version = strings.Repeat("W\x1b", 1000) + version
			}
			o.SetAnnotations(map[string]string{lastApplied: fmt.Sprintf(`{"apiVersion":%q}`, group+"/"+strings.ReplaceAll(version, "\x1b", "%"))})
			o.SetManagedFields([]metav1.ManagedFieldsEntry{{APIVersion: group + "/" + version}})
			_ = unstructured.SetNestedField(o.Object, version, "spec", "originalVersion")
		}))
	}
	one := definition([]any{"v1storage"}, "v1storage", "v1")
	p, err := situation{installed: one, brought: one, objects: objects, knows: []string{"v1", "v1storage"}}.plan(t)
	if err != nil {
		t.Fatal(err)
	}
	k := p.Kinds[0]
	if len(k.Originals) != crd.MaxVersions+2 || len(k.Findings) != 3*(crd.MaxVersions+2) || k.Originals[crd.NoVersion] != crd.MaxVersions || k.Originals[crd.OtherVersions] != crd.MaxVersions {
		t.Errorf("%d versions, %d findings, %d objects without a version, %d others", len(k.Originals), len(k.Findings), k.Originals[crd.NoVersion], k.Originals[crd.OtherVersions])
	}
}

// TestDigest checks which changes of a plan change its digest, and that all change its sum. A saved
// plan with any change is refused.
func TestDigest(t *testing.T) {
	made := func() *Plan {
		return &Plan{
			Format: format, Package: "a", Converter: &converter.Versions{Format: 1, Build: map[string]any{"a": json.Number("1")}, Kinds: []converter.Kind{}},
			Kinds: []Kind{{
				CRD: "as.b.c", UID: "u", Generation: 1, Spec: "s", From: "v1storage", To: "v2storage", Objects: 2,
				Findings: []Finding{{Reason: Lost, Version: "v1", Objects: 1}, {Reason: references.Replica, Version: "v2", Objects: 2, Example: "pod a/b-1"}},
			}},
			NotChecked: []references.Unchecked{{What: "Helm", Reason: "no right"}},
		}
	}
	first := made()
	if err := first.seal(); err != nil {
		t.Fatal(err)
	}
	digest, sum := first.Digest, first.Sum
	if err := first.seal(); err != nil || first.Digest != digest || first.Sum != sum {
		t.Errorf("the sealed plan has %s and %s, want %s and %s (%v)", first.Digest, first.Sum, digest, sum, err)
	}
	for reason, test := range map[string]struct {
		edit func(*Plan)
		same bool
	}{
		"a replica that was restarted":       {func(p *Plan) { p.Kinds[0].Findings[1].Example = "pod a/b-2" }, true},
		"another number of replicas":         {func(p *Plan) { p.Kinds[0].Findings[1].Objects++ }, true},
		"a user who sees no replicas":        {func(p *Plan) { p.Kinds[0].Findings = p.Kinds[0].Findings[:1] }, true},
		"a client of a deprecated version":   {func(p *Plan) { p.Kinds[0].Findings[1].Reason = references.Requested }, true},
		"a user with other rights":           {func(p *Plan) { p.NotChecked = []references.Unchecked{} }, true},
		"a CA bundle that was rotated":       {func(p *Plan) { p.Kinds[0].Generation++ }, true},
		"a CRD with another spec":            {func(p *Plan) { p.Kinds[0].Spec = "t" }, false},
		"a CRD that was made again":          {func(p *Plan) { p.Kinds[0].UID = "v" }, false},
		"another number of objects":          {func(p *Plan) { p.Kinds[0].Objects++ }, false},
		"another number of damaged objects":  {func(p *Plan) { p.Kinds[0].Findings[0].Objects++ }, false},
		"a finding that becomes a note":      {func(p *Plan) { p.Kinds[0].Findings[0].Note = true }, false},
		"another package":                    {func(p *Plan) { p.Package = "b" }, false},
		"another build of the converter":     {func(p *Plan) { p.Converter.Build["a"] = "2" }, false},
		"a finding that an editor took away": {func(p *Plan) { p.Kinds[0].Findings = p.Kinds[0].Findings[1:] }, false},
	} {
		p := made()
		test.edit(p)
		if err := p.seal(); err != nil || (p.Digest == digest) != test.same || p.Sum == sum {
			t.Errorf("%s: the digest is the same: %v, want %v; the sum is the same: %v (%v)", reason, p.Digest == digest, test.same, p.Sum == sum, err)
		}
		file := filepath.Join(t.TempDir(), "plan.json")
		write := func() {
			text, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write()
		if read, err := Read(file); err != nil || read.Digest != p.Digest || len(read.NotChecked) != len(p.NotChecked) {
			t.Errorf("%s: %v", reason, err)
		}
		p.Digest, p.Sum = digest, sum // as they were before the edit
		write()
		if _, err := Read(file); err == nil || !strings.Contains(err.Error(), "not as it was saved") {
			t.Errorf("%s in a saved plan: %v", reason, err)
		}
	}
}

// TestTable checks the printed form.
func TestTable(t *testing.T) {
	p := &Plan{Writes: 2, Kinds: []Kind{
		{CRD: "a.b", From: "v1storage", To: "v2storage", Added: []string{"v2", "v2storage"}, Unserved: []string{"v1"}, Objects: 2, Writes: 2, Rate: 40, Measured: true, Seconds: 90, Largest: 10, StoredVersions: []string{"v1storage"},
			Originals: map[string]int{"v1": 1, "\x1b": 1}, Findings: []Finding{{Reason: Lost, Version: "v1", Objects: 1, Example: "x", Path: "spec.a", Message: "m"}}},
		{CRD: "c.d", To: "v1storage", New: true},
	}}
	var out bytes.Buffer
	p.Table(&out)
	const want = `CRD  OBJECTS  HUB                     CHANGES                          WRITES  A SECOND  TIME   LARGEST
a.b  2        v1storage -> v2storage  added v2 v2storage; unserved v1  2       40        1m30s  10
c.d  0        v1storage               new                              0       -         -      0
a.b: stored in: v1storage
a.b: original versions: "\x1b" 1, v1 1
FINDING  CRD  VERSION  OBJECTS  EXAMPLE  PATH    MESSAGE
Lost     a.b  v1       1        x        spec.a  m
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPrediction checks the time of the writes of a plan: by the maximum of the user, by a measured
// rate below it, and without the right to measure. It is in no digest.
func TestPrediction(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{}, "", errors.New("no"))
	for _, test := range []struct {
		reason  string
		measure func(context.Context, *crd.CRD) (float64, error)
		want    Kind
		skipped int
	}{
		{"the maximum", nil, Kind{Rate: 50, Seconds: 0.06}, 0},
		{"a slow cluster", func(context.Context, *crd.CRD) (float64, error) { return 10, nil }, Kind{Rate: 10, Measured: true, Seconds: 0.3}, 0},
		{"a fast cluster", func(context.Context, *crd.CRD) (float64, error) { return 500, nil }, Kind{Rate: 50, Measured: true, Seconds: 0.06}, 0},
		{"no right", func(context.Context, *crd.CRD) (float64, error) { return 0, forbidden }, Kind{Rate: 50, Seconds: 0.06}, 1},
	} {
		kinds := map[schema.GroupVersionResource]string{{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}: "CustomResourceDefinitionList"}
		c := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds, &unstructured.Unstructured{Object: definition(nil, "v1storage", "v1")})
		o := Options{Cluster: c, Rate: 50, Measure: test.measure}
		p := &Plan{Kinds: []Kind{{CRD: "notes." + group, Writes: 3}}}
		if err := o.predict(t.Context(), p, &p.Kinds[0]); err != nil {
			t.Fatal(err)
		}
		got := p.Kinds[0]
		if got.Rate != test.want.Rate || got.Measured != test.want.Measured || got.Seconds != test.want.Seconds || p.Seconds != got.Seconds || len(p.NotChecked) != test.skipped {
			t.Errorf("%s: %+v, %+v", test.reason, got, p.NotChecked)
		}
		bare := &Plan{Kinds: []Kind{{CRD: "notes." + group, Writes: 3}}}
		a, errA := p.digest()
		b, errB := bare.digest()
		if a != b || errA != nil || errB != nil {
			t.Errorf("%s: the digest depends on the prediction", test.reason)
		}
	}
}
