package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/stratakube/strata/operator/api/crm/v20130303"
	"github.com/stratakube/strata/operator/api/crm/v20140404"
	"github.com/stratakube/strata/operator/api/crm/v20150505"
	"github.com/stratakube/strata/operator/api/crm/v20160606"
	"github.com/stratakube/strata/operator/api/crm/v20170707"
	"github.com/stratakube/strata/operator/api/crm/v20180808"
	"github.com/stratakube/strata/operator/api/crm/v20190909"
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/convert"
)

// storedCase is the first state of a new fixture.
type storedCase struct {
	name, about, stored string
	sent                func(*testing.T, *archive) any
}

// begin returns the object that a client sends, if one does, and the stored object.
func (c storedCase) begin(t *testing.T, a *archive) (sent, stored json.RawMessage) {
	if c.sent == nil {
		return nil, json.RawMessage(c.stored)
	}
	switch object := c.sent(t, a).(type) {
	case string:
		sent = json.RawMessage(object)
	default:
		sent = encoded(t, object)
	}
	return sent, a.store(t, sent, a.hubs[kindOf(t, sent).Kind])
}

// cases returns all fixtures. Those of edits come after the ones that they edit.
func (a *archive) cases() []storedCase {
	return slices.Concat(a.written(), storedPersons, storedParties, storedNotes, editedPersons, editedParties, editedNotes)
}

// written returns a fixture for every kind and version, with all properties.
func (a *archive) written() []storedCase {
	var out []storedCase
	for _, kind := range slices.Sorted(maps.Keys(a.apis)) {
		for _, v := range a.apis[kind] {
			out = append(out, storedCase{
				name:  strings.ToLower(kind) + "/written-" + v.Version,
				about: "all properties of " + v.Version + ", as its client wrote them",
				sent: func(t *testing.T, a *archive) any {
					object := a.make(t, v)
					fill(reflect.ValueOf(object).Elem(), "", 1)
					object.GetObjectKind().SetGroupVersionKind(v)
					return object
				},
			})
		}
	}
	return out
}

// fill sets every property to a value with its name and the number of its element. Lists and maps
// get two elements.
func fill(v reflect.Value, name string, n int) {
	switch v.Interface().(type) {
	case metav1.TypeMeta:
		return
	case metav1.ObjectMeta:
		v.Set(reflect.ValueOf(metav1.ObjectMeta{Name: "exemplar", Namespace: "default", Labels: map[string]string{"a": "b"}}))
		return
	case metav1.Time:
		v.Set(reflect.ValueOf(metav1.NewTime(time.Date(2019, 9, 9, 0, 0, n, 0, time.UTC))))
		return
	case runtime.JSON:
		v.Set(reflect.ValueOf(runtime.JSON(fmt.Sprintf(`{"%s":[%d.0,null,{},[],9007199254740993]}`, name, n))))
		return
	}
	fillKind(v, name, n)
}

func fillKind(v reflect.Value, name string, n int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("%s %d", name, n))
	case reflect.Int64:
		v.SetInt(1<<53 + int64(n))
	case reflect.Float64:
		v.SetFloat(float64(n) + 0.5)
	case reflect.Bool:
		v.SetBool(n%2 == 1)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name, n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), name, 1)
		fill(v.Index(1), name, 2)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for n, key := range []string{"one", "two"} {
			value := reflect.New(v.Type().Elem()).Elem()
			fill(value, name, n+1)
			v.SetMapIndex(reflect.ValueOf(key), value)
		}
	case reflect.Struct:
		fillFields(v, n)
	}
}

func fillFields(v reflect.Value, n int) {
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Name != "PropertyBag" {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			fill(v.Field(i), name, n)
		}
	}
}

// edited returns a case whose client edits the object of another fixture.
func edited[T any](name, about, of string, edit func(*T)) storedCase {
	return storedCase{name: name, about: about, sent: func(t *testing.T, a *archive) any {
		object := new(T)
		version := any(object).(runtime.Original).OriginalGVK()
		read := load(t, a.file(of)).Reads[version.Version]
		if read == nil {
			t.Fatalf("%s has no reading of %s", of, version.Version)
		}
		if err := convert.Decode(read.Object, object); err != nil {
			t.Fatal(err)
		}
		edit(object)
		any(object).(k8sruntime.Object).GetObjectKind().SetGroupVersionKind(*version)
		return object
	}}
}

// literal returns a case whose client sends a text.
func literal(name, about, text string) storedCase {
	return storedCase{name: name, about: about, sent: func(*testing.T, *archive) any { return text }}
}

var editedPersons = []storedCase{
	edited("person/label-edited-in-v20130303", "a label is edited whose street and city the hub has, across the gap", "person/written-v20190909",
		func(p *v20130303.Person) { p.Spec.Properties.ResidentialAddress.Label = ptr("1 High Street, York") }),
	edited("person/names-edited-in-v20130303", "a name is edited that a hand-written step derives others from", "person/written-v20190909",
		func(p *v20130303.Person) { p.Spec.Properties.MiddleName = ptr("King") }),
	edited("person/key-edited-by-v20140404", "a property is edited that has another name in the hub", "person/written-v20130303",
		func(p *v20140404.Person) { p.Spec.Properties.AlphaKey = ptr("LOVELACE") }),
	edited("person/address-edited-by-v20160606", "one of two properties that a version has of an address, of which the hub has more", "person/written-v20190909",
		func(p *v20160606.Person) { p.Spec.Properties.MailingAddress.City = ptr("York") }),
	edited("person/address-removed-by-v20160606", "an object is removed whose hidden members go with it", "person/written-v20190909",
		func(p *v20160606.Person) { p.Spec.Properties.MailingAddress = nil }),
	edited("person/applied-by-v20170707", "the manifest declares a version anew, and nothing else changes", "person/written-v20150505",
		func(p *v20170707.Person) {
			p.Annotations = map[string]string{"kubectl.kubernetes.io/last-applied-configuration": `{"apiVersion":"crm.example.com/v20170707","kind":"Person"}`}
		}),
	edited("person/status-written-by-v20150505", "a status is written, which does not change the original version", "person/written-v20190909",
		func(p *v20150505.Person) { p.Status.Location = ptr("elsewhere") }),
	edited("person/bag-of-another-format", "a bag in a format that is not known is dropped", "person/written-v20190909",
		func(p *v20150505.Person) {
			p.Status.PropertyBag = ptr(strings.Replace(*p.Status.PropertyBag, `"format":1`, `"format":2`, 1))
		}),
	edited("person/fingerprints-of-another-version", "fingerprints that are not known count as unchanged", "person/written-v20190909",
		func(p *v20150505.Person) {
			p.Status.PropertyBag = ptr(strings.Replace(*p.Status.PropertyBag, `"fingerprints":1`, `"fingerprints":99`, 1))
			p.Spec.Properties.KnownAs = ptr("Ada")
		}),
	literal("person/wrong-types-sent", "values of wrong types come back where they were, in their version only",
		`{"apiVersion":"crm.example.com/v20150505","kind":"Person","metadata":{"name":"x"},"spec":{"location":["a"],"properties":{"knownAs":"Ada","sortKey":17},"tags":{"a":"b"}},"status":{"properties":"none"}}`),
	literal("person/without-spec", "a partial object",
		`{"apiVersion":"crm.example.com/v20130303","kind":"Person","metadata":{"name":"x"},"status":{"location":"here"}}`),
}

var editedParties = []storedCase{
	edited("party/members-moved-by-v20150505", "hidden shares follow their members when these are swapped and a new one comes between", "party/written-v20190909",
		func(p *v20150505.Party) {
			m := p.Spec.Properties.Members
			p.Spec.Properties.Members = []v20150505.PartyMember{m[1], {PersonName: ptr("new")}, m[0]}
		}),
	edited("party/member-removed-by-v20160606", "a hidden share goes with its member", "party/written-v20190909",
		func(p *v20160606.Party) { p.Spec.Properties.Members = p.Spec.Properties.Members[1:] }),
	edited("party/member-edited-by-v20160606", "a hidden share stays with a member that is edited", "party/written-v20190909",
		func(p *v20160606.Party) { p.Spec.Properties.Members[0].Role = ptr(v20160606.PartyMemberRoleOwner) }),
	edited("party/details-edited-by-v20170707", "a branch of a union has a member that the version lacks", "party/written-v20180808",
		func(p *v20170707.Party) { p.Spec.Properties.Details.Purpose = ptr("none") }),
	edited("party/place-edited-by-v20180808", "an address whose type is called otherwise, and has more, in the hub", "party/written-v20190909",
		func(p *v20180808.Party) { p.Spec.Properties.PostalAddress.City = ptr("York") }),
	edited("party/channel-removed-by-v20170707", "what is hidden in a map's entry goes with its key", "party/bags-in-lists-and-maps",
		func(p *v20170707.Party) { delete(p.Spec.Properties.Channels, "phone") }),
	edited("party/extensions-edited-by-v20190909", "free JSON, edited through the hub's API version", "party/written-v20150505",
		func(p *v20190909.Party) { p.Spec.Properties.Extensions = runtime.JSON(`{"n": 1.0, "none": null}`) }),
}

var editedNotes = []storedCase{
	edited("personsnote/text-edited-by-v20130303", "a list lies in the bag as a whole", "personsnote/written-v20170707",
		func(n *v20130303.PersonsNote) { n.Spec.Properties.Text = ptr("new") }),
	edited("personsnote/attachments-moved-by-v20150505", "hidden bags follow elements that have a name", "personsnote/bags-in-attachments",
		func(n *v20150505.PersonsNote) { slices.Reverse(n.Spec.Properties.Attachments) }),
}

var storedPersons = []storedCase{
	{name: "person/compat-shape", about: "the bag holds an address in the shape of 2013-03-03, with members of that of 2019-09-09 in its own bag",
		stored: `{"apiVersion":"crm.example.com/v20190909storage","kind":"Person","metadata":{"name":"x"},"spec":{"properties":{"$propertyBag":{"residentialAddress":{"label":"1 High Street, York","$propertyBag":{"city":"York","country":"UK","street":"1 High Street","suburb":"Centre","unknown":[1.0,null]}}}},"originalVersion":"v20180808"}}`},
	{name: "person/compat-shape-beside-live", about: "a live address wins over one in the bag",
		stored: `{"apiVersion":"crm.example.com/v20190909storage","kind":"Person","metadata":{"name":"x"},"spec":{"properties":{"residentialAddress":{"city":"York","street":"1 High Street","$propertyBag":{"label":"1  High Street,York"}},"$propertyBag":{"residentialAddress":{"label":"elsewhere"}}}}}`},
	{name: "person/damaged-entries", about: "what cannot be read as its key says, and what no key is of, stays in the bag",
		stored: `{"apiVersion":"crm.example.com/v20190909storage","kind":"Person","metadata":{"name":"x"},"spec":{"location":"here","properties":{"familyName":"Lovelace","mailingAddress":{"city":"York","$propertyBag":{"street":{"no":1}}},"$propertyBag":{"alphaKey":false,"firstName":{"given":"Ada"},"lastName":17,"nobody@v20990909":[1.0,null],"residentialAddress":["1 High Street"]}},"$propertyBag":{"location":"there"},"originalVersion":"v20120202"}}`},
	{name: "person/raw-values", about: "values of wrong types come back at their version only",
		stored: `{"apiVersion":"crm.example.com/v20190909storage","kind":"Person","metadata":{"name":"x"},"spec":{"properties":{"familyName":"Lovelace","$propertyBag":{"firstName@v20110101!raw":["Ada"],"id@v20130303!raw":1.0,"mailingAddress@v20160606!raw":"York","sortKey@v20150505!raw":17}},"originalVersion":"v20150505","$propertyBag":{"tags@v20140404!raw":[]}}}`},
	{name: "person/renamed-afterwards", about: "stored before it was known that alphaKey is called sortKey: who wrote it reads it, and when written it moves to the live property",
		stored: `{"apiVersion":"crm.example.com/v20190909storage","kind":"Person","metadata":{"name":"x"},"spec":{"properties":{"legalName":"Ada Lovelace","$propertyBag":{"alphaKey":"LOVELACE"}},"originalVersion":"v20140404"}}`},
	{name: "person/renamed-afterwards-beside-live", about: "stored before the rename was known, under both names: the live value wins",
		stored: `{"apiVersion":"crm.example.com/v20190909storage","kind":"Person","metadata":{"name":"x"},"spec":{"properties":{"sortKey":"Byron","$propertyBag":{"alphaKey":"LOVELACE"}},"originalVersion":"v20140404"}}`},
	{name: "person/names-before-the-step", about: "stored before there was a hand-written step: names and a label that nothing was derived from read as they did",
		stored: `{"apiVersion":"crm.example.com/v20190909storage","kind":"Person","metadata":{"name":"x"},"spec":{"properties":{"residentialAddress":{"$propertyBag":{"label":"1 High Street, York"}},"$propertyBag":{"firstName":"Ada","lastName":"Byron"}},"originalVersion":"v20130303"}}`},
	{name: "person/unknown-original-version", about: "an original version that there is no type of",
		stored: `{"apiVersion":"crm.example.com/v20190909storage","kind":"Person","metadata":{"name":"x"},"spec":{"location":"here","originalVersion":"v20100101"}}`},
	{name: "person/empty", about: "absent, empty and zero are different things",
		stored: `{"apiVersion":"crm.example.com/v20190909storage","kind":"Person","metadata":{"name":"x"},"spec":{"location":"","properties":{},"tags":{}},"status":{"conditions":[],"properties":{"sortKey":""}}}`},
	{name: "person/bare", about: "nothing but a name",
		stored: `{"apiVersion":"crm.example.com/v20190909storage","kind":"Person","metadata":{"name":"x"}}`},
}

var storedParties = []storedCase{
	{name: "party/bags-in-lists-and-maps", about: "elements of a list and entries of a map have bags, also what no version knows",
		stored: `{"apiVersion":"crm.example.com/v20190909storage","kind":"Party","metadata":{"name":"x"},"spec":{"properties":{"channels":{"mail":{"address":"a@example.com"},"phone":{"address":"1","preferred":false,"$propertyBag":{"hours":"9 to 5"}}},"creditLimit":1e+21,"members":[{"personName":"ada","share":0.5},{"personName":"ada","share":0.25},{"personName":"charles","$propertyBag":{"share":"half"}}]},"originalVersion":"v20170707"},"status":{"properties":{"members":[{"role":"Owner","share":1}]}}}`},
	{name: "party/whole-map-in-the-bag", about: "a live map beside one of its name in the bag, and a place in a bag",
		stored: `{"apiVersion":"crm.example.com/v20190909storage","kind":"Party","metadata":{"name":"x"},"spec":{"properties":{"channels":{},"$propertyBag":{"channels":{"fax":{"address":"2"}},"postalAddress":{"city":"York","latitude":53.96}}},"originalVersion":"v20160606"}}`},
}

var storedNotes = []storedCase{
	{name: "personsnote/bags-in-attachments", about: "attachments with bags, two of one name",
		stored: `{"apiVersion":"crm.example.com/v20170707storage","kind":"PersonsNote","metadata":{"name":"x"},"spec":{"properties":{"attachments":[{"name":"a","sizeInBytes":9007199254740993,"$propertyBag":{"hash":"x"}},{"name":"b","uri":"u","$propertyBag":{"sizeInBytes@v20150505!raw":"much"}},{"name":"c"}],"context":{"n":1.0,"none":null},"text":"t","topics":["b","a","b"]},"originalVersion":"v20150505"}}`},
	{name: "personsnote/damaged-entries", about: "lists in bags that are none",
		stored: `{"apiVersion":"crm.example.com/v20170707storage","kind":"PersonsNote","metadata":{"name":"x"},"spec":{"properties":{"text":"t","$propertyBag":{"attachments":{"name":"a"},"sentiment":"good","topics@v20130303!raw":"all"}},"originalVersion":"v20140404preview"}}`},
}
