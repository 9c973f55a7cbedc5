package genruntime_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/label"
)

func applied(manager, version string) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationApply, APIVersion: fixtures.Group + "/" + version,
		FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{}},"f:spec":{"f:size":{}}}`),
	}
}

func manifest(version string) map[string]string {
	return map[string]string{fixtures.LastAppliedKey: `{"apiVersion":"` + fixtures.Group + "/" + version + `","kind":"Gadget","spec":{}}`}
}

func TestOriginalVersion(t *testing.T) {
	change := func(g *fixtures.Gadget) { g.Spec.Count = new(int64(5)) }
	for _, test := range []struct {
		reason string
		before string
		meta   metav1.ObjectMeta
		hidden runtime.PropertyBag
		edit   func(g *fixtures.Gadget)
		want   string
	}{
		{reason: "a label does not change it", before: fixtures.OldVersion, edit: func(g *fixtures.Gadget) { g.Labels = map[string]string{"a": "b"} }, want: fixtures.OldVersion},
		{reason: "nor does it where the original is the hub's", before: "", edit: func(*fixtures.Gadget) {}, want: ""},
		{reason: "the status does not", before: fixtures.OldVersion, edit: func(g *fixtures.Gadget) { g.Status.Main = &fixtures.GadgetPart{} }, want: fixtures.OldVersion},
		{reason: "a change of the spec does", before: fixtures.OldVersion, edit: change, want: fixtures.GadgetVersion},
		{reason: "and it does where the original was the hub's", before: "", edit: change, want: fixtures.GadgetVersion},
		{reason: "a change in a list does", before: fixtures.OldVersion, edit: func(g *fixtures.Gadget) { g.Spec.Lines = []string{"b", "a"} }, want: fixtures.GadgetVersion},
		{reason: "a zero value is no change", before: fixtures.OldVersion, edit: func(g *fixtures.Gadget) { g.Spec.Count = new(int64(0)) }, want: fixtures.OldVersion},
		{reason: "a default is none", before: fixtures.OldVersion, edit: func(g *fixtures.Gadget) { g.Spec.Size = new("small") }, want: fixtures.OldVersion},
		{reason: "an empty object is none", before: fixtures.OldVersion, edit: func(g *fixtures.Gadget) { g.Spec.Main, g.Spec.Tags = &fixtures.GadgetPart{}, map[string]string{} }, want: fixtures.OldVersion},
		{reason: "the version that is its own stays so", before: fixtures.GadgetVersion, hidden: fixtures.BagOf("a", "1"), edit: change, want: fixtures.GadgetVersion},
		{reason: "a new spec is of this version", before: "no spec", edit: func(g *fixtures.Gadget) { g.Spec = &fixtures.GadgetSpec{} }, want: fixtures.GadgetVersion},

		{reason: "applied client-side in this version, it is declared anew", before: fixtures.OldVersion, meta: metav1.ObjectMeta{Annotations: manifest(fixtures.OldVersion)}, edit: func(g *fixtures.Gadget) { g.Annotations = manifest(fixtures.GadgetVersion) }, want: fixtures.GadgetVersion},
		{reason: "applied so before, it is not", before: fixtures.OldVersion, meta: metav1.ObjectMeta{Annotations: manifest(fixtures.GadgetVersion)}, edit: func(*fixtures.Gadget) {}, want: fixtures.OldVersion},
		{reason: "applied in another version, it is not", before: fixtures.OldVersion, edit: func(g *fixtures.Gadget) { g.Annotations = manifest("v20180808") }, want: fixtures.OldVersion},
		{reason: "a damaged annotation declares nothing", before: fixtures.OldVersion, edit: func(g *fixtures.Gadget) { g.Annotations = map[string]string{fixtures.LastAppliedKey: `{"apiVersion":`} }, want: fixtures.OldVersion},
		{reason: "applied server-side in this version, it is declared anew", before: fixtures.OldVersion, meta: metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{applied("flux", fixtures.OldVersion)}}, edit: func(g *fixtures.Gadget) {
			g.ManagedFields = []metav1.ManagedFieldsEntry{applied("flux", fixtures.GadgetVersion)}
		}, want: fixtures.GadgetVersion},
		{reason: "by another manager than before, too", before: fixtures.OldVersion, meta: metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{applied("flux", fixtures.GadgetVersion)}}, edit: func(g *fixtures.Gadget) {
			g.ManagedFields = append(g.ManagedFields, applied("argo", fixtures.GadgetVersion))
		}, want: fixtures.GadgetVersion},
		{reason: "by the same again, it is not", before: fixtures.OldVersion, meta: metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{applied("flux", fixtures.GadgetVersion)}}, edit: func(*fixtures.Gadget) {}, want: fixtures.OldVersion},
		{reason: "an update in this version declares nothing", before: fixtures.OldVersion, edit: func(g *fixtures.Gadget) {
			entry := applied("kubectl", fixtures.GadgetVersion)
			entry.Operation = metav1.ManagedFieldsOperationUpdate
			g.ManagedFields = []metav1.ManagedFieldsEntry{entry}
		}, want: fixtures.OldVersion},
		{reason: "nor does an apply of labels", before: fixtures.OldVersion, edit: func(g *fixtures.Gadget) {
			entry := applied("labeler", fixtures.GadgetVersion)
			entry.FieldsV1 = metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{"f:spec":{}}}}`)
			g.ManagedFields = []metav1.ManagedFieldsEntry{entry}
		}, want: fixtures.OldVersion},

		{reason: "with something hidden in the spec, it is left undecided", before: fixtures.OldVersion, hidden: fixtures.BagOf("a", "1"), edit: change, want: fixtures.OldVersion + "|" + fixtures.GadgetVersion},
		{reason: "also where the original was the hub's", before: "", hidden: fixtures.BagOf("a", "1"), edit: change, want: "|" + fixtures.GadgetVersion},
		{reason: "without a change it stays", before: fixtures.OldVersion, hidden: fixtures.BagOf("a", "1"), edit: func(*fixtures.Gadget) {}, want: fixtures.OldVersion},
		{reason: "what this version itself left there can be expressed", before: fixtures.OldVersion, hidden: fixtures.BagOf("size@v20140404!raw", "1"), edit: change, want: fixtures.GadgetVersion},
		{reason: "but not what another left", before: fixtures.OldVersion, hidden: fixtures.BagOf("size@v20110101!raw", "1"), edit: change, want: fixtures.OldVersion + "|" + fixtures.GadgetVersion},
	} {
		t.Run(test.reason, func(t *testing.T) {
			stored := &fixtures.StoredGadget{ObjectMeta: test.meta, Spec: &fixtures.StoredSpec{Lines: []string{"a", "b"}, OriginalVersion: test.before, PropertyBag: test.hidden}}
			if test.before == "no spec" {
				stored = &fixtures.StoredGadget{Status: &fixtures.StoredStatus{PropertyBag: fixtures.BagOf("a", "1")}}
			}
			g := fixtures.APIOf(t, stored)
			test.edit(g)
			if got := fixtures.StoredOf(t, g).Spec.OriginalVersion; got != test.want {
				t.Errorf("it is %q, want %q, by the bag %v", got, test.want, g.StatusBag())
			}
		})
	}
}

func TestWithoutBagItIsThisVersion(t *testing.T) {
	if got := fixtures.StoredOf(t, &fixtures.Gadget{Spec: &fixtures.GadgetSpec{}}).Spec.OriginalVersion; got != fixtures.GadgetVersion {
		t.Errorf("it is %q", got)
	}
}

// plainSpec is a storage spec without an original version, as in native kinds.
type plainSpec struct {
	Size        *string             `json:"size,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

func TestBagNamesNoOriginalVersionWhereNoneIsStored(t *testing.T) {
	for _, test := range []struct{ reason, bag string }{
		{"another version, and an unchanged spec", `{"fingerprints":1,"format":1,"originalVersion":"v20110101","shown":"AAAAAAAAAAA"}`},
		{"and a hidden value", `{"fingerprints":1,"format":1,"originalVersion":"v20110101","shown":"AAAAAAAAAAA","spec":{"bag":{"a":1}}}`},
		{"of fingerprints of another version", `{"fingerprints":2,"format":1,"originalVersion":"v20110101"}`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			g := &fixtures.Gadget{Spec: &fixtures.GadgetSpec{}}
			g.SetStatusBag(&test.bag)
			size := new("large")
			spec, status := &plainSpec{Size: size}, &fixtures.StoredStatus{}
			genruntime.Restore(g, &spec, &status)
			if spec.Size != size || *spec.Size != "large" {
				t.Errorf("the size is overwritten: %+v", spec)
			}
		})
	}
}

func TestScalingDoesNotChangeIt(t *testing.T) {
	for _, test := range []struct {
		reason string
		edit   func(p *fixtures.StoredPart)
		want   string
	}{
		{"what scaling writes", func(p *fixtures.StoredPart) { p.Weight = new(int64(9)) }, fixtures.OldVersion},
		{"what stands beside it", func(p *fixtures.StoredPart) { p.Color = new("red") }, fixtures.GadgetVersion},
	} {
		stored := &fixtures.StoredGadget{Spec: &fixtures.StoredSpec{Main: &fixtures.StoredPart{Weight: new(int64(1))}, OriginalVersion: fixtures.OldVersion}}
		g := &fixtures.ScaledGadget{}
		genruntime.Hide(g, stored.Spec, stored.Status)
		test.edit(stored.Spec.Main)
		if genruntime.Restore(g, &stored.Spec, &stored.Status); stored.Spec.OriginalVersion != test.want {
			t.Errorf("%s: it is %q", test.reason, stored.Spec.OriginalVersion)
		}
	}
}

var gadgetExpressions = genruntime.Expressions{
	Versions: []genruntime.Expression{
		{Version: fixtures.OldVersion, Lacks: 1},
		{Version: storedVersion, Lacks: 6},
		{Version: "v20130303preview", Lacks: 10},
		{Version: fixtures.GadgetVersion, Lacks: 11},
		{Version: portlessVersion, Lacks: 10},
		{Version: fixtures.HubVersion, Hub: true},
	},
	Lists: genruntime.Lists{
		{{Name: "size"}, {Name: "main", List: 2}, {Name: "parts", List: 3}, {Name: "open", List: 4}, {Name: "a,b"}},
		{{Name: "inner", List: 1}, {Name: "weight"}, {Key: "key"}},
		{{Name: "color"}},
		{{Rest: true, List: 5}},
		{{Name: "weight"}},
		{{Key: "held", List: 7}, {Key: "maps", Maps: 1, List: 9}},
		{{Name: "a", List: 8}, {Name: "d"}},
		{{Key: "b"}},
		{{Key: "b"}, {Name: "d"}},
		{{Name: "ports"}},
		{{Name: "main", List: 12}, {Name: "open", List: 13}},
		{{Name: "inner", List: 12}, {Key: "key"}},
		{{Rest: true}},
	},
}

func TestDecideOriginal(t *testing.T) {
	hidden := &fixtures.StoredOpen{AdditionalProperties: map[string]fixtures.StoredPart{"a": {}}} // from the gadget's version alone
	for _, test := range []struct {
		reason   string
		original string
		spec     fixtures.StoredSpec
		want     string
	}{
		{"what is decided stays", fixtures.OldVersion, fixtures.StoredSpec{Size: new("x")}, fixtures.OldVersion},
		{"the one before, if it can express the spec", fixtures.OldVersion + "|" + fixtures.GadgetVersion, fixtures.StoredSpec{Open: hidden}, fixtures.OldVersion},
		{"the one that is wished, if both can", fixtures.OldVersion + "|" + fixtures.GadgetVersion, fixtures.StoredSpec{}, fixtures.GadgetVersion},
		{"the one that is wished, if the one before cannot", fixtures.OldVersion + "|" + fixtures.GadgetVersion, fixtures.StoredSpec{Size: new("x")}, fixtures.GadgetVersion},
		{"zero is something to express", fixtures.OldVersion + "|" + fixtures.GadgetVersion, fixtures.StoredSpec{Size: new("")}, fixtures.GadgetVersion},
		{"the hub's, if it can", "|" + fixtures.GadgetVersion, fixtures.StoredSpec{Size: new("x"), Open: hidden}, ""},
		{"the one that is wished, if the hub's cannot either", "|" + fixtures.GadgetVersion, fixtures.StoredSpec{PropertyBag: fixtures.BagOf("a", "1")}, fixtures.GadgetVersion},
		{"the one before, if each lacks what the other can express", fixtures.OldVersion + "|" + fixtures.GadgetVersion, fixtures.StoredSpec{Size: new("x"), Open: hidden}, fixtures.OldVersion},
		{"the one that is wished, if it lacks within what the one before lacks wholly", fixtures.OldVersion + "|" + portlessVersion, fixtures.StoredSpec{PropertyBag: fixtures.BagOf("b", "1")}, portlessVersion},
		{"one that is not known, if the one before cannot", fixtures.OldVersion + "|v20170707", fixtures.StoredSpec{Size: new("x")}, "v20170707"},
		{"the one before, if the other is not known", fixtures.OldVersion + "|v20170707", fixtures.StoredSpec{}, fixtures.OldVersion},
		{"a version that is not kept is read as the next that is", "v20120202|" + fixtures.GadgetVersion, fixtures.StoredSpec{Size: new("x"), Open: hidden}, "v20120202"},
		{"and may lack what that lacks", "v20120202|" + fixtures.GadgetVersion, fixtures.StoredSpec{Ports: []fixtures.StoredPort{}}, fixtures.GadgetVersion},
	} {
		t.Run(test.reason, func(t *testing.T) {
			test.spec.OriginalVersion = test.original
			genruntime.DecideOriginal(nil, &test.spec, gadgetExpressions)
			if got := test.spec.OriginalVersion; got != test.want {
				t.Errorf("it is %q, want %q", got, test.want)
			}
		})
	}
	genruntime.DecideOriginal(nil, (*fixtures.StoredSpec)(nil), gadgetExpressions)
	genruntime.DecideOriginal(nil, nil, genruntime.Expressions{})
}

// derivingSpec is the spec of a version, whose caption and note the hub has as title and text, in
// capitals.
type derivingSpec struct {
	Caption         *string              `json:"caption,omitzero"`
	Notes           map[string]annotated `json:"notes,omitzero"`
	OriginalVersion string               `json:"originalVersion,omitzero"`
	PropertyBag     runtime.PropertyBag  `json:"$propertyBag,omitzero"`
}

type annotated struct {
	Text        *string             `json:"text,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

type derivedSpec struct {
	Title           *string              `json:"title,omitzero"`
	Notes           map[string]annotated `json:"notes,omitzero"`
	Size            *string              `json:"size,omitzero"`
	OriginalVersion string               `json:"originalVersion,omitzero"`
	PropertyBag     runtime.PropertyBag  `json:"$propertyBag,omitzero"`
}

// TestDerivedValuesAreExpressed has a step derive the title of the hub from the caption of a
// version, which stays in the hub's bag. Notes are shared memory of both.
func TestDerivedValuesAreExpressed(t *testing.T) {
	capitals := func(caption *string) *string {
		if caption == nil {
			return nil
		}
		return new(strings.ToUpper(*caption))
	}
	var failure error
	genruntime.RegisterDerived("v1", func(src *derivingSpec, dst *derivedSpec) error {
		*dst = derivedSpec{Title: capitals(src.Caption), Notes: src.Notes, PropertyBag: src.PropertyBag.Clone()}
		genruntime.Recall(&dst.PropertyBag, "size", &dst.Size)
		genruntime.Stash(&dst.PropertyBag, "caption", src.Caption)
		return failure
	}, func(src *derivedSpec, dst *derivingSpec) error {
		*dst = derivingSpec{Notes: src.Notes, PropertyBag: src.PropertyBag.Clone()}
		genruntime.Recall(&dst.PropertyBag, "caption", &dst.Caption)
		genruntime.Stash(&dst.PropertyBag, "size", src.Size)
		return failure
	})
	expressions := genruntime.Expressions{
		Versions: []genruntime.Expression{{Version: "v1", Lacks: 1}, {Version: "v2", Hub: true}},
		Lists:    genruntime.Lists{{{Name: "title"}, {Name: "size"}, {Key: "caption"}, {Name: "notes", List: 2}}, {{Name: "text"}}},
	}
	caption := fixtures.BagOf("caption", `"a b"`)
	for _, test := range []struct {
		reason  string
		spec    derivedSpec
		failure error
		want    []string
	}{
		{"what is derived", derivedSpec{Title: new("A B"), PropertyBag: caption}, nil, nil},
		{"what was edited since", derivedSpec{Title: new("A C"), PropertyBag: caption}, nil, []string{"title"}},
		{"what nothing is derived from", derivedSpec{Title: new("A B")}, nil, []string{"title"}},
		{"what lies beside it", derivedSpec{Title: new("A B"), Size: new("x"), PropertyBag: caption}, nil, []string{"size"}},
		{"a bag elsewhere", derivedSpec{Notes: map[string]annotated{"a": {PropertyBag: fixtures.BagOf("k", "1", "l@v1!raw", "2")}}}, nil, []string{"notes.a.$propertyBag.k"}},
		{"what is carried over by itself", derivedSpec{Notes: map[string]annotated{"a": {Text: new("x")}}}, nil, nil},
		{"a step that refuses leaves the generated result", derivedSpec{Title: new("A B"), PropertyBag: caption}, &runtime.AugmentationError{Err: errors.New("no")}, nil},
		{"a conversion that fails derives nothing", derivedSpec{Title: new("A B"), PropertyBag: caption}, errors.New("no"), []string{"title"}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			failure = test.failure
			spec := test.spec
			spec.OriginalVersion = "v1"
			before := encoded(t, spec)
			if diff := cmp.Diff(test.want, genruntime.Unexpressed(&spec, expressions)); diff != "" {
				t.Error(diff)
			}
			if after := encoded(t, spec); after != before {
				t.Errorf("the hub was %s and is %s", before, after)
			}
		})
	}
	spec := &derivedSpec{Title: new("A B"), PropertyBag: caption, OriginalVersion: "v2|v1"}
	failure = nil
	if genruntime.DecideOriginal(nil, spec, expressions); spec.OriginalVersion != "v1" {
		t.Errorf("edited through v1, which lacks nothing, it is of %q", spec.OriginalVersion)
	}
}

func encoded(t *testing.T, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestUnexpressed(t *testing.T) {
	for _, test := range []struct {
		reason   string
		original string
		spec     fixtures.StoredSpec
		want     []string
	}{
		{"all can be expressed", fixtures.OldVersion, fixtures.StoredSpec{Count: new(int64(1)), Main: &fixtures.StoredPart{Color: new("red")}}, nil},
		{"a member", fixtures.OldVersion, fixtures.StoredSpec{Size: new("x")}, []string{"size"}},
		{"members of objects in lists", fixtures.OldVersion, fixtures.StoredSpec{Parts: []fixtures.StoredPart{{}, {Color: new("red"), Weight: new(int64(1))}}}, []string{"parts[1].color"}},
		{"a bag", fixtures.OldVersion, fixtures.StoredSpec{PropertyBag: fixtures.BagOf("b", "1", "a", "2")}, []string{"$propertyBag.a", "$propertyBag.b"}},
		{"beside what the version itself left there", fixtures.OldVersion, fixtures.StoredSpec{PropertyBag: fixtures.BagOf("a@v20110101!raw", "1", "b", "1")}, []string{"$propertyBag.b"}},
		{"a bag where nothing is listed", fixtures.OldVersion, fixtures.StoredSpec{Rows: [][]fixtures.StoredPart{{{PropertyBag: fixtures.BagOf("b", "1")}}}}, []string{"rows[0][0].$propertyBag.b"}},
		{"but not what is allowed", fixtures.OldVersion, fixtures.StoredSpec{Main: &fixtures.StoredPart{PropertyBag: fixtures.BagOf("key", "1", "size@v20110101!raw", "1")}}, nil},
		{"nor bags in what is allowed", fixtures.OldVersion, fixtures.StoredSpec{Main: &fixtures.StoredPart{PropertyBag: fixtures.BagOf("key", `[{"a":{"$propertyBag":{"b":1}}}]`)}}, []string{"main.$propertyBag.key[0].a.$propertyBag.b"}},
		{"in maps too", storedVersion, fixtures.StoredSpec{PropertyBag: fixtures.BagOf("maps", `{"x":{"$propertyBag":{"b":1,"c":2}},"y":{"d":3}}`)}, []string{"$propertyBag.maps.x.$propertyBag.c", "$propertyBag.maps.y.d"}},
		{"but what is listed there", storedVersion, fixtures.StoredSpec{PropertyBag: fixtures.BagOf("held", `{"a":{"$propertyBag":{"b":1,"c":2}},"d":3}`)}, []string{"$propertyBag.held.a.$propertyBag.c", "$propertyBag.held.d"}},
		{"nor elsewhere", fixtures.OldVersion, fixtures.StoredSpec{Spares: map[string]fixtures.StoredPart{"x": {PropertyBag: fixtures.BagOf("key", "1")}}}, []string{"spares.x.$propertyBag.key"}},
		{"two levels up", fixtures.OldVersion, fixtures.StoredSpec{Main: &fixtures.StoredPart{Weight: new(int64(1)), Inner: &fixtures.StoredPart{Weight: new(int64(1))}}}, []string{"main.weight"}},
		{"one level up", fixtures.GadgetVersion, fixtures.StoredSpec{Main: &fixtures.StoredPart{Inner: &fixtures.StoredPart{Inner: &fixtures.StoredPart{PropertyBag: fixtures.BagOf("key", "1", "x", "1")}}}}, []string{"main.inner.inner.$propertyBag.x"}},
		{"additional members", fixtures.GadgetVersion, fixtures.StoredSpec{Open: &fixtures.StoredOpen{AdditionalProperties: map[string]fixtures.StoredPart{"b": {}, "a": {}}}}, []string{"open.a", "open.b"}},
		{"additional members by their names in storage", fixtures.GadgetVersion, fixtures.StoredSpec{Open: &fixtures.StoredOpen{AdditionalProperties: map[string]fixtures.StoredPart{"$propertyBag": {}}}}, []string{"open.$$propertyBag"}},
		{"members of additional members", fixtures.OldVersion, fixtures.StoredSpec{Open: &fixtures.StoredOpen{AdditionalProperties: map[string]fixtures.StoredPart{"b": {Weight: new(int64(1))}, "a": {}}}}, []string{"open.b.weight"}},
		{"covers that only repeat what is shown", "", fixtures.StoredSpec{PropertyBag: fixtures.BagOf(bag.CoveredKey, `{"a":{"key":"a","shown":{"x":1,"y":2},"stored":{"a":{"y":2.0,"x":1}}}}`)}, nil},
		{"covers that store more", "", fixtures.StoredSpec{PropertyBag: fixtures.BagOf(bag.CoveredKey, `{"b":{"key":"b","shown":1,"stored":{"b":2}},"a":{"key":"a","shown":1,"stored":{"a":1,"b":1}}}`)},
			[]string{"$propertyBag.$coveredProperties.a", "$propertyBag.$coveredProperties.b"}},
		{"damaged covers", "", fixtures.StoredSpec{PropertyBag: fixtures.BagOf(bag.CoveredKey, `[1]`)}, []string{"$propertyBag.$coveredProperties"}},
		{"covers in an entry", storedVersion, fixtures.StoredSpec{PropertyBag: fixtures.BagOf("held", `{"a":{"$propertyBag":{"$coveredProperties":{"a":{"key":"a","shown":1,"stored":{"a":1}},"b":{"key":"b","shown":1,"stored":{}}}}}}`)},
			[]string{"$propertyBag.held.a.$propertyBag.$coveredProperties.b"}},
		{"the hub's version", "", fixtures.StoredSpec{Size: new("x"), PropertyBag: fixtures.BagOf("b", "1")}, []string{"$propertyBag.b"}},
		{"an undecided one is the one before", fixtures.OldVersion + "|" + fixtures.GadgetVersion, fixtures.StoredSpec{Size: new("x")}, []string{"size"}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			test.spec.OriginalVersion = test.original
			if diff := cmp.Diff(test.want, genruntime.Unexpressed(&test.spec, gadgetExpressions)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// storedVersion can represent only a part of a bag's entry.
const storedVersion = "v20990101"

// portlessVersion has no ports.
const portlessVersion = "v20150101"

// FuzzExpressions takes lists that generated code could have by mistake: with numbers of no list,
// and with several things in one entry.
func FuzzExpressions(f *testing.F) {
	known, err := json.Marshal(gadgetExpressions.Lists)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(known), 1)
	f.Add(`[[{"name":"a","list":-1},{"key":"b","list":9},{}],[{"name":"main","list":2},{"rest":true,"list":1,"maps":-3}]]`, 2)
	f.Add(`[]`, 1)
	f.Fuzz(func(t *testing.T, lists string, lacks int) {
		spec := fixtures.StoredOf(t, fixtures.APIOf(t, fixtures.FullGadget())).Spec
		spec.OriginalVersion = fixtures.OldVersion
		versions := func(lacks int) []genruntime.Expression {
			return []genruntime.Expression{{Version: fixtures.OldVersion, Lacks: lacks}}
		}
		all := genruntime.Unexpressed(spec, genruntime.Expressions{Versions: versions(0)})
		expressions := genruntime.Expressions{Versions: versions(lacks)}
		if json.Unmarshal([]byte(lists), &expressions.Lists) != nil {
			return
		}
		for _, path := range genruntime.Unexpressed(spec, expressions) {
			if strings.Contains(path, bag.Name) && !slices.Contains(all, path) {
				t.Errorf("%q makes %s unexpressed", lists, path)
			}
		}
	})
}

func TestLabelsAreOrderedByAge(t *testing.T) {
	want := []string{
		"v1alpha1", "v1alpha2", "v1alpha10", "v1beta1", "v1", "v2alpha1", "v2", "v10",
		"v20140404preview", "v20140404preview2", "v20140404", "v20150505", "v1api20160101preview", "v1api20160101", "v20160102", "v1api20160103",
		"v201505050000000000000000",
	}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, label.Compare)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestKeptVersion(t *testing.T) {
	kept := []string{"v20190909", "v20140404preview", "v20130303", "v20200101preview"}
	for _, test := range []struct{ version, want string }{
		{"v20130303", "v20130303"},
		{"v20110101", "v20130303"},
		{"v20130404", "v20140404preview"},
		{"v20140404", "v20190909"},
		{"v20210101", "v20200101preview"},
		{"", "v20190909"},
		{"damaged", "v20130303"},
	} {
		if got := label.Kept(test.version, kept); got != test.want {
			t.Errorf("for %q it is %q, want %q", test.version, got, test.want)
		}
	}
	if got := label.Kept("", []string{"v1alpha1", "v1beta1"}); got != "v1beta1" {
		t.Errorf("of previews alone it is %q", got)
	}
	if got := label.Kept("", []string{"v1api20230101", "v1api20240101preview"}); got != "v1api20230101" {
		t.Errorf("of versions of Azure Service Operator it is %q", got)
	}
	if got := label.Kept("v1", nil); got != "" {
		t.Errorf("of none it is %q", got)
	}
}
