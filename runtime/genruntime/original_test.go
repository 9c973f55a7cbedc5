package genruntime

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/label"
)

const (
	oldVersion = "v20110101"
	hubVersion = "v20190909"
)

func applied(manager, version string) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationApply, APIVersion: group + "/" + version,
		FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{}},"f:spec":{"f:size":{}}}`),
	}
}

func manifest(version string) map[string]string {
	return map[string]string{lastAppliedKey: `{"apiVersion":"` + group + "/" + version + `","kind":"Gadget","spec":{}}`}
}

func TestOriginalVersion(t *testing.T) {
	change := func(g *gadget) { g.Spec.Count = new(int64(5)) }
	for _, test := range []struct {
		reason string
		before string
		meta   metav1.ObjectMeta
		hidden runtime.PropertyBag
		edit   func(g *gadget)
		want   string
	}{
		{reason: "a label does not change it", before: oldVersion, edit: func(g *gadget) { g.Labels = map[string]string{"a": "b"} }, want: oldVersion},
		{reason: "nor does it where the original is the hub's", before: "", edit: func(*gadget) {}, want: ""},
		{reason: "the status does not", before: oldVersion, edit: func(g *gadget) { g.Status.Main = &gadgetPart{} }, want: oldVersion},
		{reason: "a change of the spec does", before: oldVersion, edit: change, want: gadgetVersion},
		{reason: "and it does where the original was the hub's", before: "", edit: change, want: gadgetVersion},
		{reason: "a change in a list does", before: oldVersion, edit: func(g *gadget) { g.Spec.Lines = []string{"b", "a"} }, want: gadgetVersion},
		{reason: "a zero value is no change", before: oldVersion, edit: func(g *gadget) { g.Spec.Count = new(int64(0)) }, want: oldVersion},
		{reason: "a default is none", before: oldVersion, edit: func(g *gadget) { g.Spec.Size = new("small") }, want: oldVersion},
		{reason: "an empty object is none", before: oldVersion, edit: func(g *gadget) { g.Spec.Main, g.Spec.Tags = &gadgetPart{}, map[string]string{} }, want: oldVersion},
		{reason: "the version that is its own stays so", before: gadgetVersion, hidden: bagOf("a", "1"), edit: change, want: gadgetVersion},
		{reason: "a new spec is of this version", before: "no spec", edit: func(g *gadget) { g.Spec = &gadgetSpec{} }, want: gadgetVersion},

		{reason: "applied client-side in this version, it is declared anew", before: oldVersion, meta: metav1.ObjectMeta{Annotations: manifest(oldVersion)}, edit: func(g *gadget) { g.Annotations = manifest(gadgetVersion) }, want: gadgetVersion},
		{reason: "applied so before, it is not", before: oldVersion, meta: metav1.ObjectMeta{Annotations: manifest(gadgetVersion)}, edit: func(*gadget) {}, want: oldVersion},
		{reason: "applied in another version, it is not", before: oldVersion, edit: func(g *gadget) { g.Annotations = manifest("v20180808") }, want: oldVersion},
		{reason: "a damaged annotation declares nothing", before: oldVersion, edit: func(g *gadget) { g.Annotations = map[string]string{lastAppliedKey: `{"apiVersion":`} }, want: oldVersion},
		{reason: "applied server-side in this version, it is declared anew", before: oldVersion, meta: metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{applied("flux", oldVersion)}}, edit: func(g *gadget) { g.ManagedFields = []metav1.ManagedFieldsEntry{applied("flux", gadgetVersion)} }, want: gadgetVersion},
		{reason: "by another manager than before, too", before: oldVersion, meta: metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{applied("flux", gadgetVersion)}}, edit: func(g *gadget) { g.ManagedFields = append(g.ManagedFields, applied("argo", gadgetVersion)) }, want: gadgetVersion},
		{reason: "by the same again, it is not", before: oldVersion, meta: metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{applied("flux", gadgetVersion)}}, edit: func(*gadget) {}, want: oldVersion},
		{reason: "an update in this version declares nothing", before: oldVersion, edit: func(g *gadget) {
			entry := applied("kubectl", gadgetVersion)
			entry.Operation = metav1.ManagedFieldsOperationUpdate
			g.ManagedFields = []metav1.ManagedFieldsEntry{entry}
		}, want: oldVersion},
		{reason: "nor does an apply of labels", before: oldVersion, edit: func(g *gadget) {
			entry := applied("labeler", gadgetVersion)
			entry.FieldsV1 = metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{"f:spec":{}}}}`)
			g.ManagedFields = []metav1.ManagedFieldsEntry{entry}
		}, want: oldVersion},

		{reason: "with something hidden in the spec, it is left undecided", before: oldVersion, hidden: bagOf("a", "1"), edit: change, want: oldVersion + "|" + gadgetVersion},
		{reason: "also where the original was the hub's", before: "", hidden: bagOf("a", "1"), edit: change, want: "|" + gadgetVersion},
		{reason: "without a change it stays", before: oldVersion, hidden: bagOf("a", "1"), edit: func(*gadget) {}, want: oldVersion},
		{reason: "what this version itself left there can be expressed", before: oldVersion, hidden: bagOf("size@v20140404!raw", "1"), edit: change, want: gadgetVersion},
		{reason: "but not what another left", before: oldVersion, hidden: bagOf("size@v20110101!raw", "1"), edit: change, want: oldVersion + "|" + gadgetVersion},
	} {
		t.Run(test.reason, func(t *testing.T) {
			stored := &storedGadget{ObjectMeta: test.meta, Spec: &storedSpec{Lines: []string{"a", "b"}, OriginalVersion: test.before, PropertyBag: test.hidden}}
			if test.before == "no spec" {
				stored = &storedGadget{Status: &storedStatus{PropertyBag: bagOf("a", "1")}}
			}
			g := shownOf(t, stored)
			test.edit(g)
			if got := storedOf(t, g).Spec.OriginalVersion; got != test.want {
				t.Errorf("it is %q, want %q, by the bag %v", got, test.want, g.StatusBag())
			}
		})
	}
}

func TestWithoutABagItIsThisVersion(t *testing.T) {
	if got := storedOf(t, &gadget{Spec: &gadgetSpec{}}).Spec.OriginalVersion; got != gadgetVersion {
		t.Errorf("it is %q", got)
	}
}

// plainSpec is a storage spec without an original version, as of kinds that people store by themselves.
type plainSpec struct {
	Size        *string             `json:"size,omitzero"`
	PropertyBag runtime.PropertyBag `json:"$propertyBag,omitzero"`
}

func TestABagNamesNoOriginalVersionWhereNoneIsStored(t *testing.T) {
	for _, test := range []struct{ reason, bag string }{
		{"another version, and an unchanged spec", `{"fingerprints":1,"format":1,"originalVersion":"v20110101","shown":"AAAAAAAAAAA"}`},
		{"and a hidden value", `{"fingerprints":1,"format":1,"originalVersion":"v20110101","shown":"AAAAAAAAAAA","spec":{"bag":{"a":1}}}`},
		{"of fingerprints of another version", `{"fingerprints":2,"format":1,"originalVersion":"v20110101"}`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			g := &gadget{Spec: &gadgetSpec{}}
			g.SetStatusBag(&test.bag)
			size := new("large")
			spec, status := &plainSpec{Size: size}, &storedStatus{}
			Restore(g, &spec, &status)
			if spec.Size != size || *spec.Size != "large" {
				t.Errorf("the size is overwritten: %+v", spec)
			}
		})
	}
}

// scaledGadget is a gadget that the scale subresource writes to.
type scaledGadget struct{ gadget }

func (*scaledGadget) SpecReplicasPath() string { return ".spec.main.weight" }

func TestScalingDoesNotChangeIt(t *testing.T) {
	for _, test := range []struct {
		reason string
		edit   func(p *storedPart)
		want   string
	}{
		{"what scaling writes", func(p *storedPart) { p.Weight = new(int64(9)) }, oldVersion},
		{"what stands beside it", func(p *storedPart) { p.Color = new("red") }, gadgetVersion},
	} {
		stored := &storedGadget{Spec: &storedSpec{Main: &storedPart{Weight: new(int64(1))}, OriginalVersion: oldVersion}}
		g := &scaledGadget{}
		Hide(g, stored.Spec, stored.Status)
		test.edit(stored.Spec.Main)
		if Restore(g, &stored.Spec, &stored.Status); stored.Spec.OriginalVersion != test.want {
			t.Errorf("%s: it is %q", test.reason, stored.Spec.OriginalVersion)
		}
	}
}

func (*scaledGadget) OriginalGVK() *schema.GroupVersionKind {
	return &schema.GroupVersionKind{Group: group, Version: gadgetVersion, Kind: "ScaledGadget"}
}

func scaledUp(data []byte) ([]byte, error) {
	var from scaledGadget
	var to storedGadget
	if err := FirstError(Decode(data, &from), from.toStorage(&from, &to)); err != nil {
		return nil, err
	}
	return Encode(&to)
}

func scaledDown(data []byte) ([]byte, error) {
	var from storedGadget
	var to scaledGadget
	if err := FirstError(Decode(data, &from), to.fromStorage(&to, &from)); err != nil {
		return nil, err
	}
	return Encode(&to)
}

// TestScalingInBothEngines writes objects that hide another original version, and wants a plan to settle it as Go types do.
func TestScalingInBothEngines(t *testing.T) {
	plan := Plan{API: &scaledGadget{}, Storage: &storedGadget{}, Hub: &storedGadget{}, HubVersion: group + "/" + gadgetHub}
	if err := RegisterPlans(plan); err != nil {
		t.Fatal(err)
	}
	kind := schema.GroupKind{Group: group, Kind: "ScaledGadget"}
	up, down := NewConverter(kind, gadgetVersion, gadgetHub), NewConverter(kind, gadgetHub, gadgetVersion)
	head := strings.Replace(gadgetHubHead, "Gadget", "ScaledGadget", 1)
	for _, test := range []struct{ was, is, want string }{
		{`"main":{"color":"c","weight":1}`, `"main":{"color":"c","weight":9}`, oldVersion},
		{`"main":{"color":"c","weight":1}`, `"main":{"color":"d","weight":1}`, gadgetVersion},
		{`"main":{"color":"c","weight":1}`, `"main":{"weight":1}`, gadgetVersion},
		{`"main":{"color":"c"}`, `"main":{"weight":7,"color":"c"}`, oldVersion},
		{`"main":{"weight":7}`, `"main":{}`, oldVersion},
		{`"main":{"weight":7}`, `"size":"small"`, oldVersion},
		{`"main":{"color":"c"}`, `"count":1`, gadgetVersion},
		{`"count":1`, `"main":{"weight":1},"count":1`, oldVersion},
		{`"main":{"inner":{"weight":1}}`, `"main":{"inner":{"weight":2}}`, gadgetVersion},
		{`"parts":[{"weight":1}]`, `"parts":[{"weight":2}]`, gadgetVersion},
		{`"open":{"main":{"weight":1}}`, `"open":{"main":{"weight":2}}`, gadgetVersion},
	} {
		shown := converted(t, test.was, down, []byte(head+`,"spec":{`+test.was+`,"originalVersion":"`+oldVersion+`"}}`), scaledDown)
		edited := []byte(strings.Replace(string(shown), string(jsontext.MemberOf(shown, "spec")), `{`+test.is+`}`, 1))
		stored := converted(t, test.is, up, edited, scaledUp)
		if got := string(jsontext.Unquoted(jsontext.MemberOf(jsontext.MemberOf(stored, "spec"), originalVersion))); got != test.want {
			t.Errorf("%s became %s: the original version is %q, want %q", test.was, test.is, got, test.want)
		}
		if _, ok := up.Append(nil, edited); !ok {
			t.Errorf("the plan refuses %s", edited)
		}
	}
}

var gadgetExpressions = Expressions{
	{Version: oldVersion, Lacks: `size,main(inner(^2),weight,!key),parts(color),open(*(weight)),"a,b"`},
	{Version: heldVersion, Lacks: `!held(a(!b),d),!maps{}(!b,d)`},
	{Version: "v20130303preview", Lacks: `ports`},
	{Version: gadgetVersion, Lacks: `main(inner(^1),!key),open(*)`},
	{Version: looseVersion, Lacks: `main(!*,?ma),ports(!*,?ma)`},
	{Version: hubVersion, Hub: true},
}

func TestSettle(t *testing.T) {
	hidden := &storedOpen{AdditionalProperties: map[string]storedPart{"a": {}}} // from the gadget's version alone
	for _, test := range []struct {
		reason   string
		original string
		spec     storedSpec
		want     string
	}{
		{"what is decided stays", oldVersion, storedSpec{Size: new("x")}, oldVersion},
		{"the one before, if it can express the spec", oldVersion + "|" + gadgetVersion, storedSpec{Open: hidden}, oldVersion},
		{"the one that is wished, if both can", oldVersion + "|" + gadgetVersion, storedSpec{}, gadgetVersion},
		{"the one that is wished, if the one before cannot", oldVersion + "|" + gadgetVersion, storedSpec{Size: new("x")}, gadgetVersion},
		{"zero is something to express", oldVersion + "|" + gadgetVersion, storedSpec{Size: new("")}, gadgetVersion},
		{"the hub's, if it can", "|" + gadgetVersion, storedSpec{Size: new("x"), Open: hidden}, ""},
		{"the one that is wished, if the hub's cannot either", "|" + gadgetVersion, storedSpec{PropertyBag: bagOf("a", "1")}, gadgetVersion},
		{"a version that is not kept is read as the next that is", "v20120202|" + gadgetVersion, storedSpec{Size: new("x"), Open: hidden}, "v20120202"},
		{"and may lack what that lacks", "v20120202|" + gadgetVersion, storedSpec{Ports: []storedPort{}}, gadgetVersion},
	} {
		t.Run(test.reason, func(t *testing.T) {
			test.spec.OriginalVersion = test.original
			Settle(&test.spec, gadgetExpressions)
			if got := test.spec.OriginalVersion; got != test.want {
				t.Errorf("it is %q, want %q", got, test.want)
			}
		})
	}
	Settle((*storedSpec)(nil), gadgetExpressions)
	Settle(nil, nil)
}

func TestUnexpressed(t *testing.T) {
	for _, test := range []struct {
		reason   string
		original string
		spec     storedSpec
		want     []string
	}{
		{"all can be expressed", oldVersion, storedSpec{Count: new(int64(1)), Main: &storedPart{Color: new("red")}}, nil},
		{"a member", oldVersion, storedSpec{Size: new("x")}, []string{"size"}},
		{"members of objects in lists", oldVersion, storedSpec{Parts: []storedPart{{}, {Color: new("red"), Weight: new(int64(1))}}}, []string{"parts[1].color"}},
		{"a bag", oldVersion, storedSpec{PropertyBag: bagOf("b", "1", "a", "2")}, []string{"$propertyBag.a", "$propertyBag.b"}},
		{"beside what the version itself left there", oldVersion, storedSpec{PropertyBag: bagOf("a@v20110101!raw", "1", "b", "1")}, []string{"$propertyBag.b"}},
		{"a bag where nothing is listed", oldVersion, storedSpec{Rows: [][]storedPart{{{PropertyBag: bagOf("b", "1")}}}}, []string{"rows[0][0].$propertyBag.b"}},
		{"but not what is allowed", oldVersion, storedSpec{Main: &storedPart{PropertyBag: bagOf("key", "1", "size@v20110101!raw", "1")}}, nil},
		{"nor bags in what is allowed", oldVersion, storedSpec{Main: &storedPart{PropertyBag: bagOf("key", `[{"a":{"$propertyBag":{"b":1}}}]`)}}, []string{"main.$propertyBag.key[0].a.$propertyBag.b"}},
		{"in maps too", heldVersion, storedSpec{PropertyBag: bagOf("maps", `{"x":{"$propertyBag":{"b":1,"c":2}},"y":{"d":3}}`)}, []string{"$propertyBag.maps.x.$propertyBag.c", "$propertyBag.maps.y.d"}},
		{"but what is listed there", heldVersion, storedSpec{PropertyBag: bagOf("held", `{"a":{"$propertyBag":{"b":1,"c":2}},"d":3}`)}, []string{"$propertyBag.held.a.$propertyBag.c", "$propertyBag.held.d"}},
		{"nor elsewhere", oldVersion, storedSpec{Spares: map[string]storedPart{"x": {PropertyBag: bagOf("key", "1")}}}, []string{"spares.x.$propertyBag.key"}},
		{"an object that is shown as a map, whatever lies within", looseVersion, storedSpec{Main: &storedPart{Parts: []storedPart{{Color: new("red")}}}}, nil},
		{"but not where the values are of another kind", looseVersion, storedSpec{Ports: []storedPort{{}}}, []string{"ports"}},
		{"two levels up", oldVersion, storedSpec{Main: &storedPart{Weight: new(int64(1)), Inner: &storedPart{Weight: new(int64(1))}}}, []string{"main.weight"}},
		{"one level up", gadgetVersion, storedSpec{Main: &storedPart{Inner: &storedPart{Inner: &storedPart{PropertyBag: bagOf("key", "1", "x", "1")}}}}, []string{"main.inner.inner.$propertyBag.x"}},
		{"additional members", gadgetVersion, storedSpec{Open: &storedOpen{AdditionalProperties: map[string]storedPart{"b": {}, "a": {}}}}, []string{"open.a", "open.b"}},
		{"members of additional members", oldVersion, storedSpec{Open: &storedOpen{AdditionalProperties: map[string]storedPart{"b": {Weight: new(int64(1))}, "a": {}}}}, []string{"open.b.weight"}},
		{"the hub's version", "", storedSpec{Size: new("x"), PropertyBag: bagOf("b", "1")}, []string{"$propertyBag.b"}},
		{"an undecided one is the one before", oldVersion + "|" + gadgetVersion, storedSpec{Size: new("x")}, []string{"size"}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			test.spec.OriginalVersion = test.original
			if diff := cmp.Diff(test.want, Unexpressed(&test.spec, gadgetExpressions)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestUnexpressedKinds(t *testing.T) {
	gadgetExpressions := Expressions{{Version: oldVersion, Lacks: `size(?i),count(?n),!free(?ls),!main(!color(?s),+inner,~),!free@v3(a(b),c(),*(?s),+d(?-),~),!loose(!k,*,~),!named(+d(?-)),open(*(?o),!$additionalProperties(?s,known))`}}
	for _, test := range []struct {
		reason string
		spec   storedSpec
		want   []string
	}{
		{"a text is no number", storedSpec{Size: new("x")}, []string{"size"}},
		{"a whole number is one", storedSpec{Count: new(int64(1 << 53))}, nil},
		{"but for one that a float64 cannot hold", storedSpec{Count: new(int64(1<<53 + 1))}, []string{"count"}},
		{"a list of texts in a bag", storedSpec{PropertyBag: bagOf("free", `["a"]`)}, nil},
		{"and one of more", storedSpec{PropertyBag: bagOf("free", `["a",1]`)}, []string{"$propertyBag.free"}},
		{"members that an object in a bag has, and the version has not", storedSpec{PropertyBag: bagOf("main", `{"color":"x","inner":{"y":1},"other":1}`)}, []string{"$propertyBag.main.other"}},
		{"additional members of an open object in a bag", storedSpec{PropertyBag: bagOf("free@v3", `{"a":{"b":1},"c":1,"d":"x","e":1,"f":"x"}`)},
			[]string{"$propertyBag.free@v3.a.b", "$propertyBag.free@v3.d", "$propertyBag.free@v3.e"}},
		{"and where none is expressible", storedSpec{PropertyBag: bagOf("loose", `{"k":1,"x":{}}`)}, []string{"$propertyBag.loose.x"}},
		{"and where one is known by its name", storedSpec{PropertyBag: bagOf("named", `{"d":1,"x":1,"y":null}`)}, []string{"$propertyBag.named.d"}},
		{"additional members in a bag, by kind and name", storedSpec{Open: &storedOpen{PropertyBag: bagOf("$additionalProperties", `{"a":"x","b":1,"known":"x"}`)}},
			[]string{"open.$propertyBag.$additionalProperties.b", "open.$propertyBag.$additionalProperties.known"}},
	} {
		test.spec.OriginalVersion = oldVersion
		if diff := cmp.Diff(test.want, Unexpressed(&test.spec, gadgetExpressions)); diff != "" {
			t.Errorf("%s: %s", test.reason, diff)
		}
	}
}

// heldVersion knows what lies in a bag, but not all of it.
const heldVersion = "v20990101"

// looseVersion shows objects as maps of free JSON.
const looseVersion = "v20150101"

func FuzzExpressions(f *testing.F) {
	f.Add(gadgetExpressions[0].Lacks)
	f.Add(`a(b(^9),c(^0),d(^x)`)
	f.Add(`"unclosed`)
	f.Fuzz(func(t *testing.T, lacks string) {
		spec := storedOf(t, shownOf(t, fullGadget())).Spec
		spec.OriginalVersion = oldVersion
		all := Unexpressed(spec, Expressions{{Version: oldVersion}})
		for _, path := range Unexpressed(spec, Expressions{{Version: oldVersion, Lacks: lacks}}) {
			if strings.Contains(path, bag.Name) && !slices.Contains(all, path) {
				t.Errorf("%q makes %s unexpressed", lacks, path)
			}
		}
	})
}

func TestLabelsAreOrderedByAge(t *testing.T) {
	want := []string{
		"v1alpha1", "v1alpha2", "v1alpha10", "v1beta1", "v1", "v2alpha1", "v2", "v10",
		"v20140404preview", "v20140404preview2", "v20140404", "v20150505", "v201505050000000000000000",
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
	if got := label.Kept("v1", nil); got != "" {
		t.Errorf("of none it is %q", got)
	}
}
