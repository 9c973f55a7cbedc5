package convert

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

const (
	apiHead     = `"apiVersion":"crm.example.com/v20140404","kind":"Gadget","metadata":{"name":"ann","namespace":"crm"}`
	storageHead = `"apiVersion":"crm.example.com/v20140404storage","kind":"Gadget","metadata":{"name":"ann","namespace":"crm"}`
)

// wrongTypes are specs with values of the wrong type, the specs without them, and the keys under
// which the values are stored.
var wrongTypes = []struct {
	reason, spec string
	storage      string
	kept         []string
}{
	{"a scalar", `{"size":5,"count":1}`, `{"count":1,"$propertyBag":{"size@v20140404!raw":5}}`, []string{"spec.size"}},
	{"a fraction for an integer", `{"count":1.5}`, `{"$propertyBag":{"count@v20140404!raw":1.5}}`, []string{"spec.count"}},
	{"an integer that is too long", `{"count":9223372036854775808}`, `{"$propertyBag":{"count@v20140404!raw":9223372036854775808}}`, []string{"spec.count"}},
	{"a number that is too large", `{"main":{"ratio":1e999}}`, `{"main":{"$propertyBag":{"ratio@v20140404!raw":1e999}}}`, []string{"spec.main.ratio"}},
	{"an object", `{"main":"x"}`, `{"$propertyBag":{"main@v20140404!raw":"x"}}`, []string{"spec.main"}},
	{"a list", `{"parts":{}}`, `{"$propertyBag":{"parts@v20140404!raw":{}}}`, []string{"spec.parts"}},
	{"a member of an element", `{"parts":[{"color":"a"},{"color":["b"]}]}`, `{"parts":[{"color":"a"},{"$propertyBag":{"color@v20140404!raw":["b"]}}]}`, []string{"spec.parts[1].color"}},
	{"an element that should be an object", `{"parts":[{"color":"a"},"b"]}`, `{"parts":[{"color":"a"}],"$propertyBag":{"parts@v20140404!elements!raw":[[1,["b"]]]}}`, []string{"spec.parts[1]"}},
	{"an element that is null", `{"parts":[null]}`, `{"parts":[],"$propertyBag":{"parts@v20140404!elements!raw":[[0,[null]]]}}`, []string{"spec.parts[0]"}},
	{"an element of a list of texts", `{"lines":["a",1]}`, `{"$propertyBag":{"lines@v20140404!raw":["a",1]}}`, []string{"spec.lines"}},
	{"a null in a list of texts", `{"lines":["a",null]}`, `{"$propertyBag":{"lines@v20140404!raw":["a",null]}}`, []string{"spec.lines"}},
	{"an element of a list of lists", `{"rows":[[],[{}, 7]]}`, `{"rows":[[],[{}]],"$propertyBag":{"rows@v20140404!elements!raw":[[1,[[1,[7]]]]]}}`, []string{"spec.rows[1][1]"}},
	{"elements at several places", `{"parts":[1,2,{"color":"a"},3,{"color":["b"]},[4]]}`, `{"parts":[{"color":"a"},{"$propertyBag":{"color@v20140404!raw":["b"]}}],"$propertyBag":{"parts@v20140404!elements!raw":[[0,[1,2]],[3,[3]],[5,[[4]]]]}}`, []string{"spec.parts[0]", "spec.parts[4].color"}},
	{"an element of a list within an element", `{"parts":[7,{"parts":[{},8]}]}`, `{"parts":[{"parts":[{}],"$propertyBag":{"parts@v20140404!elements!raw":[[1,[8]]]}}],"$propertyBag":{"parts@v20140404!elements!raw":[[0,[7]]]}}`, []string{"spec.parts[0]", "spec.parts[1].parts[1]"}},
	{"a value of a map within an open object", `{"open":{"x":{"labels":{"a":1}},"y":{"parts":[5]}}}`, `{"open":{"x":{"$propertyBag":{"labels@v20140404!raw":{"a":1}}},"y":{"parts":[],"$propertyBag":{"parts@v20140404!elements!raw":[[0,[5]]]}}}}`, []string{"spec.open.x.labels", "spec.open.y.parts[0]"}},
	{"a list in a list", `{"rows":[[],7]}`, `{"$propertyBag":{"rows@v20140404!raw":[[],7]}}`, []string{"spec.rows"}},
	{"a value of a map", `{"spares":{"a":1,"b":{"weight":"x"}}}`, `{"spares":{"b":{"$propertyBag":{"weight@v20140404!raw":"x"}}},"$propertyBag":{"spares@v20140404!elements!raw":{"a":1}}}`, []string{"spec.spares.a", "spec.spares.b.weight"}},
	{"a text of a map", `{"tags":{"a":1}}`, `{"$propertyBag":{"tags@v20140404!raw":{"a":1}}}`, []string{"spec.tags"}},
	{"a known and an additional member", `{"open":{"known":1,"x":{"color":1},"y":2}}`, `{"open":{"x":{"$propertyBag":{"color@v20140404!raw":1}},"$propertyBag":{"known@v20140404!raw":1,"y@v20140404!raw":2}}}`, []string{"spec.open.known", "spec.open.x.color", "spec.open.y"}},
	{"in an object that has no bag", `{"owner":{"name":1}}`, `{"$propertyBag":{"owner@v20140404!raw":{"name":1}}}`, []string{"spec.owner"}},
	{"the spec itself", `"x"`, `{"$propertyBag":{"@v20140404!raw":"x"}}`, []string{"spec"}},
}

func TestValuesOfWrongTypeInStorage(t *testing.T) {
	for _, test := range wrongTypes {
		t.Run(test.reason, func(t *testing.T) {
			r := fixtures.Record(t)
			var got fixtures.StoredGadget
			data := []byte(`{` + storageHead + `,"spec":` + test.spec + `}`)
			if err := Decode(data, &got); err != nil {
				t.Fatal(err)
			}
			var want *fixtures.StoredSpec
			if err := json.Unmarshal([]byte(test.storage), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got.Spec, nullEntries); diff != "" {
				t.Error(diff)
			}
			checkObserved(t, r, test.kept)
			encodes(t, &got, string(data))
		})
	}
}

// TestUnknownMembersInStorage checks that members that a storage type lacks are hidden in bags, and
// come back in the same storage version only.
func TestUnknownMembersInStorage(t *testing.T) {
	r := fixtures.Record(t)
	const (
		stored = `{"later":{"a":1,"$propertyBag":{"k":1}},"parts":[{"color":"c","later":[2]},{}],"$propertyBag":{"@v20140404!raw@":1,"k":2}}`
		hidden = `{"parts":[{"color":"c","$propertyBag":{"later@v20140404storage!raw":[2]}},{}],` +
			`"$propertyBag":{"@v20140404!raw@":1,"k":2,"later@v20140404storage!raw":{"a":1,"$propertyBag":{"k":1}}}}`
	)
	var got fixtures.StoredGadget
	data := `{` + storageHead + `,"spec":` + stored + `}`
	if err := Decode([]byte(strings.Replace(data, `"k":2`, `"k":2,"later@v20140404storage!raw":"replaced by the live value"`, 1)), &got); err != nil {
		t.Fatal(err)
	}
	var want *fixtures.StoredSpec
	if err := json.Unmarshal([]byte(hidden), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.Spec); diff != "" {
		t.Error(diff)
	}
	checkObserved(t, r, []string{"spec.later", "spec.parts[0].later"})
	encodes(t, &got, data)
	const other = "v20150505storage"
	got.APIVersion = strings.Replace(got.APIVersion, "v20140404storage", other, 1)
	encodes(t, &got, `{`+strings.Replace(storageHead, "v20140404storage", other, 1)+`,"spec":`+hidden+`}`)
}

// TestManyUnknownMembersInStorage checks that elements with unknown members stay in their lists,
// however many they are, and that wrong values beside them have as much room as without them.
func TestManyUnknownMembersInStorage(t *testing.T) {
	const n = 3000
	const element = `{"color":"c","later":1,"$propertyBag":{"k":1}},`
	data := `{` + storageHead + `,"spec":{"parts":[` + strings.Repeat(element, n) + `{"color":1,"$propertyBag":{"k":1}}]}}`
	var got fixtures.StoredGadget
	if err := Decode([]byte(data), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Spec.Parts) != n+1 {
		t.Errorf("%d of %d elements are in the list", len(got.Spec.Parts), n+1)
	}
	encodes(t, &got, data)
}

// nullEntries compares null with nothing, which a decoder reads it into.
var nullEntries = cmp.Transformer("text", func(j runtime.JSON) string {
	if j == nil {
		return jsontext.Null
	}
	return string(j)
})

func checkObserved(t *testing.T, r *fixtures.Recorder, want []string) {
	t.Helper()
	var got []string
	for _, event := range r.Events {
		got = append(got, event.Path)
		if event.What != runtime.RawKept || event.Name != "ann" || event.Namespace != "crm" || event.Kind.Version != fixtures.GadgetVersion {
			t.Errorf("the observer was told %+v", event)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// encodes requires that a root is written as some JSON, and does not change by that.
func encodes(t *testing.T, root any, want string) {
	t.Helper()
	before, _ := jsontext.Marshal(root)
	got, err := Encode(root)
	if err != nil {
		t.Fatal(err)
	}
	wanted, err := jsontext.Parse([]byte(want))
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsontext.Parse(got)
	if err != nil {
		t.Fatalf("%s: %v", got, err)
	}
	if diff := cmp.Diff(wanted, value); diff != "" {
		t.Errorf("%s", diff)
	}
	if after, _ := jsontext.Marshal(root); string(before) != string(after) {
		t.Errorf("the root changed from %s to %s", before, after)
	}
}

func TestValuesOfWrongTypeInAPI(t *testing.T) {
	for _, test := range wrongTypes {
		t.Run(test.reason, func(t *testing.T) {
			r := fixtures.Record(t)
			var g fixtures.Gadget
			data := `{` + apiHead + `,"spec":` + test.spec + `}`
			if err := Decode([]byte(data), &g); err != nil {
				t.Fatal(err)
			}
			checkObserved(t, r, test.kept)
			encodes(t, &g, data)

			stored := fixtures.StoredOf(t, &g)
			want := &fixtures.StoredSpec{}
			if err := json.Unmarshal([]byte(test.storage), want); err != nil {
				t.Fatal(err)
			}
			want.OriginalVersion = fixtures.GadgetVersion
			if diff := cmp.Diff(want, stored.Spec, nullEntries); diff != "" {
				t.Errorf("in storage: %s", diff)
			}
			if stored.Status != nil {
				t.Error("the status that was made for the bag stayed")
			}
			encodes(t, fixtures.APIOf(t, stored), data)
		})
	}
}

func TestLiveValuesReplaceRawOnes(t *testing.T) {
	var g fixtures.Gadget
	if err := Decode([]byte(`{`+apiHead+`,"spec":{"size":5,"lines":7,"tags":8,"parts":["x",{}]}}`), &g); err != nil {
		t.Fatal(err)
	}
	stored := fixtures.StoredOf(t, &g)
	stored.TypeMeta = metav1.TypeMeta{APIVersion: fixtures.Group + "/" + fixtures.GadgetVersion + "storage", Kind: "Gadget"}
	stored.Spec.Size, stored.Spec.Lines, stored.Spec.Tags, stored.Spec.Parts[0].Color = new("live"), []string{"live"}, map[string]string{}, new("red")
	const want = `"size":"live","lines":["live"],"tags":{},"parts":["x",{"color":"red"}]}}`
	encodes(t, fixtures.APIOf(t, stored), `{`+apiHead+`,"spec":{`+want)
	encodes(t, stored, `{`+storageHead+`,"spec":{"originalVersion":"v20140404",`+want)
}

func TestElementsOfWrongTypeInEditedLists(t *testing.T) {
	const spec = `{"parts":[1,{"color":"a"},2,3,{"color":"b"},4],"rows":[[5,{}],[{},6]],"spares":{"s":7,"t":{}}}`
	for _, test := range []struct {
		reason string
		edit   func(s *fixtures.StoredSpec)
		want   string
	}{
		{"nothing is edited", func(*fixtures.StoredSpec) {}, spec},
		{"an element is appended", func(s *fixtures.StoredSpec) { s.Parts = append(s.Parts, fixtures.StoredPart{}) }, `{"parts":[1,{"color":"a"},2,3,{"color":"b"},4,{}],"rows":[[5,{}],[{},6]],"spares":{"s":7,"t":{}}}`},
		{"an element is inserted", func(s *fixtures.StoredSpec) { s.Parts = append([]fixtures.StoredPart{{}}, s.Parts...) }, `{"parts":[1,{},2,3,{"color":"a"},4,{"color":"b"}],"rows":[[5,{}],[{},6]],"spares":{"s":7,"t":{}}}`},
		{"elements are removed", func(s *fixtures.StoredSpec) { s.Parts, s.Rows = s.Parts[:0], s.Rows[:1] }, `{"parts":[1,2,3,4],"rows":[[5,{}]],"spares":{"s":7,"t":{}}}`},
		{"the lists are removed", func(s *fixtures.StoredSpec) { s.Parts, s.Rows, s.Spares = nil, nil, nil }, `{}`},
		{"a key is taken", func(s *fixtures.StoredSpec) { s.Spares["s"] = fixtures.StoredPart{Color: new("c")} }, `{"parts":[1,{"color":"a"},2,3,{"color":"b"},4],"rows":[[5,{}],[{},6]],"spares":{"s":{"color":"c"},"t":{}}}`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			var g fixtures.Gadget
			if err := Decode([]byte(`{`+apiHead+`,"spec":`+spec+`}`), &g); err != nil {
				t.Fatal(err)
			}
			stored := fixtures.StoredOf(t, &g)
			stored.TypeMeta = metav1.TypeMeta{APIVersion: fixtures.Group + "/" + fixtures.GadgetVersion + "storage", Kind: "Gadget"}
			stored.Spec.OriginalVersion = fixtures.GadgetVersion
			test.edit(stored.Spec)
			encodes(t, fixtures.APIOf(t, stored), `{`+apiHead+`,"spec":`+test.want+`}`)
			encodes(t, stored, `{`+storageHead+`,"spec":`+strings.Replace(strings.Replace(test.want, `{`, `{"originalVersion":"v20140404",`, 1), `,}`, `}`, 1)+`}`)
		})
	}
}

// TestItemsOfAnyForm has bags of storage whose elements of the wrong type have another form than
// Strata writes.
func TestItemsOfAnyForm(t *testing.T) {
	const spec = `"boxes":{"b":[{}]},"grid":[{"x":{}}],"parts":[{"color":"a"}],"rows":[[{}],[]],"spares":{"k":{}}`
	for _, test := range []struct{ reason, key, items, member, want string }{
		{"as it is written", "parts", `[[0,[1]],[2,[3,4]]]`, `[{"color":"a"}]`, `[1,{"color":"a"},3,4]`},
		{"what is no item", "parts", `[5,{},"x",[],[0],[0,7],[0,{}],[-1,[1]],["x",[1]],[1.5,[1]],[1,[2]]]`, `[{"color":"a"}]`, `[{"color":"a"},2]`},
		{"no list", "parts", `{"0":[1]}`, `[{"color":"a"}]`, `[{"color":"a"}]`},
		{"out of order", "parts", `[[1,[2]],[0,[3]]]`, `[{"color":"a"}]`, `[{"color":"a"},2,3]`},
		{"far behind the end", "parts", `[[7,[2]],[9,[3]]]`, `[{"color":"a"}]`, `[{"color":"a"},2,3]`},
		{"no values", "parts", `[[0,[]],[1,[2]]]`, `[{"color":"a"}]`, `[{"color":"a"},2]`},
		{"values of a map", "spares", `{"a":1,"l":[2],"z":null}`, `{"k":{}}`, `{"a":1,"k":{},"l":[2],"z":null}`},
		{"a key that is taken", "spares", `{"k":1,"l":2}`, `{"k":{}}`, `{"k":{},"l":2}`},
		{"a key twice", "spares", `{"l":2,"l":3}`, `{"k":{}}`, `{"k":{},"l":2}`},
		{"no map", "spares", `[[0,[1]]]`, `{"k":{}}`, `{"k":{}}`},
		{"lists in a list", "rows", `[[0,[[1,[7]]]],[1,[[0,[8]]]]]`, `[[{}],[]]`, `[[{},7],[8]]`},
		{"a list in a list that is gone", "rows", `[[1,[[0,[8]]]],[2,[[0,[9]]]]]`, `[[{}],[]]`, `[[{}],[8]]`},
		{"lists in a list, of other forms", "rows", `[7,[0],[0,5],[0,{"x":1}],[1,[[0,[8]]]]]`, `[[{}],[]]`, `[[{}],[8]]`},
		{"lists in a list, out of order", "rows", `[[1,[[0,[8]]]],[0,[[0,[9]]]]]`, `[[{}],[]]`, `[[{}],[8]]`},
		{"lists in a map", "boxes", `{"a":[[0,[1]]],"b":[[0,[7]]],"c":[[0,[1]]]}`, `{"b":[{}]}`, `{"b":[7,{}]}`},
		{"lists in a map, of other forms", "boxes", `{"b":5}`, `{"b":[{}]}`, `{"b":[{}]}`},
		{"maps in a list", "grid", `[[0,{"w":1,"y":5}],[1,{"y":6}]]`, `[{"x":{}}]`, `[{"w":1,"x":{},"y":5}]`},
	} {
		member, want := `"`+test.key+`":`+test.member, `"`+test.key+`":`+test.want
		stored := `{` + storageHead + `,"spec":{` + spec + `,"$propertyBag":{"` + test.key + `@v20140404!elements!raw":` + test.items + `}}}`
		var s fixtures.StoredGadget
		if err := json.Unmarshal([]byte(stored), &s); err != nil || !strings.Contains(spec, member) {
			t.Fatal(err, member)
		}
		t.Run(test.reason, func(t *testing.T) {
			encodes(t, &s, `{`+storageHead+`,"spec":{`+strings.Replace(spec, member, want, 1)+`}}`)
		})
	}
}

// TestRawNodesOfAnyForm decodes status bags whose raw values have unusual paths, or another form
// than Strata writes.
func TestRawNodesOfAnyForm(t *testing.T) {
	const spec = `"main":{"inner":{}},"open":{"m":{}},"parts":[{},{},{}],"spares":{"":{},"k":{}}`
	raw := func(member string) string { return `{"bag":{"` + member + `@v20140404!raw":[1]}}` }
	for _, test := range []struct{ reason, node, was, want string }{
		{"a member", raw("size"), `"spares"`, `"size":[1],"spares"`},
		{"a member that is there", raw("main"), "", ""},
		{"of another version", `{"bag":{"size@v1!raw":1}}`, "", ""},
		{"what is no raw value", `{"bag":{"size":1,"lines":[]}}`, "", ""},
		{"no bag", `{"bag":[{"size@v20140404!raw":1}]}`, "", ""},
		{"in an object", `{"in":{"main":` + raw("color") + `}}`, `{"inner":{}}`, `{"inner":{},"color":[1]}`},
		{"in an object twice", `{"in":{"main":` + raw("color") + `,"main":` + raw("weight") + `,"main":{"in":{"inner":` + raw("on") + `}}}}`, `{"inner":{}}`, `{"inner":{"on":[1]},"color":[1],"weight":[1]}`},
		{"in an object that is not there", `{"in":{"any":` + raw("free") + `}}`, "", ""},
		{"in an additional member", `{"in":{"open":{"more":{"m":` + raw("color") + `}}}}`, `{"m":{}}`, `{"m":{"color":[1]}}`},
		{"a member, that is an additional one", `{"in":{"open":{"in":{"m":` + raw("color") + `}}}}`, "", ""},
		{"in a value of a map", `{"in":{"spares":{"in":{"k":` + raw("color") + `}}}}`, `"k":{}`, `"k":{"color":[1]}`},
		{"in a value of a map without a name", `{"in":{"spares":{"in":{"":` + raw("color") + `}}}}`, `"":{}`, `"":{"color":[1]}`},
		{"in an element", `{"in":{"parts":{"in":[[1,` + raw("color") + `]]}}}`, `{},{},{}`, `{},{"color":[1]},{}`},
		{"in an element with its key", `{"in":{"parts":{"in":[[1,"key",` + raw("color") + `]]}}}`, `{},{},{}`, `{},{"color":[1]},{}`},
		{"in an element twice", `{"in":{"parts":{"in":[[1,` + raw("color") + `],[1,` + raw("on") + `]]}}}`, `{},{},{}`, `{},{"color":[1],"on":[1]},{}`},
		{"in elements that are not there", `{"in":{"parts":{"in":[[3,` + raw("color") + `],[-1,` + raw("color") + `],["x",` + raw("color") + `],[` + raw("color") + `]]}}}`, "", ""},
		{"in what is no element", `{"in":{"parts":{"in":[[],[0],[1,[]],5,"x",null,{},` + raw("color") + `]}}}`, "", ""},
		{"names where elements are", `{"in":{"parts":{"in":{"":` + raw("color") + `,"0":` + raw("color") + `},"more":{"":` + raw("color") + `}}}}`, "", ""},
		{"elements where names are", `{"in":{"main":{"in":[[0,` + raw("color") + `]]}}}`, "", ""},
	} {
		bag := `{"fingerprints":1,"format":1,"noStatus":true,"raw":{"spec":` + test.node + `}}`
		t.Run(test.reason, func(t *testing.T) {
			g := fixtures.Gadget{ObjectMeta: metav1.ObjectMeta{Name: "ann", Namespace: "crm"}, Status: &fixtures.GadgetStatus{PropertyBag: &bag}}
			g.TypeMeta = metav1.TypeMeta{APIVersion: fixtures.Group + "/" + fixtures.GadgetVersion, Kind: "Gadget"}
			if err := json.Unmarshal([]byte(`{`+spec+`}`), &g.Spec); err != nil {
				t.Fatal(err)
			}
			out, err := Encode(&g)
			if err != nil {
				t.Fatal(err)
			}
			fixtures.SameJSONText(t, "the spec", jsontext.MemberOf(out, "spec"), `{`+strings.Replace(spec, test.was, test.want, 1)+`}`)
		})
	}
}

func TestOtherVersionsRawValuesStay(t *testing.T) {
	stored := &fixtures.StoredGadget{
		TypeMeta: metav1.TypeMeta{APIVersion: fixtures.Group + "/" + fixtures.GadgetVersion + "storage", Kind: "Gadget"},
		Spec:     &fixtures.StoredSpec{PropertyBag: fixtures.BagOf("size@v20110101!raw", "5", "x@v20140404!raw", "6", "y", `"!raw"`)},
	}
	encodes(t, stored, `{"apiVersion":"crm.example.com/v20140404storage","kind":"Gadget","spec":{"x":6,"$propertyBag":{"size@v20110101!raw":5,"y":"!raw"}}}`)
}

func TestRawValuesBesideOtherHiddenOnes(t *testing.T) {
	hidden := fixtures.APIOf(t, &fixtures.StoredGadget{Spec: &fixtures.StoredSpec{OriginalVersion: fixtures.OldVersion, PropertyBag: fixtures.BagOf("a", "1")}})
	data, err := Encode(hidden)
	if err != nil {
		t.Fatal(err)
	}
	data = []byte(strings.Replace(string(data), `"spec":{}`, `"spec":{"size":5}`, 1))
	var g fixtures.Gadget
	if err := Decode(data, &g); err != nil {
		t.Fatal(err)
	}
	got := fixtures.StoredOf(t, &g)
	want := &fixtures.StoredSpec{OriginalVersion: fixtures.OldVersion, PropertyBag: fixtures.BagOf("a", "1", "size@v20140404!raw", "5")}
	if diff := cmp.Diff(want, got.Spec); diff != "" || got.Status != nil {
		t.Errorf("%s, status %v", diff, got.Status)
	}
	encodes(t, fixtures.APIOf(t, got), string(data))
}

func TestPartialObjects(t *testing.T) {
	for _, test := range []struct{ reason, json string }{
		{"a name alone", `{"metadata":{"name":"ann"}}`},
		{"not even that", `{}`},
		{"an empty spec", `{"spec":{},"status":{}}`},
		{"null for everything", `{"metadata":null,"spec":null,"status":null}`},
		{"nulls within", `{"spec":{"size":null,"main":null,"parts":null,"spares":{"a":null},"tags":{"b":null},"rows":[[]],"open":{"known":null,"x":null},"free":null},"status":{"conditions":null,"propertyBag":null}}`},
		{"unknown members", `{"spec":{"unknown":[1],"Size":5},"other":7}`},
		{"a status of the wrong type", `{"status":[]}`},
		{"conditions of the wrong type", `{"status":{"conditions":[{"lastTransitionTime":5}]}}`},
		{"a damaged bag", `{"spec":{"size":1},"status":{"propertyBag":"x"}}`},
		{"a bag of the wrong type", `{"status":{"propertyBag":{"a":1}}}`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			var g fixtures.Gadget
			if err := Decode([]byte(test.json), &g); err != nil {
				t.Fatal(err)
			}
			stored := fixtures.StoredOf(t, &g)
			if diff := cmp.Diff(stored, fixtures.StoredOf(t, fixtures.APIOf(t, stored))); diff != "" {
				t.Error(diff)
			}
			var s fixtures.StoredGadget
			if err := Decode([]byte(test.json), &s); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// common is embedded by pointer, as in some hand-written types.
type common struct {
	Color *string  `json:"color,omitempty"`
	Sizes []string `json:"sizes,omitempty"`
}

type tinted struct {
	metav1.TypeMeta `json:",inline"`
	Spec            *tintedSpec `json:"spec,omitempty"`
}

type tintedSpec struct {
	*common `json:",inline"`
	Name    *string `json:"name,omitempty"`
}

type storedTinted struct {
	Spec *fixtures.StoredPart `json:"spec,omitempty"`
}

func TestNullsAndEmbeddedObjects(t *testing.T) {
	for _, test := range []struct {
		reason, json, want string
		into               any
	}{
		{"members of an embedded object", `{"spec":{"color":"c","name":"n","sizes":["s"]}}`, "", &tinted{}},
		{"those alone", `{"spec":{"color":"c"}}`, "", &tinted{}},
		{"none of them", `{"spec":{"name":"n","other":1,"Color":2}}`, `{"spec":{"name":"n"}}`, &tinted{}},
		{"nulls of them", `{"spec":{"color":null,"name":null}}`, `{"spec":{}}`, &tinted{}},
		{"a bag that is null", `{"spec":{"$propertyBag":null,"color":"c"}}`, `{"spec":{"color":"c"}}`, &storedTinted{}},
		{"an entry of a bag that is null", `{"spec":{"color":"c","$propertyBag":{"k":null}}}`, "", &storedTinted{}},
		{"a bag twice", `{"spec":{"$propertyBag":{"k":1},"color":"c","$propertyBag":{"l":2}}}`, `{"spec":{"color":"c","$propertyBag":{"k":1,"l":2}}}`, &storedTinted{}},
	} {
		if test.want == "" {
			test.want = test.json
		}
		if err := Decode([]byte(test.json), test.into); err != nil {
			t.Fatal(err)
		}
		out, err := Encode(test.into)
		if err != nil {
			t.Fatal(err)
		}
		fixtures.SameJSONText(t, test.reason, out, test.want)
	}
}

func TestUndecodableValues(t *testing.T) {
	for _, test := range []struct {
		reason, json string
		into         any
		want         string
	}{
		{"no JSON", `{"spec":`, &fixtures.Gadget{}, "decode *fixtures.Gadget: "},
		{"a list", `[]`, &fixtures.Gadget{}, "decode *fixtures.Gadget: "},
		{"nothing", ``, &fixtures.StoredGadget{}, "decode *fixtures.StoredGadget: "},
		{"metadata of the wrong type", `{"metadata":{"name":5},"spec":{"size":5}}`, &fixtures.Gadget{}, "decode *fixtures.Gadget: "},
		{"labels of the wrong type", `{"metadata":{"labels":[]}}`, &fixtures.StoredGadget{}, "decode *fixtures.StoredGadget: "},
		{"no pointer", `{}`, fixtures.Gadget{}, "decode into fixtures.Gadget: not a pointer to a root"},
		{"no root", `{}`, (*fixtures.Gadget)(nil), "not a pointer to a root"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			if err := Decode([]byte(test.json), test.into); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want one with %s", err, test.want)
			}
		})
	}
}

func TestAppend(t *testing.T) {
	for _, test := range wrongTypes {
		var g fixtures.Gadget
		if err := Decode([]byte(`{`+apiHead+`,"spec":`+test.spec+`}`), &g); err != nil {
			t.Fatal(err)
		}
		for reason, root := range map[string]any{"API": &g, "storage": fixtures.StoredOf(t, &g)} {
			want, err := Encode(root)
			if err != nil {
				t.Fatal(err)
			}
			roomy := append(make([]byte, 0, 1<<16), "before,"...)
			got, err := Append(roomy, root)
			if err != nil || string(got) != "before,"+string(want) {
				t.Errorf("%s, %s: %s (%v), want %s behind what was there", test.reason, reason, got, err, want)
			}
		}
	}
	large := &fixtures.Gadget{Spec: &fixtures.GadgetSpec{Free: runtime.JSON(`"` + strings.Repeat("x", 128<<10) + `"`)}}
	want, err := Encode(large)
	if got, failed := Append([]byte("before"), large); genruntime.FirstError(err, failed) != nil || string(got) != "before"+string(want) {
		t.Errorf("a large object is %d bytes behind what was there, want %d, %v", len(got), len(want)+len("before"), failed)
	}
	if got, err := Append([]byte("before"), func() {}); err == nil || string(got) != "before" {
		t.Errorf("what has no JSON: %s, %v", got, err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, test := range wrongTypes {
		f.Add([]byte(`{` + apiHead + `,"spec":` + test.spec + `}`))
	}
	full, err := Encode(fixtures.APIOf(f, fixtures.FullGadget()))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(full)
	f.Fuzz(func(t *testing.T, data []byte) {
		var stored fixtures.StoredGadget
		if Decode(data, &stored) == nil {
			again(t, &stored, &fixtures.StoredGadget{})
		}
		var g fixtures.Gadget
		if Decode(data, &g) != nil {
			return
		}
		before := fixtures.StoredOf(t, &g)
		visible := fixtures.APIOf(t, before)
		if diff := cmp.Diff(before, fixtures.StoredOf(t, visible)); diff != "" {
			t.Errorf("%s does not come back: %s", data, diff)
		}
		again(t, visible, &fixtures.Gadget{})
	})
}

// again requires that encoded JSON can be decoded.
func again(t *testing.T, root, blank any) {
	data, err := Encode(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := Decode(data, blank); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
}
