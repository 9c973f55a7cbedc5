package convert

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// A resource with the members of its spec at the root, and its bag in an annotation. Its storage
// type is that of a gadget.

type widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   *fixtures.GadgetSpec `json:"spec,omitzero"`
	Status *widgetStatus        `json:"status,omitzero"`
}

type widgetStatus struct {
	Main       *fixtures.GadgetPart `json:"main,omitzero"`
	Conditions []metav1.Condition   `json:"conditions,omitzero"`
}

func (*widget) SpecAtRoot() {}

func (w widget) MarshalJSON() ([]byte, error) {
	type fixed widget
	return genruntime.MarshalAtRoot(fixed(w))
}

func (w *widget) UnmarshalJSON(data []byte) error {
	type fixed widget
	return genruntime.UnmarshalAtRoot(data, (*fixed)(w))
}

func (*widget) OriginalGVK() *schema.GroupVersionKind {
	return &schema.GroupVersionKind{Group: fixtures.Group, Version: fixtures.GadgetVersion, Kind: "Widget"}
}

func (w *widget) StatusBag() *string       { return genruntime.GetBagAnnotation(&w.ObjectMeta) }
func (w *widget) SetStatusBag(bag *string) { genruntime.SetBagAnnotation(&w.ObjectMeta, bag) }

func (w *widget) convertToStorage(dst *fixtures.StoredGadget) error {
	dst.TypeMeta = metav1.TypeMeta{APIVersion: fixtures.Group + "/" + gadgetHub, Kind: "Widget"}
	dst.ObjectMeta = w.ObjectMeta
	genruntime.DropBagAnnotation(&dst.ObjectMeta)
	err := genruntime.FirstError(
		genruntime.ObjectTo(&dst.Spec, w.Spec, (*fixtures.GadgetSpec).ConvertToStorage),
		genruntime.ObjectTo(&dst.Status, w.Status, func(s *widgetStatus, dst *fixtures.StoredStatus) error {
			return (&fixtures.GadgetStatus{Main: s.Main, Conditions: s.Conditions}).ConvertToStorage(dst)
		}))
	genruntime.Restore(w, &dst.Spec, &dst.Status)
	return err
}

func (w *widget) convertFromStorage(src *fixtures.StoredGadget) error {
	w.TypeMeta = metav1.TypeMeta{APIVersion: fixtures.Group + "/" + fixtures.GadgetVersion, Kind: "Widget"}
	w.ObjectMeta = src.ObjectMeta
	err := genruntime.FirstError(
		genruntime.ObjectFrom(&w.Spec, src.Spec, (*fixtures.GadgetSpec).ConvertFromStorage),
		genruntime.ObjectFrom(&w.Status, src.Status, func(s *widgetStatus, src *fixtures.StoredStatus) error {
			var like fixtures.GadgetStatus
			err := like.ConvertFromStorage(src)
			*s = widgetStatus{like.Main, like.Conditions}
			return err
		}))
	genruntime.DropBagAnnotation(&w.ObjectMeta)
	genruntime.Hide(w, src.Spec, src.Status)
	return err
}

func widgetUp(data []byte) ([]byte, error) {
	var from widget
	var to fixtures.StoredGadget
	if err := genruntime.FirstError(Decode(data, &from), from.convertToStorage(&to)); err != nil {
		return nil, err
	}
	return Encode(&to)
}

func widgetDown(data []byte) ([]byte, error) {
	var from fixtures.StoredGadget
	var to widget
	if err := genruntime.FirstError(Decode(data, &from), to.convertFromStorage(&from)); err != nil {
		return nil, err
	}
	return Encode(&to)
}

func widgetWays(t testing.TB) (up, down *Converter) {
	t.Helper()
	plan := Plan{API: &widget{}, Storage: &fixtures.StoredGadget{}, Hub: &fixtures.StoredGadget{}, HubVersion: fixtures.Group + "/" + gadgetHub, Annotation: true}
	if err := RegisterPlans(plan); err != nil {
		t.Fatal(err)
	}
	kind := schema.GroupKind{Group: fixtures.Group, Kind: "Widget"}
	return NewConverter(kind, fixtures.GadgetVersion, gadgetHub), NewConverter(kind, gadgetHub, fixtures.GadgetVersion)
}

const (
	widgetHead    = `{"apiVersion":"` + fixtures.Group + `/` + fixtures.GadgetVersion + `","kind":"Widget"`
	widgetHubHead = `{"apiVersion":"` + fixtures.Group + `/` + gadgetHub + `","kind":"Widget"`
)

// annotated returns an object's metadata with a bag among other annotations. Others has a comma at
// its end.
func annotated(others, bag string) string {
	return `,"metadata":{"name":"w","annotations":{` + others + `"strata.dev/property-bag":` + string(jsontext.AppendText(nil, bag)) + `}}`
}

var widgets = []struct {
	reason, json string
	isHub        bool
	refusal      Refusal
}{
	{"nothing but metadata", widgetHead + `,"metadata":{}}`, false, Converted},
	{"members at the root, in any order", `{"size":"s",` + widgetHead[1:] + ` , "count" : 1,"metadata":{"name":"w"},"status":{"main":{}},"tags":{"a":"b"}}` + "\n", false, Converted},
	{"a bag alone", widgetHead + annotated("", `{"fingerprints":1,"format":1,"noStatus":true,"spec":{"bag":{"k":1}}}`) + `,"size":"s"}`, false, Converted},
	{"a bag among others", widgetHead + annotated(`"a":"b" , `, `{"fingerprints":1,"format":1,"noStatus":true,"originalVersion":"v1","shown":"AAAAAAAAAAA"}`) + `}`, false, Converted},
	{"a bag before others", widgetHead + `,"metadata":{"annotations" : { "strata.dev/property-bag":"{\"fingerprints\":1,\"format\":1,\"status\":{\"bag\":{\"k\":1}}}" , "a,b":"}"},"name":"w"},"status":{}}`, false, Converted},
	{"a bag of a status that is gone", widgetHead + annotated("", `{"fingerprints":1,"format":1,"status":{"bag":{"k":1}}}`) + `}`, false, Converted},
	{"a status that was made for nothing", widgetHead + annotated("", `{"fingerprints":1,"format":1,"noStatus":true}`) + `,"status":{}}`, false, Converted},
	{"the hub, with nothing to hide", widgetHubHead + `,"metadata":{"name":"w"},"spec":{"size":"s","originalVersion":"` + fixtures.GadgetVersion + `"}}`, true, Converted},
	{"an empty spec last", widgetHubHead + `,"metadata":{"name":"w"},"spec":{"originalVersion":"` + fixtures.GadgetVersion + `"}}`, true, Converted},
	{"an empty spec first", `{"spec":{ "originalVersion":"` + fixtures.GadgetVersion + `" } ,` + widgetHubHead[1:] + `,"metadata":{"name":"w"}}`, true, Converted},
	{"the hub hides, and there are no annotations", widgetHubHead + `,"metadata":{ },"spec":{"originalVersion":"v1","count":3}}`, true, Converted},
	{"the hub hides, and there are annotations", widgetHubHead + `,"metadata":{"name":"w","annotations":{"a":"b"}},"spec":{"$propertyBag":{"k":1}},"status":{"$propertyBag":{"l":2}}}`, true, Converted},
	{"the hub hides, and annotations are empty", widgetHubHead + `,"spec":{"$propertyBag":{"k":1}},"metadata":{"annotations":{ }}}`, true, Converted},

	{"a bag that is damaged", widgetHead + annotated("", "{") + `}`, false, DamagedStatusBag},
	{"two bags", widgetHead + annotated(`"strata.dev/property-bag":"{}",`, "{}") + `}`, false, DamagedStatusBag},
	{"a bag whose name has an escape, beside another", widgetHead + annotated(`"strata.dev\/property-bag":"{}",`, "{}") + `}`, false, DamagedStatusBag},
	{"a bag that is null", widgetHead + `,"metadata":{"annotations":{"strata.dev/property-bag":null}}}`, false, DamagedStatusBag},
	{"a bag in the status", widgetHead + `,"metadata":{},"status":{"propertyBag":"{}"}}`, false, UnknownMember},
	{"a spec, which is no member", widgetHead + `,"metadata":{},"spec":{}}`, false, UnknownMember},
	{"a member twice", widgetHead + `,"metadata":{},"size":"a","size":"b"}`, false, RepeatedMember},
	{"a name with an escape", widgetHead + `,"metadata":{},"s\u0069ze":"a"}`, false, RareSpelling},
	{"a bag in the hub", widgetHubHead + annotated("", "{}") + `}`, true, DamagedStatusBag},
	{"annotations that are null", widgetHubHead + `,"metadata":{"annotations":null},"spec":{"$propertyBag":{"k":1}}}`, true, DamagedStatusBag},
	{"what is no JSON", widgetHead + `,"metadata":{},"size":}`, false, NotJSON},
	{"something behind the object", widgetHead + `,"metadata":{}}}`, false, NotJSON},
}

// TestConverterOfOtherShapes checks that members at the root and bags in annotations are converted
// as in objects.
func TestConverterOfOtherShapes(t *testing.T) {
	up, down := widgetWays(t)
	for _, test := range widgets {
		c, objects := up, widgetUp
		if test.isHub {
			c, objects = down, widgetDown
		}
		out, refusal := c.Append(t.Context(), []byte("before"), []byte(test.json))
		switch {
		case refusal != test.refusal:
			t.Errorf("%s: %s, want %s: %s", test.reason, refusal, test.refusal, out)
		case refusal != Converted && string(out) != "before":
			t.Errorf("%s: refused, and wrote %s", test.reason, out)
		case refusal == Converted:
			checkSame(t, test.reason, []byte(test.json), out[len("before"):], objects)
			checkFirst(t, c, []byte(test.json), out[len("before"):])
		}
	}
}

// FuzzConverterOfOtherShapes is FuzzConverter for them.
func FuzzConverterOfOtherShapes(f *testing.F) {
	for _, test := range widgets {
		f.Add([]byte(test.json), test.isHub)
	}
	for _, test := range gadgets {
		f.Add([]byte(strings.Replace(test.json, "Gadget", "Widget", 1)), test.isHub)
	}
	up, down := widgetWays(f)
	f.Fuzz(func(t *testing.T, data []byte, isHub bool) {
		c, objects := up, widgetUp
		if isHub {
			c, objects = down, widgetDown
		}
		if out, ok := tryAppend(c, nil, data); ok {
			checkSame(t, "fuzzed", data, out, objects)
			checkFirst(t, c, data, out)
		}
	})
}
