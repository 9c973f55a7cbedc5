package convert

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"

	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/bag"
	"github.com/stratakube/strata/runtime/internal/fixtures"
	"github.com/stratakube/strata/runtime/internal/jsontext"
	"github.com/stratakube/strata/runtime/internal/linear"
)

var gadgetKind = schema.GroupKind{Group: fixtures.Group, Kind: "Gadget"}

const gadgetHub = fixtures.GadgetVersion + "storage"

func gadgetPlan() Plan {
	return Plan{API: &fixtures.Gadget{}, Storage: &fixtures.StoredGadget{}, Hub: &fixtures.StoredGadget{}, HubVersion: fixtures.Group + "/" + gadgetHub}
}

// gadgetWays returns the converters between the gadget and its hub.
func gadgetWays(t testing.TB) (up, down *Converter) {
	t.Helper()
	if err := RegisterPlans(gadgetPlan()); err != nil {
		t.Fatal(err)
	}
	up, down = NewConverter(gadgetKind, fixtures.GadgetVersion, gadgetHub), NewConverter(gadgetKind, gadgetHub, fixtures.GadgetVersion)
	if up == nil || down == nil {
		t.Fatal("no converter")
	}
	return up, down
}

func gadgetUp(data []byte) ([]byte, error) {
	var from fixtures.Gadget
	var to fixtures.StoredGadget
	if err := genruntime.FirstError(Decode(data, &from), from.ConvertToStorage(&to)); err != nil {
		return nil, err
	}
	return Encode(&to)
}

func gadgetDown(data []byte) ([]byte, error) {
	var from fixtures.StoredGadget
	var to fixtures.Gadget
	if err := genruntime.FirstError(Decode(data, &from), to.ConvertFromStorage(&from)); err != nil {
		return nil, err
	}
	return Encode(&to)
}

const (
	gadgetHead    = `{"apiVersion":"` + fixtures.Group + `/` + fixtures.GadgetVersion + `","kind":"Gadget","metadata":{"name":"g"}`
	gadgetHubHead = `{"apiVersion":"` + fixtures.Group + `/` + gadgetHub + `","kind":"Gadget","metadata":{"name":"g"}`
)

// gadgets are objects, of the API version or of the hub, and the reason why the plan refuses them.
var gadgets = []struct {
	reason, json string
	isHub        bool
	refusal      Refusal
}{
	{"no spec", gadgetHead + `}`, false, Converted},
	{"an empty spec", gadgetHead + `,"spec":{}}`, false, Converted},
	{"all kinds of values", gadgetHead + `,"spec":{"size":"s","count":-12,"main":{"ratio":1.50,"on":true,"inner":{"color":"é\n"}},"parts":[{},{"weight":1}],` +
		`"rows":[[{"color":"a"}],[]],"spares":{"x":{"on":false}},"tags":{"a":"b"},"lines":[],"open":{"known":{},"other":{"color":"c"}},"free":{"any":[null,1e400]},"owner":{"armId":"/x"}}}`, false, Converted},
	{"members in any order, with spaces", ` {"spec" : { "size":"s" , "count" :1}, "metadata":{"name":"g"},"kind":"Gadget","apiVersion":"` + fixtures.Group + `/` + fixtures.GadgetVersion + "\"}\n", false, Converted},
	{"a bag with another original version", gadgetHead + `,"spec":{"size":"s"},"status":{"propertyBag":"{\"fingerprints\":1,\"format\":1,\"noStatus\":true,\"originalVersion\":\"v1\",\"shown\":\"AAAAAAAAAAA\"}"}}`, false, Converted},
	{"conditions", gadgetHead + `,"status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-02T03:04:05Z","reason":"r","message":""}]}}`, false, Converted},
	{"an empty status, and hidden values", gadgetHead + `,"status":{},"spec":{}}`, false, Converted},
	{"nulls in metadata", gadgetHead[:len(gadgetHead)-1] + `,"labels":null,"annotations":null,"generation":null,"finalizers":null,"ownerReferences":null,"deletionTimestamp":null,"odd":{"a":[null]}}}`, false, Converted},
	{"managed fields, the same for two managers", gadgetHead[:len(gadgetHead)-1] + `,"managedFields":[` + applies("one", fixtures.GadgetVersion) + `,` + applies("two", fixtures.GadgetVersion) + `,` + applies("one", fixtures.GadgetVersion) + `]},"spec":{}}`, false, Converted},
	{"the hub, declared in this version by several", gadgetHubHead[:len(gadgetHubHead)-1] + `,"annotations":{"` + fixtures.LastAppliedKey + `":"{\"apiVersion\":\"` + fixtures.Group + `/` + fixtures.GadgetVersion + `\"}"},"managedFields":[` +
		applies("two", fixtures.GadgetVersion) + `,` + applies("one", fixtures.GadgetVersion) + `,` + applies("two", fixtures.GadgetVersion) + `,` + applies("three", "v1") + `]},"spec":{"originalVersion":"v1"}}`, true, Converted},
	{"the hub, declared in another version", gadgetHubHead[:len(gadgetHubHead)-1] + `,"annotations":{"` + fixtures.LastAppliedKey + `":"{\"apiVersion\":\"` + fixtures.Group + `/v1\"}"}},"spec":{"originalVersion":"v1"}}`, true, Converted},
	{"the hub, with a declaration that is no JSON", gadgetHubHead[:len(gadgetHubHead)-1] + `,"annotations":{"` + fixtures.LastAppliedKey + `":"{\"apiVersion\":\"` + fixtures.Group + `/` + fixtures.GadgetVersion + `\""}},"spec":{"originalVersion":"v1"}}`, true, Converted},
	{"the hub, with a declaration of nothing", gadgetHubHead[:len(gadgetHubHead)-1] + `,"annotations":{"` + fixtures.LastAppliedKey + `":""},"managedFields":[{"manager":"m","operation":"Apply"}]},"spec":{"originalVersion":"v1"}}`, true, Converted},
	{"a change by another declaration", gadgetHead[:len(gadgetHead)-1] + `,"annotations":{"` + fixtures.LastAppliedKey + `":"{\"apiVersion\":\"` + fixtures.Group + `/` + fixtures.GadgetVersion + `\"}"}},"spec":{},"status":{"propertyBag":"{\"fingerprints\":1,\"format\":1,\"originalVersion\":\"v1\",\"shown\":\"AAAAAAAAAAA\"}"}}`, false, Converted},
	{"the same declaration as before", gadgetHead[:len(gadgetHead)-1] + `,"annotations":{"` + fixtures.LastAppliedKey + `":"{\"apiVersion\":\"` + fixtures.Group + `/` + fixtures.GadgetVersion + `\"}"}},"spec":{},"status":{"propertyBag":"{\"declared\":[\"last-applied\"],\"fingerprints\":1,\"format\":1,\"originalVersion\":\"v1\",\"shown\":\"AAAAAAAAAAA\"}"}}`, false, Converted},
	{"a status that was made for the bag, first", `{"status":{"propertyBag":"{\"fingerprints\":1,\"format\":1,\"noStatus\":true,\"originalVersion\":\"v1\",\"shown\":\"AAAAAAAAAAA\"}"},` + gadgetHead[1:] + `,"spec":{"count":0}}`, false, Converted},
	{"a status that was made for the bag, between", gadgetHead + `,"status":{"propertyBag":"{\"fingerprints\":1,\"format\":1,\"noStatus\":true}"},"spec":{"count":1}}`, false, Converted},
	{"a status that was made for the bag, and written to", gadgetHead + `,"spec":{},"status":{"main":{},"propertyBag":"{\"fingerprints\":1,\"format\":1,\"noStatus\":true}"}}`, false, Converted},
	{"a bag that hides, of an object without a spec", gadgetHead + `,"status":{"propertyBag":"{\"fingerprints\":1,\"format\":1,\"status\":{\"bag\":{\"k\":1}}}"}}`, false, Converted},
	{"a bag without an original version", gadgetHead + `,"spec":{"size":"s"},"status":{"propertyBag":"{\"fingerprints\":1,\"format\":1}"}}`, false, Converted},
	{"fingerprints of later, and an edit", gadgetHead + `,"spec":{"size":"s"},"status":{"propertyBag":"{\"fingerprints\":2,\"format\":1,\"originalVersion\":\"v1\",\"shown\":\"AAAAAAAAAAA\"}"}}`, false, Converted},
	{"metadata as a client may send it", gadgetHead[:len(gadgetHead)-1] + `,"creationTimestamp":null,"odd":1}}`, false, Converted},
	{"the hub, read as what was written", gadgetHubHead + `,"spec":{"size":"s","originalVersion":"` + fixtures.GadgetVersion + `"}}`, true, Converted},
	{"the hub, written by another version", gadgetHubHead + `,"spec":{"size":"s","count":3,"originalVersion":"v1"}}`, true, Converted},
	{"the same, with a status", gadgetHubHead + `,"spec":{"count":3,"originalVersion":"v1"},"status":{"main":{}}}`, true, Converted},
	{"the hub without an original version", gadgetHubHead + `,"spec":{}}`, true, Converted},

	{"a wrong type", gadgetHead + `,"spec":{"size":1}}`, false, WrongType},
	{"a fraction for a whole number", gadgetHead + `,"spec":{"count":1.0}}`, false, WrongType},
	{"a number beyond 64 bits", gadgetHead + `,"spec":{"count":9223372036854775808}}`, false, WrongType},
	{"a null", gadgetHead + `,"spec":{"size":null}}`, false, WrongType},
	{"a null for free JSON", gadgetHead + `,"spec":{"free":null}}`, false, WrongType},
	{"a null for each kind of value", gadgetHead + `,"spec":{"tags":null}}`, false, WrongType},
	{"no list", gadgetHead + `,"spec":{"parts":{}}}`, false, WrongType},
	{"no map", gadgetHead + `,"spec":{"spares":[]}}`, false, WrongType},
	{"no object", gadgetHead + `,"spec":{"main":[]}}`, false, WrongType},
	{"brackets that do not fit", gadgetHead + `,"spec":{"rows":[{}]]}}`, false, WrongType},
	{"a null as an element", gadgetHead + `,"spec":{"parts":[null]}}`, false, WrongType},
	{"a member that the type lacks", gadgetHead + `,"spec":{"colour":"c"}}`, false, UnknownMember},
	{"a member twice", gadgetHead + `,"spec":{"size":"a","size":"b"}}`, false, RepeatedMember},
	{"a member twice, with others between", gadgetHead + `,"spec":{"size":"a","count":1,"lines":[],"size":"b"}}`, false, RepeatedMember},
	{"a part of the root twice", gadgetHead + `,"spec":{},"status":{},"spec":{}}`, false, RepeatedMember},
	{"a part of the root that is not known", gadgetHead + `,"spec":{},"other":{}}`, false, UnknownMember},
	{"no kind", strings.Replace(gadgetHead, `"kind":"Gadget",`, "", 1) + `}`, false, MissingMember},
	{"no version", `{"kind":"Gadget","metadata":{}}`, false, MissingMember},
	{"a version that is no text", strings.Replace(gadgetHead, `"`+fixtures.Group+`/`+fixtures.GadgetVersion+`"`, "1", 1) + `}`, false, WrongType},
	{"a label that is no text", gadgetHead[:len(gadgetHead)-1] + `,"labels":{"a":1}}}`, false, WrongType},
	{"a member of metadata twice", gadgetHead[:len(gadgetHead)-1] + `,"name":"h"}}`, false, RepeatedMember},
	{"a null behind a sign, for a number of metadata", gadgetHead[:len(gadgetHead)-1] + `,"generation":-null}}`, false, NotJSON},
	{"a null behind a sign, for a text of metadata", gadgetHead[:len(gadgetHead)-1] + `,"uid":-null}}`, false, NotJSON},
	{"a null behind a sign, for a time", gadgetHead[:len(gadgetHead)-1] + `,"creationTimestamp":-null}}`, false, NotJSON},
	{"a null behind a sign, for a map", gadgetHead[:len(gadgetHead)-1] + `,"labels":-null}}`, false, NotJSON},
	{"a null behind a sign, in a spec", gadgetHead + `,"spec":{"count":-null}}`, false, NotJSON},
	{"a null that is cut off", gadgetHead[:len(gadgetHead)-1] + `,"generation":nul}}`, false, NotJSON},
	{"a bag of the status twice", gadgetHead + `,"status":{"propertyBag":"{}","main":{},"propertyBag":"{}"}}`, false, RepeatedMember},
	{"a name with an escape", gadgetHead + `,"spec":{"s\u0069ze":"a"}}`, false, RareSpelling},
	{"an original version in an API object", gadgetHead + `,"spec":{"originalVersion":"v1"}}`, false, UnknownMember},
	{"hidden values", gadgetHead + `,"spec":{},"status":{"propertyBag":"{\"fingerprints\":1,\"format\":1,\"spec\":{\"bag\":{\"k\":1}}}"}}`, false, Converted},
	{"hidden values below escaped names", gadgetHead + `,"spec":{},"status":{"propertyBag":"{\"fingerprints\":1,\"format\":1,\"spec\":{\"\\u0062ag\":{\"k\":1}}}"}}`, false, Converted},
	{"hidden values below names with other escapes", gadgetHead + `,"spec":{"main":{}},"status":{"propertyBag":"{\"fingerprints\":1,\"format\":1,\"spec\":{\"in\":{\"main\":{\"bag\":{\"a\\/b\":1}}}}}"}}`, false, Converted},
	{"hidden raw values", gadgetHead + `,"spec":{},"status":{"propertyBag":"{\"fingerprints\":1,\"format\":1,\"raw\":[[[\"spec\",\"size\"],1]]}"}}`, false, RawValues},
	{"an edit of an object of another original version that hides something", gadgetHead + `,"spec":{"size":"new"},"status":{"propertyBag":"{\"fingerprints\":1,\"format\":1,\"originalVersion\":\"v1\",\"shown\":\"AAAAAAAAAAA\",\"spec\":{\"bag\":{\"k\":1}}}"}}`, false, OriginalVersion},
	{"a bag that is damaged", gadgetHead + `,"spec":{},"status":{"propertyBag":"{"}}`, false, DamagedStatusBag},
	{"a bag that is no string", gadgetHead + `,"spec":{},"status":{"propertyBag":{}}}`, false, DamagedStatusBag},
	{"a condition that lacks what its type always writes", gadgetHead + `,"status":{"conditions":[{"type":"Ready"}]}}`, false, MissingMember},
	{"a condition with an empty value that its type leaves out", gadgetHead + `,"status":{"conditions":[{"type":"Ready","status":"True","observedGeneration":0,"lastTransitionTime":"2026-01-02T03:04:05Z","reason":"r","message":""}]}}`, false, RareSpelling},
	{"a time in another zone", gadgetHead + `,"status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-02T03:04:05+01:00","reason":"r","message":""}]}}`, false, RareSpelling},
	{"a property bag of the hub", gadgetHubHead + `,"spec":{"originalVersion":"` + fixtures.GadgetVersion + `","$propertyBag":{"k":1}}}`, true, Converted},
	{"the hub hides something in elements that have names", hubWith(`"ports":[{"id":"x","name":"a","$propertyBag":{"k":1}},{"id":"y","name":"b"}]`), true, Converted},
	{"in elements whose names are not unique", hubWith(`"ports":[{"id":"x","name":"a","$propertyBag":{"k":1}},{"id":"y","name":"a"}]`), true, Converted},
	{"in elements some of which have names", hubWith(`"ports":[{"id":"x","name":"a","$propertyBag":{"k":1}},{"name":"b"},{}]`), true, Converted},
	{"in elements with keys", hubWith(`"rules":[{"name":"a","number":1,"$propertyBag":{"k":1}},{"name":"a","number":2}]`), true, Converted},
	{"in elements with the same key", hubWith(`"rules":[{"name":"a","number":1,"$propertyBag":{"k":1}},{"name":"a","number":1}]`), true, Converted},
	{"in elements one of which has half a key", hubWith(`"rules":[{"name":"a","number":1,"$propertyBag":{"k":1}},{"name":"a"}]`), true, Converted},
	{"in open objects", hubWith(`"open":{"known":{"$propertyBag":{"k":1}},"other":{"$propertyBag":{"k":1}},"$propertyBag":{"k":1},"more":{}}`), true, Converted},
	{"in a list of open objects", hubWith(`"opens":[{"known":{"color":"c"},"b":{"on":true,"color":"d","$propertyBag":{"k":1}},"a":{"weight":1}},{"$propertyBag":{"l":2},"z":{}},{}]`), true, Converted},
	{"in maps of lists, and lists of maps", hubWith(`"boxes":{"b":[{"on":true},{"$propertyBag":{"k":1}}],"a":[]},"grid":[{},{"y":{"color":"c"},"x":{"$propertyBag":{"k":1}}}]`), true, Converted},
	{"in lists within each other", hubWith(nestedParts(8)), true, Converted},
	{"in more of them than have leaves", hubWith(nestedParts(9)), true, Converted},
	{"in two more", hubWith(nestedParts(10)), true, Converted},
	{"empty bags alone", hubWith(`"parts":[{"$propertyBag":{ }},{}],"$propertyBag":{}`), true, UnclearBag},
	{"the hub, with what only versions have", gadgetHubHead + `,"spec":{"originalVersion":"` + fixtures.GadgetVersion + `"},"status":{"propertyBag":"{}"}}`, true, UnknownMember},
	{"a status bag in a spec", gadgetHead + `,"spec":{"propertyBag":"{}"}}`, false, UnknownMember},
	{"hidden elements, one of which is none", hiding(`"parts":[{},{}]`, 1, `{"parts":{"all":"AAAAAAAAAAAAAAAAAAAAAA","in":[5,[],[0],[7,{"bag":{"k":1}}],["x",{"bag":{"k":1}}],[1,{"bag":{"k":1}}]]}}`), false, Converted},
	{"hidden elements of later fingerprints", hiding(`"parts":[{"on":true},{}]`, 2, `{"parts":{"all":"AAAAAAAAAAAAAAAAAAAAAA","in":[[1,{"bag":{"k":1}}]]}}`), false, Converted},
	{"of later fingerprints, and another length", hiding(`"parts":[{"on":true},{}]`, 2, `{"parts":{"all":"AAAAAAAAAAA","in":[[0,{"bag":{"k":1}}]]}}`), false, Converted},
	{"keys of a list that has none", hiding(`"parts":[{"on":true},{}]`, 2, `{"parts":{"keyed":true,"in":[[0,"AAAAAAAAAAA",{"bag":{"k":1}}]]}}`), false, Converted},
	{"keys of later fingerprints", hiding(`"rules":[{"name":"b","number":1}]`, 2, `{"rules":{"keyed":true,"in":[[0,"AAAAAAAAAAA",{"bag":{"k":1}}]]}}`), false, Converted},
	{"keys, some of which are none", hiding(`"rules":[{"name":"b"},{}]`, 1, `{"rules":{"keyed":true,"in":[[0,"AAAAAAAAAAA",{"bag":{"k":1}}],[1,"",{"bag":{"k":1}}],[0,5,{"bag":{"k":1}}]]}}`), false, Converted},
	{"names and fingerprints that cannot be read", hiding(`"ports":[{"name":"b"},{}]`, 1, `{"ports":{"all":"AAAAAAAAAAAA","by":"name","keys":"!","in":[[0,{"bag":{"k":1}}]]}}`), false, Converted},
	{"hidden in a map with a key twice", hiding(`"spares":{"x":{"on":true},"x":{}}`, 1, `{"spares":{"in":{"x":{"bag":{"k":1}}}}}`), false, RepeatedMember},
	{"hidden in a map with a key twice, once with an escape", hiding(`"spares":{"x":{"on":true},"\u0078":{}}`, 1, `{"spares":{"in":{"x":{"bag":{"k":1}}}}}`), false, RepeatedMember},
	{"hidden in an open object with a member twice", hiding(`"open":{"x":{"on":true},"x":{}}`, 1, `{"open":{"more":{"x":{"bag":{"k":1}}}}}`), false, RepeatedMember},
	{"hidden in an element of which a map has a key twice", hiding(`"grid":[{"b":{"on":true},"a":{},"b":{}},{}]`, 1, `{"grid":{"all":"AAAAAAAAAAAAAAAAAAAAAA","in":[[0,{"in":{"a":{"bag":{"k":1}}}}]]}}`), false, RepeatedMember},
	{"a key twice, and nothing hidden", gadgetHead + `,"spec":{"tags":{"a":"b","a":"c"}}}`, false, Converted},
	{"a key twice in what had another original version", gadgetHead + `,"spec":{"tags":{"b":"b","a":"b","b":"c"}},"status":{"propertyBag":"{\"fingerprints\":1,\"format\":1,\"originalVersion\":\"v1\",\"shown\":\"AAAAAAAAAAA\"}"}}`, false, RepeatedMember},
	{"the hub, of another original version, with a key twice", gadgetHubHead + `,"spec":{"tags":{"a":"b","a":"c"},"originalVersion":"v1"}}`, true, RepeatedMember},
	{"the hub, of another original version, with a member of an open object twice", gadgetHubHead + `,"spec":{"open":{"x":{"on":true},"x":{}},"originalVersion":"v1"}}`, true, RepeatedMember},
	{"the hub, of another original version, with keys in any order", gadgetHubHead + `,"spec":{"tags":{"b":"b","a":"c","c":"d"},"originalVersion":"v1"}}`, true, Converted},
	{"the hub hides something in a map with a key twice", hubWith(`"spares":{"x":{"$propertyBag":{"k":1}},"x":{"on":true}}`), true, RepeatedMember},
	{"in elements, of which a map has a key twice", hubWith(`"grid":[{"x":{"$propertyBag":{"k":1}},"y":{"on":true},"y":{}}]`), true, RepeatedMember},
	{"hidden values of other forms", hiding(`"main":{},"size":"s","spares":{"a":{}}`, 1, `{"main":5,"size":{"bag":{"k":1}},"spares":{"bag":{"k":1}},"none":{}}`), false, Converted},
	{"hidden values of places that are of another form", hiding(`"main":{},"spares":{"a":{}}`, 1, `{"main":{"in":[[0,{"bag":{"k":1}}]]},"spares":{"in":[]}}`), false, Converted},
	{"hidden under a key that is spelled with an escape", hiding(`"spares":{"\u0061":{}}`, 1, `{"spares":{"in":{"a":{"bag":{"k":1}}}}}`), false, Converted},
	{"hidden values with keys in another order", hiding(`"main":{}`, 1, `{"main":{"bag":{"l":1,"k":1}}}`), false, Unplaced},
	{"many hidden values", hiding(`"spares":{`+linear.Members(40, func(i int) string { return `"s` + strings.Repeat("x", i) + `":{}` })+`}`, 1,
		`{"spares":{"in":{`+linear.Members(40, func(i int) string { return `"s` + strings.Repeat("x", i) + `":{"bag":{"k":1}}` })+`,"s":{"bag":{"k":2}}}}}`), false, Converted},
	{"a raw value in the hub", gadgetHubHead + `,"spec":{"$propertyBag":{"size@v1!raw":1}}}`, true, RawValues},
	{"a property bag that is none", gadgetHubHead + `,"spec":{"$propertyBag":[]}}`, true, UnclearBag},
	{"two property bags in one object", gadgetHubHead + `,"spec":{"spares":{"a":{"$propertyBag":{"k":1},"$propertyBag":{}}},"originalVersion":"` + fixtures.GadgetVersion + `"}}`, true, RepeatedMember},
	{"the word of a bag elsewhere", gadgetHubHead + `,"spec":{"tags":{"x":"$propertyBag"},"originalVersion":"` + fixtures.GadgetVersion + `"}}`, true, Converted},
	{"a key that is called like a bag", gadgetHubHead + `,"spec":{"tags":{"$propertyBag":"x"},"originalVersion":"` + fixtures.GadgetVersion + `"}}`, true, ReservedName},
	{"a key that is called like one in storage", gadgetHubHead + `,"spec":{"tags":{"$$propertyBag":"x"},"originalVersion":"` + fixtures.GadgetVersion + `"}}`, true, ReservedName},
	{"a key of the API that is called so, with an escape", gadgetHead + `,"spec":{"tags":{"\u0024propertyBag":"x"}}}`, false, ReservedName},
	{"metadata with empty values", strings.Replace(gadgetHead, `"name":"g"`, `"name":"g","managedFields":[],"labels":{}`, 1) + `}`, false, Converted},
	{"no metadata", `{"apiVersion":"` + fixtures.Group + `/` + fixtures.GadgetVersion + `","kind":"Gadget"}`, false, MissingMember},
	{"another kind", strings.Replace(gadgetHead, "Gadget", "Widget", 1) + `}`, false, RareSpelling},
	{"what is no JSON", gadgetHead + `,"spec":{"size":"s"}`, false, NotJSON},
	{"something behind the object", gadgetHead + `}}`, false, NotJSON},
	{"a spec that is no object", gadgetHead + `,"spec":[]}`, false, WrongType},
}

// hubWith is a gadget of the hub with some members of its spec, whose original version is that of
// the API.
func hubWith(members string) string {
	return gadgetHubHead + `,"spec":{` + members + `,"originalVersion":"` + fixtures.GadgetVersion + `"}}`
}

// hiding is a gadget of the API with some members of its spec, in which something is hidden, by
// fingerprints of a version.
func hiding(members string, fingerprints int, in string) string {
	bag := fmt.Sprintf(`{"fingerprints":%d,"format":1,"spec":{"in":%s}}`, fingerprints, in)
	return gadgetHead + `,"spec":{` + members + `},"status":{"propertyBag":` + string(jsontext.AppendText(nil, bag)) + `}}`
}

// nestedParts are lists of parts within each other, of which the innermost has a property bag.
func nestedParts(depth int) string {
	return strings.Repeat(`"parts":[{"on":true},{`, depth) + `"$propertyBag":{"k":1}` + strings.Repeat(`}]`, depth)
}

// applies is an entry of managed fields, of an Apply in a version.
func applies(manager, version string) string {
	return `{"manager":"` + manager + `","operation":"Apply","apiVersion":"` + fixtures.Group + `/` + version + `","time":"2026-01-02T03:04:05Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:size":{},"f:a long name that is worth to be remembered":{}}}}`
}

func TestConverter(t *testing.T) {
	up, down := gadgetWays(t)
	for _, test := range gadgets {
		c, objects := up, gadgetUp
		if test.isHub {
			c, objects = down, gadgetDown
		}
		before := []byte("before")
		out, refusal := c.Append(t.Context(), before, []byte(test.json))
		switch {
		case refusal != test.refusal:
			t.Errorf("%s: %s, want %s: %s", test.reason, refusal, test.refusal, out)
		case refusal != Converted && string(out) != "before":
			t.Errorf("%s: refused, and wrote %s", test.reason, out)
		case refusal == Converted:
			checkSame(t, test.reason, []byte(test.json), out[len(before):], objects)
			checkFirst(t, c, []byte(test.json), out[len(before):])
		}
	}
}

// checkSame requires that JSON has the values that the conversion of objects gives. Of metadata,
// it compares only the members that its type reads.
func checkSame(t testing.TB, reason string, object, got []byte, objects func([]byte) ([]byte, error)) {
	t.Helper()
	want, err := objects(object)
	if err != nil {
		t.Fatalf("%s: %s is %s, but as an object %v", reason, object, got, err)
	}
	if x, y := valueOf(t, got), valueOf(t, want); !reflect.DeepEqual(x, y) {
		t.Fatalf("%s: %s is\n%s, but as an object\n%s", reason, object, got, want)
	}
}

func valueOf(t testing.TB, data []byte) map[string]any {
	t.Helper()
	var value map[string]any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	var root struct {
		metav1.ObjectMeta `json:"metadata"`
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &root); err != nil {
		t.Fatalf("metadata of %s: %v", data, err)
	}
	metadata, err := json.Marshal(root.ObjectMeta) // what is empty in it is the same as what is not there
	if err != nil {
		t.Fatal(err)
	}
	value["metadata"] = string(metadata)
	fixtures.Normalize(value)
	return value
}

// FuzzConverter checks that JSON of any kind is converted as the object that it is, or refused.
func FuzzConverter(f *testing.F) {
	for _, test := range gadgets {
		f.Add([]byte(test.json), test.isHub)
	}
	up, down := gadgetWays(f)
	full, err := Encode(fixtures.FullGadget())
	if err != nil {
		f.Fatal(err)
	}
	hub := bytes.Replace(full, []byte("{"), []byte(`{"apiVersion":"`+fixtures.Group+"/"+gadgetHub+`","kind":"Gadget",`), 1)
	f.Add(hub, true)
	if api, ok := tryAppend(down, nil, hub); ok {
		f.Add(api, false)
	}
	f.Fuzz(func(t *testing.T, data []byte, isHub bool) {
		c, objects := up, gadgetUp
		if isHub {
			c, objects = down, gadgetDown
		}
		if out, ok := tryAppend(c, nil, data); ok {
			checkSame(t, "fuzzed", data, out, objects)
			checkFirst(t, c, data, out)
		}
	})
}

// checkFirst checks that an object is converted alike with anything behind it, and not at all where
// it is cut off.
func checkFirst(t *testing.T, c *Converter, object, want []byte) {
	t.Helper()
	object = bytes.TrimRight(object, " \t\n\r")
	for _, behind := range []string{"", ",{}]", "\xff", ` "` + bag.Name + `":`} {
		got, length, why := c.AppendFirst(t.Context(), []byte("before"), append(bytes.Clone(object), behind...), jsontext.MaxDepth)
		if length != len(object) || why != Converted || string(got) != "before"+string(want) {
			t.Errorf("before %q, %s is %d bytes and\n%s, else\n%s", behind, object, length, got, want)
		}
	}
	for end := 0; end < len(object); end += 1 + len(object)/64 {
		got, length, why := c.AppendFirst(t.Context(), []byte("before"), object[:end:end], jsontext.MaxDepth)
		if length != 0 || why != Incomplete || string(got) != "before" {
			t.Errorf("%s is converted to %s: %s", object[:end], got, why)
		}
	}
}

// TestConverterHidesAndRestores checks that the converter hides and restores values like the
// conversion of objects, in every kind of value, also after lists have changed.
func TestConverterHidesAndRestores(t *testing.T) {
	up, down := gadgetWays(t)
	hub := fixtures.FullGadget()
	hub.TypeMeta = metav1.TypeMeta{APIVersion: fixtures.Group + "/" + gadgetHub, Kind: "Gadget"}
	hub.Spec.OriginalVersion = fixtures.GadgetVersion
	data, err := Encode(hub)
	if err != nil {
		t.Fatal(err)
	}
	api, ok := tryAppend(down, nil, data)
	if !ok {
		t.Fatalf("refused %s", data)
	}
	checkSame(t, "down", data, api, gadgetDown)
	for name, edit := range map[string]func(s *fixtures.GadgetSpec){
		"nothing": func(*fixtures.GadgetSpec) {},
		"reordered": func(s *fixtures.GadgetSpec) {
			slices.Reverse(s.Parts)
			slices.Reverse(s.Ports)
			slices.Reverse(s.Rules)
		},
		"one of equals gone":  func(s *fixtures.GadgetSpec) { s.Parts = s.Parts[1:] },
		"one edited":          func(s *fixtures.GadgetSpec) { s.Parts[3].Color = new("green") },
		"keys changed":        func(s *fixtures.GadgetSpec) { s.Rules[1].Number = new(int64(3)) },
		"names gone":          func(s *fixtures.GadgetSpec) { s.Ports[0].Name = nil },
		"an object gone":      func(s *fixtures.GadgetSpec) { s.Main = nil },
		"a key of a map gone": func(s *fixtures.GadgetSpec) { delete(s.Spares, "one") },
		"lists within lists":  func(s *fixtures.GadgetSpec) { s.Rows = s.Rows[1:] },
	} {
		var object fixtures.Gadget
		if err := Decode(api, &object); err != nil {
			t.Fatal(err)
		}
		edit(object.Spec)
		edited, err := Encode(&object)
		if err != nil {
			t.Fatal(err)
		}
		back, ok := tryAppend(up, nil, edited)
		if !ok {
			t.Errorf("%s: refused %s", name, edited)
			continue
		}
		checkSame(t, name, edited, back, gadgetUp)
	}
}

func TestConverterOfDeepJSON(t *testing.T) {
	up, _ := gadgetWays(t)
	for depth, converts := range map[int]bool{100: true, 9000: true, 20000: false, 1000000: false} {
		deep := []byte(gadgetHead + `,"spec":{"free":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}}`)
		if _, ok := tryAppend(up, nil, deep); ok != converts {
			t.Errorf("%d lists in lists: %t", depth, ok)
		}
		deep = []byte(gadgetHead + `,"spec":{"main":` + strings.Repeat(`{"inner":`, depth) + "{}" + strings.Repeat("}", depth) + `}}`)
		if _, ok := tryAppend(up, nil, deep); ok != converts {
			t.Errorf("%d objects in objects: %t", depth, ok)
		}
	}
}

func TestConverterNeedsNoMemory(t *testing.T) {
	up, _ := gadgetWays(t)
	object := []byte(gadgets[2].json)
	var out []byte
	n := testing.AllocsPerRun(100, func() {
		var ok bool
		if out, ok = tryAppend(up, out[:0], object); !ok {
			t.Fatal("refused")
		}
	})
	if n >= 1 {
		t.Errorf("%v allocations for an object", n)
	}
}

// BenchmarkConverter converts an object of 6 KB as JSON, and as the object that it is.
func BenchmarkConverter(b *testing.B) {
	up, _ := gadgetWays(b)
	part := `{"color":"` + strings.Repeat("c", 20) + `","inner":{"on":true,"weight":17}}`
	object := []byte(gadgetHead + `,"spec":{"count":1,"parts":[` + strings.Repeat(part+",", 70) + part + `],"tags":{` +
		strings.Repeat(`"name":"a value",`, 40) + `"last":""}}}`)
	for name, convert := range map[string]func(out []byte) ([]byte, error){
		"json":    func(out []byte) ([]byte, error) { out, _ = tryAppend(up, out[:0], object); return out, nil },
		"objects": func([]byte) ([]byte, error) { return gadgetUp(object) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(object)))
			b.ReportAllocs()
			var out []byte
			for b.Loop() {
				var err error
				if out, err = convert(out); err != nil || len(out) == 0 {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestRegisterPlans(t *testing.T) {
	gadgetWays(t)
	if err := RegisterPlans(gadgetPlan()); err != nil {
		t.Errorf("the same plan again: %v", err)
	}
	other := gadgetPlan()
	other.Steps = []Step{{{Far: "size", Near: "length"}}}
	if err := RegisterPlans(other); err == nil || !strings.Contains(err.Error(), "another one is registered") {
		t.Errorf("another plan: %v", err)
	}
	if err := RegisterPlans(Plan{API: &fixtures.Gadget{}, Steps: []Step{{{Name: "a", Step: 7}}}}); err == nil || !strings.Contains(err.Error(), "Gadget") {
		t.Errorf("a plan without the step that a move refers to: %v", err)
	}
	for _, step := range []int{-1, 1} {
		if err := RegisterPlans(Plan{API: &fixtures.Gadget{}, StatusStep: step}); err == nil || !strings.Contains(err.Error(), "for the status") {
			t.Errorf("a plan whose status has no step: %v", err)
		}
	}
	if c := NewConverter(gadgetKind, fixtures.GadgetVersion, "v1"); c != nil {
		t.Error("there is a converter to a version without a plan")
	}
	if c := NewConverter(gadgetKind, fixtures.GadgetVersion, fixtures.GadgetVersion); c != nil {
		t.Error("there is a converter to the same version")
	}
	if c := NewConverter(schema.GroupKind{Group: fixtures.Group, Kind: "Nothing"}, "v1", "v2"); c != nil {
		t.Error("there is a converter of a kind without plans")
	}
}

// TestPlansLeaveLargeObjectsThatHideToGoTypes has the documented bound: 1 MiB, at any depth.
func TestPlansLeaveLargeObjectsThatHideToGoTypes(t *testing.T) {
	up, down := gadgetWays(t)
	hub := func(member string) []byte {
		return []byte(gadgetHubHead + `,"spec":{` + member + `,"originalVersion":"` + fixtures.GadgetVersion + `","$propertyBag":{"k":1}}}`)
	}
	ofSize := func(size int) []byte {
		return hub(`"free":"` + strings.Repeat("x", size-len(hub(`"free":""`))) + `"`)
	}
	// The root and its spec are levels, too.
	ofDepth := func(levels int) []byte {
		return hub(`"main":` + strings.Repeat(`{"inner":`, levels-3) + `{}` + strings.Repeat("}", levels-3))
	}
	for _, test := range []struct {
		reason   string
		hub      []byte
		converts bool
	}{
		{"the largest object", ofSize(1 << 20), true},
		{"a byte more", ofSize(1<<20 + 1), false},
		{"a deep object", ofDepth(1000), true},
	} {
		t.Run(test.reason, func(t *testing.T) {
			out, ok := tryAppend(down, nil, test.hub)
			if ok != test.converts {
				t.Fatalf("the plan converts it: %v", ok)
			}
			if !ok {
				return
			}
			checkSame(t, test.reason, test.hub, out, gadgetDown)
			if again, ok := tryAppend(up, nil, out); ok {
				checkSame(t, test.reason, out, again, gadgetUp)
			} else if len(out) <= 1<<20 {
				t.Error("the plan does not convert it back")
			}
		})
	}
}

// TestAnotherPlanIsRefused changes each field of a plan.
func TestAnotherPlanIsRefused(t *testing.T) {
	type otherGadget struct{ fixtures.StoredGadget }
	type otherAPI struct{ fixtures.Gadget }
	plan := gadgetPlan()
	plan.API, plan.StoredTypes = &otherAPI{}, []any{&fixtures.StoredPart{}}
	for _, test := range []struct {
		reason string
		change func(p *Plan)
	}{
		{"another API type", func(p *Plan) { p.API = &otherAPI{} }},
		{"another storage type", func(p *Plan) { p.Storage = &otherGadget{} }},
		{"another hub", func(p *Plan) { p.Hub = &otherGadget{} }},
		{"another version of the hub", func(p *Plan) { p.HubVersion += "2" }},
		{"other steps", func(p *Plan) { p.Steps = []Step{{{Far: "size", Near: "length"}}} }},
		{"another step of the status", func(p *Plan) { p.Steps = make([]Step, 2); p.StatusStep = 1 }},
		{"the bag in an annotation", func(p *Plan) { p.Annotation = true }},
		{"a type in bags", func(p *Plan) { p.StoredTypes = []any{&fixtures.StoredPart{}} }},
	} {
		t.Run(test.reason, func(t *testing.T) {
			gadgetWays(t)
			other := gadgetPlan()
			test.change(&other)
			if err := RegisterPlans(other); err == nil || !strings.Contains(err.Error(), "another one is registered") {
				t.Errorf("the error is %v", err)
			}
		})
	}
	if same := plan; !plan.is(same) {
		t.Error("a plan is another than itself")
	}
	other := plan
	if other.StatusStep = 1; plan.is(other) {
		t.Error("a plan with another step of the status is the same")
	}
	other = plan
	if other.StoredTypes = []any{&fixtures.StoredPort{}}; plan.is(other) {
		t.Error("a plan with another type in bags is the same")
	}
}

// leafGadget is a gadget of a version whose plan leads to another hub than that of other gadgets.
type leafGadget struct{ fixtures.Gadget }

func (*leafGadget) OriginalGVK() *schema.GroupVersionKind {
	return &schema.GroupVersionKind{Group: fixtures.Group, Version: "v20150505", Kind: "Gadget"}
}

func TestNoConverterBetweenHubs(t *testing.T) {
	gadgetWays(t)
	plan := gadgetPlan()
	plan.API, plan.HubVersion = &leafGadget{}, fixtures.Group+"/v20150505storage"
	if err := RegisterPlans(plan); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		from, to string
		want     bool
	}{
		{"v20150505", "v20150505storage", true},
		{"v20150505storage", "v20150505", true},
		{"v20150505", fixtures.GadgetVersion, false},
		{fixtures.GadgetVersion, "v20150505", false},
		{"v20150505", gadgetHub, false},
		{gadgetHub, "v20150505", false},
		{fixtures.GadgetVersion, "v20150505storage", false},
		{gadgetHub, "v20150505storage", false},
	} {
		if got := NewConverter(gadgetKind, test.from, test.to) != nil; got != test.want {
			t.Errorf("a converter from %s to %s: %v", test.from, test.to, got)
		}
	}
}
