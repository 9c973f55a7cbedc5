package provider_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/stratakube/strata/operator/api/crm/v20180808"
	"github.com/stratakube/strata/operator/plugin/fieldpath"
	"github.com/stratakube/strata/operator/provider"
	"github.com/stratakube/strata/runtime"
)

var person = metav1.OwnerReference{APIVersion: "crm.example.com/v20180808", Kind: "Person", Name: "ada", UID: "u"}

// sorts has both kinds of stores.
var sorts = []provider.StoreKind{provider.OfSecrets, provider.OfConfigMaps}

// reasons has the reasons of conditions, by kind: for missing objects, and for those of other
// clients.
var reasons = map[provider.StoreKind][2]string{
	provider.OfSecrets:    {"SecretNotFound", "SecretNotOurs"},
	provider.OfConfigMaps: {"ConfigMapNotFound", "ConfigMapNotOurs"},
}

// made returns a Secret or a ConfigMap.
func made(of provider.StoreKind, name string, values map[string]string) client.Object {
	about := metav1.ObjectMeta{Namespace: "n", Name: name}
	if of == provider.OfConfigMaps {
		return &corev1.ConfigMap{ObjectMeta: about, Data: values}
	}
	data := map[string][]byte{}
	for key, value := range values {
		data[key] = []byte(value)
	}
	return &corev1.Secret{ObjectMeta: about, Data: data}
}

// valuesOf returns the values of a Secret or a ConfigMap.
func valuesOf(object client.Object) map[string]string {
	if c, is := object.(*corev1.ConfigMap); is {
		return c.Data
	}
	values := map[string]string{}
	for key, value := range object.(*corev1.Secret).Data {
		values[key] = string(value)
	}
	return values
}

// written returns the object of a store with a name.
func written(t *testing.T, c client.Client, of provider.StoreKind, name string) client.Object {
	t.Helper()
	object := made(of, "", nil)
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "n", Name: name}, object); err != nil {
		t.Fatal(err)
	}
	return object
}

// outputsOf returns the outputs of references.
func outputsOf(refs []provider.Ref) provider.Outputs {
	all := provider.Outputs{}
	for _, ref := range refs {
		all.Add(ref)
	}
	return all
}

func TestInputs(t *testing.T) {
	for _, of := range sorts {
		t.Run(of.String(), func(t *testing.T) {
			c := fake.NewClientBuilder().WithScheme(scheme(t)).WithObjects(made(of, "theirs", map[string]string{"password": "hunter2"})).Build()
			s := provider.Store{Of: of, Reader: c, Writer: c}
			values, versions, err := s.Inputs(t.Context(), "n", []provider.Ref{{Path: "properties.password", Name: "theirs", Key: "password"}})
			if err != nil || len(values) != 1 || string(values[0].Value) != "hunter2" || values[0].Path != "properties.password" || len(versions) != 1 {
				t.Fatalf("the inputs are %v, in the versions %v (%v)", values, versions, err)
			}
			if strings.Contains(versions[0], "hunter2") {
				t.Error("what names a Secret shows its value")
			}
			var missing *provider.RefError
			for _, ref := range []provider.Ref{{Path: "p", Name: "no", Key: "k"}, {Path: "p", Name: "theirs", Key: "no"}} {
				if _, _, err := s.Inputs(t.Context(), "n", []provider.Ref{ref}); !errors.As(err, &missing) || missing.Reason != reasons[of][0] {
					t.Errorf("%+v gives %v", ref, err)
				}
			}
		})
	}
}

// TestInputsAreBounded repeats a reference to one key.
func TestInputsAreBounded(t *testing.T) {
	for _, of := range sorts {
		c := fake.NewClientBuilder().WithScheme(scheme(t)).WithObjects(made(of, "theirs", map[string]string{"k": strings.Repeat("x", 1<<18)})).Build()
		s, ref := provider.Store{Of: of, Reader: c, Writer: c}, provider.Ref{Path: "p", Name: "theirs", Key: "k"}
		if _, _, err := s.Inputs(t.Context(), "n", []provider.Ref{ref, ref, ref, ref}); err != nil {
			t.Errorf("%s: a MiB is refused: %v", of, err)
		}
		var large *provider.RefError
		if _, _, err := s.Inputs(t.Context(), "n", []provider.Ref{ref, ref, ref, ref, ref}); !errors.As(err, &large) || large.Reason != provider.ReasonInputsInvalid {
			t.Errorf("%s: more than a MiB gives %v", of, err)
		}
	}
}

// TestBinaryInputs reads a key of a ConfigMap whose value is not text.
func TestBinaryInputs(t *testing.T) {
	c := fake.NewClientBuilder().WithScheme(scheme(t)).WithObjects(&corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "m"}, BinaryData: map[string][]byte{"k": []byte("v")},
	}).Build()
	values, _, err := provider.Store{Of: provider.OfConfigMaps, Reader: c}.Inputs(t.Context(), "n", []provider.Ref{{Path: "p", Name: "m", Key: "k"}})
	if err != nil || len(values) != 1 || string(values[0].Value) != "v" {
		t.Errorf("the inputs are %v (%v)", values, err)
	}
}

// TestForeignStores checks that objects of other clients do not change.
func TestForeignStores(t *testing.T) {
	for _, of := range sorts {
		t.Run(of.String(), func(t *testing.T) {
			c := fake.NewClientBuilder().WithScheme(scheme(t)).WithObjects(made(of, "theirs", map[string]string{"key": "theirs"})).Build()
			s := provider.Store{Of: of, Reader: c, Writer: c}
			wanted := outputsOf([]provider.Ref{{Path: "listKeys().key1", Name: "theirs", Key: "key"}})
			var foreign *provider.RefError
			if _, _, err := s.Lacks(t.Context(), "n", person, wanted); !errors.As(err, &foreign) || foreign.Reason != reasons[of][1] {
				t.Errorf("one of another client is taken: %v", err)
			}
			if err := s.Put(t.Context(), "n", person, wanted, []provider.Value{{Path: "listKeys().key1", Value: []byte("x")}}, nil); !errors.As(err, &foreign) {
				t.Errorf("one of another client was written: %v", err)
			}
			if err := s.Put(t.Context(), "n", person, nil, nil, []string{"theirs"}); err != nil {
				t.Errorf("one that another client has replaced is in the way: %v", err)
			}
			if diff := cmp.Diff(map[string]string{"key": "theirs"}, valuesOf(written(t, c, of, "theirs"))); diff != "" {
				t.Errorf("what is another client's (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOutputs changes the outputs of a Secret and of a ConfigMap, and checks which keys are
// written, kept and removed.
func TestOutputs(t *testing.T) {
	first := provider.Ref{Path: "listKeys().first", Name: "keys", Key: "first"}
	second := provider.Ref{Path: "properties.second", Name: "keys", Key: "second"}
	given := func(one, two string) []provider.Value {
		return []provider.Value{{Path: first.Path, Value: []byte(one)}, {Path: second.Path, Value: []byte(two)}, {Path: "others()", Value: []byte("x")}}
	}
	story := []struct {
		reason string
		before func(set func(key, value string), remove func(key string))
		refs   []provider.Ref
		names  []string
		given  []provider.Value
		lacks  bool
		want   map[string]string
		silent bool
	}{
		{"it is made", nil, []provider.Ref{first, second}, nil, given("1", "2"), true, map[string]string{"first": "1", "second": "2"}, false},
		{"all is there", nil, []provider.Ref{first, second}, nil, nil, false, map[string]string{"first": "1", "second": "2"}, true},
		{"a value has changed", nil, []provider.Ref{first, second}, nil, given("1", "3"), false, map[string]string{"first": "1", "second": "3"}, false},
		{"a key that was taken out is written again", func(_ func(key, value string), remove func(string)) { remove("first") }, []provider.Ref{first, second}, nil, given("1", "3"), true, map[string]string{"first": "1", "second": "3"}, false},
		{"a key that is named no more leaves; one that another client has added stays", func(set func(key, value string), _ func(string)) { set("theirs", "t") }, []provider.Ref{first}, nil, nil, false, map[string]string{"first": "1", "theirs": "t"}, false},
		{"another path for a key is asked for", nil, []provider.Ref{{Path: second.Path, Name: "keys", Key: "first"}}, nil, given("1", "4"), true, map[string]string{"first": "4", "theirs": "t"}, false},
		{"what is named no more loses what was written", nil, nil, []string{"keys"}, nil, false, map[string]string{"theirs": "t"}, false},
		{"once", nil, nil, []string{"keys"}, nil, false, map[string]string{"theirs": "t"}, true},
	}
	for _, of := range sorts {
		c := fake.NewClientBuilder().WithScheme(scheme(t)).Build()
		s, version := provider.Store{Of: of, Reader: c, Writer: c}, ""
		for _, test := range story {
			t.Run(of.String()+"/"+test.reason, func(t *testing.T) {
				if test.before != nil {
					values := valuesOf(written(t, c, of, "keys"))
					test.before(func(key, value string) { values[key] = value }, func(key string) { delete(values, key) })
					changed := written(t, c, of, "keys")
					put(changed, values)
					if err := c.Update(t.Context(), changed); err != nil {
						t.Fatal(err)
					}
				}
				wanted := outputsOf(test.refs)
				if lacks, _, err := s.Lacks(t.Context(), "n", person, wanted); lacks != test.lacks || err != nil {
					t.Errorf("something lacks: %t (%v)", lacks, err)
				}
				if err := s.Put(t.Context(), "n", person, wanted, test.given, test.names); err != nil {
					t.Fatal(err)
				}
				is := written(t, c, of, "keys")
				if diff := cmp.Diff(test.want, valuesOf(is)); diff != "" || len(is.GetOwnerReferences()) != 1 {
					t.Errorf("the values of %v (-want +got):\n%s", is.GetOwnerReferences(), diff)
				}
				if silent := is.GetResourceVersion() == version; silent != test.silent {
					t.Errorf("nothing was written: %t", silent)
				}
				version = is.GetResourceVersion()
			})
		}
		later := person
		later.APIVersion = "crm.example.com/v20190909"
		err := s.Put(t.Context(), "n", later, nil, nil, []string{"keys"})
		if is := written(t, c, of, "keys"); err != nil || len(is.GetOwnerReferences()) != 1 || is.GetOwnerReferences()[0].APIVersion != later.APIVersion {
			t.Errorf("the owner is %+v (%v), and has another version", is.GetOwnerReferences(), err)
		}
	}
}

// put sets the values of a Secret or a ConfigMap.
func put(object client.Object, values map[string]string) {
	switch object := object.(type) {
	case *corev1.ConfigMap:
		object.Data = values
	case *corev1.Secret:
		object.Data = map[string][]byte{}
		for key, value := range values {
			object.Data[key] = []byte(value)
		}
	}
}

// TestKeysOfOtherClients covers another client that adds keys to a Secret or a ConfigMap of an
// object, which then requests keys of these names. The client's keys do not change, and the
// others are written.
func TestKeysOfOtherClients(t *testing.T) {
	theirs := func(of provider.StoreKind) map[string]client.Object {
		about := metav1.ObjectMeta{Namespace: "n", Name: "m", Labels: map[string]string{provider.OfObject: string(person.UID), provider.ConfigOfObject: string(person.UID)}}
		if of == provider.OfConfigMaps {
			return map[string]client.Object{
				"a text":      &corev1.ConfigMap{ObjectMeta: about, Data: map[string]string{"k": "v"}},
				"binary data": &corev1.ConfigMap{ObjectMeta: about, BinaryData: map[string][]byte{"k": []byte("v")}},
			}
		}
		return map[string]client.Object{"a value": &corev1.Secret{ObjectMeta: about, Data: map[string][]byte{"k": []byte("v")}}}
	}
	for _, of := range sorts {
		for reason, object := range theirs(of) {
			t.Run(of.String()+", "+reason, func(t *testing.T) {
				c := fake.NewClientBuilder().WithScheme(scheme(t)).WithObjects(object).Build()
				s := provider.Store{Of: of, Reader: c, Writer: c}
				wanted := outputsOf([]provider.Ref{{Path: "id", Name: "m", Key: "k"}, {Path: "id", Name: "m", Key: "l"}, {Path: "id", Name: "other", Key: "k"}})
				given := []provider.Value{{Path: "id", Value: []byte("/x")}}
				if lacks, _, err := s.Lacks(t.Context(), "n", person, outputsOf([]provider.Ref{{Path: "id", Name: "m", Key: "k"}})); lacks || err != nil {
					t.Errorf("a value is asked for that has no place: %t (%v)", lacks, err)
				}
				for range 2 { // writing the other keys does not make this one the operator's
					var foreign *provider.RefError
					if err := s.Put(t.Context(), "n", person, wanted, given, nil); !errors.As(err, &foreign) || foreign.Reason != reasons[of][1] || !strings.Contains(foreign.Message, ": k;") {
						t.Errorf("the error is %v", err)
					}
				}
				is := written(t, c, of, "m")
				if values := valuesOf(is); values["l"] != "/x" || values["k"] == "/x" {
					t.Errorf("it has %v", values)
				}
				if m, isMap := is.(*corev1.ConfigMap); isMap && m.Data["k"]+string(m.BinaryData["k"]) != "v" {
					t.Errorf("it has %v and %v", m.Data, m.BinaryData)
				}
				if valuesOf(written(t, c, of, "other"))["k"] != "/x" {
					t.Error("a key of another client keeps a value from another place")
				}
				if changes, err := s.Changes(t.Context(), "n", person, wanted, given); changes || err != nil {
					t.Errorf("something changes: %t (%v)", changes, err)
				}
			})
		}
	}
}

// TestForeignOutputsKeepNothingFromOthers covers two Secrets or ConfigMaps, the first of which
// belongs to another client.
func TestForeignOutputsKeepNothingFromOthers(t *testing.T) {
	for _, of := range sorts {
		c := fake.NewClientBuilder().WithScheme(scheme(t)).WithObjects(made(of, "a", map[string]string{"k": "theirs"})).Build()
		s := provider.Store{Of: of, Reader: c, Writer: c}
		wanted, given := outputsOf([]provider.Ref{{Path: "id", Name: "a", Key: "k"}, {Path: "id", Name: "b", Key: "k"}}), []provider.Value{{Path: "id", Value: []byte("/x")}}
		var foreign *provider.RefError
		if changes, err := s.Changes(t.Context(), "n", person, wanted, given); !changes || err != nil {
			t.Errorf("something changes: %t (%v)", changes, err)
		}
		if err := s.Put(t.Context(), "n", person, wanted, given, nil); !errors.As(err, &foreign) {
			t.Errorf("the error is %v", err)
		}
		if valuesOf(written(t, c, of, "a"))["k"] != "theirs" || valuesOf(written(t, c, of, "b"))["k"] != "/x" {
			t.Errorf("a has %v, and b has %v", valuesOf(written(t, c, of, "a")), valuesOf(written(t, c, of, "b")))
		}
	}
}

func TestKeyHasOnePath(t *testing.T) {
	o := provider.Outputs{}
	first := provider.Ref{Path: "a", Name: "m", Key: "k"}
	if !o.Add(first) || !o.Add(provider.Ref{Path: "a", Name: "m", Key: "k"}) || !o.Add(provider.Ref{Path: "b", Name: "m", Key: "l"}) {
		t.Error("a free key is refused")
	}
	if o.Add(provider.Ref{Path: "b", Name: "m", Key: "k"}) {
		t.Error("a key has two paths")
	}
	if o["m"]["k"] != "a" {
		t.Errorf("the key has the path %s, and the first one counts", o["m"]["k"])
	}
}

func TestVisible(t *testing.T) {
	visible, err := provider.AnsweredStatusOf([]byte(`{"id":"/s/x","Owner":{"n":1},"properties":{"hosts":[{"name":"h","port":5671}],"ok":true,"big":12345678901234567890,"none":null,"empty":""},"conditions":[],"propertyBag":"{}"}`),
		provider.Names{"vendorOwner": "owner"})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"id": "/s/x", "properties.hosts[0].name": "h", "properties.hosts[0].port": "5671", "properties.ok": "true",
		"properties.big": "12345678901234567890", "vendorOwner.n": "1",
	} {
		if got, has, err := visible.Value(path); err != nil || !has || string(got) != want {
			t.Errorf("%s is %q, %t (%v), want %q", path, got, has, err, want)
		}
	}
	for _, path := range []string{"properties.none", "properties.empty", "properties.other", "properties.hosts[1].name", "conditions", "propertyBag", "owner.n", "id.x"} {
		if got, has, err := visible.Value(path); err != nil || has {
			t.Errorf("%s is %q (%v), and is not there", path, got, err)
		}
	}
	for _, path := range []string{"properties", "properties.hosts", "a b", ""} {
		if got, _, err := visible.Value(path); err == nil {
			t.Errorf("%q is the value %q", path, got)
		}
	}
	if _, err := provider.AnsweredStatusOf([]byte(`[`), nil); err == nil {
		t.Error("what is no JSON is no status")
	}
}

func TestPathsThatMeetSecrets(t *testing.T) {
	secrets := provider.SecretPathsOf(paths{"properties.password", "properties.users[].token", "properties.maps.*.key"})
	for text, want := range map[string]bool{
		"properties.password": true, "properties.Password": true, "properties.password.x": true, "properties": true, "properties.users": true,
		"properties.users[3].token": true, "properties.users[3]": true, "properties.maps.any.key": true, `properties.maps["a.b"]`: true,
		"properties.host": false, "id": false, "properties.users[3].name": false, "properties.maps.any.name": false, "properties.users.token": false,
	} {
		if got := secrets.Meets(parsed(t, text)); got != want {
			t.Errorf("%s meets a secret: %t, want %t", text, got, want)
		}
	}
}

// TestPublicValues is a table over paths of a status. The schema marks secrets, and for
// members that it does not describe the names decide.
func TestPublicValues(t *testing.T) {
	public := provider.PublicOf(&secretParty{})
	for path, want := range map[string]bool{
		"properties.displayName": true, "id": true, "properties.members[0].personName": true, // described by the schema
		"properties.stage":    false, // marked by the schema
		"properties.hostName": true, "properties.keyVaultUri": true, "properties.sshPublicKey": true, "properties.tokenEndpoint": true, "properties.secretName": true,
		"properties.monkeys":    false, // since a name may end in key
		"properties.primaryKey": false, "properties.key1": false, "properties.keys[0].value": false, "properties.adminPassword": false, "properties.ADMIN_PASSWORD": false,
		"properties.connectionString": false, "properties.primaryConnectionStrings.default": false, "properties.sasUri": false, "properties.SASToken": false,
		"properties.credentials.user": false, "properties.clientSecret": false, `properties["access.token"]`: false, "properties.accesskey": false,
		"properties.primary%4Bey": false, "properties.primary%254bey": false, `properties["access%2etoken"]`: false, `properties["pass\\u0077ord"]`: false,
		"properties.st%61ge": false, "properties.host%20Name": true,
		`tags["password"]`: false, "tags.team": true, "properties.extensions.password": false, "properties.extensions.host": true,
	} {
		if err := public.Check(parsed(t, path)); (err == nil) != want || err != nil && !strings.Contains(err.Error(), "put it into a Secret") {
			t.Errorf("%s: %v, and everybody may read it: %t", path, err, want)
		}
	}
	if provider.PublicOf(paths{"a"}).Check(parsed(t, "properties.password")) == nil {
		t.Error("without a status nothing is described")
	}
}

// secretParty is a party of a version that marks a property as a secret.
type secretParty struct{ v20180808.Party }

func (*secretParty) SecretPaths() []string { return []string{"properties.stage"} }

func TestGive(t *testing.T) {
	party := &v20180808.PartySpec{}
	for _, test := range []struct{ reason, path, value, want, err string }{
		{"a text", "location", "westeurope", `{"location":"westeurope","properties":{"displayName":"L","members":[{"personName":"ada"}]}}`, ""},
		{"a text that looks like a number", "properties.displayName", "1.0", `{"properties":{"displayName":"1.0","members":[{"personName":"ada"}]}}`, ""},
		{"one of an enum", "properties.stage", "Lead", `{"properties":{"displayName":"L","members":[{"personName":"ada"}],"stage":"Lead"}}`, ""},
		{"a number", "properties.creditLimit", " 1e3\n", `{"properties":{"creditLimit":1e3,"displayName":"L","members":[{"personName":"ada"}]}}`, ""},
		{"a whole number", "properties.details.size", "3", `{"properties":{"details":{"size":3},"displayName":"L","members":[{"personName":"ada"}]}}`, ""},
		{"a truth value", "properties.channels.mail.preferred", "true", `{"properties":{"channels":{"mail":{"preferred":true}},"displayName":"L","members":[{"personName":"ada"}]}}`, ""},
		{"an entry of a map", `tags["a.b"]`, "x", `{"properties":{"displayName":"L","members":[{"personName":"ada"}]},"tags":{"a.b":"x"}}`, ""},
		{"an element of a list", "properties.members[0].personName", "bob", `{"properties":{"displayName":"L","members":[{"personName":"bob"}]}}`, ""},
		{"within free JSON", "properties.extensions.x", "1", `{"properties":{"displayName":"L","extensions":{"x":"1"},"members":[{"personName":"ada"}]}}`, ""},
		{"no number", "properties.creditLimit", "hunter2", "", "path properties.creditLimit: the value is no number"},
		{"a number with letters", "properties.creditLimit", "0x10", "", "the value is no number"},
		{"a whole number with zeros before it", "properties.details.size", "007", "", "the value is no whole number"},
		{"a whole number with a plus", "properties.details.size", "+5", "", "the value is no whole number"},
		{"no text", "location", "a\xffb", "", "the value is not UTF-8"},
		{"no text in free JSON", "properties.extensions.x", "\xff", "", "the value is not UTF-8"},
		{"not a number", "properties.creditLimit", "NaN", "", "the value is no number"},
		{"no whole number", "properties.details.size", "1.5", "", "the value is no whole number"},
		{"no truth value", "properties.channels.mail.preferred", "yes", "", "neither true nor false"},
		{"what the version does not have", "properties.nickname", "x", "", "the version has no properties.nickname"},
		{"an element that is not there", "properties.members[1].personName", "x", "", "there is no element [1]"},
		{"an object", "properties.details", "x", "", "only texts, numbers and truth values"},
		{"a list", "properties.members", "x", "", "only texts, numbers and truth values"},
		{"ours", "owner.armId", "x", "", "no property of the resource"},
		{"ours, too", "outputs.secrets[0].name", "x", "", "no property of the resource"},
		{"a secret", "properties.password", "x", "", "name a Secret in spec.secretRefs"},
		{"no path", "a b", "x", "", "is not the name of a member"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			got, err := provider.SetValues([]byte(`{"properties":{"displayName":"L","members":[{"personName":"ada"}]}}`), party, nil, provider.SecretPathsOf(paths{"properties.password"}),
				[]provider.Value{{Path: test.path, Value: []byte(test.value)}})
			switch {
			case test.err == "" && (err != nil || string(got) != test.want):
				t.Errorf("the body is %s (%v), want %s", got, err, test.want)
			case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err) || strings.Contains(err.Error(), "hunter2")):
				t.Errorf("the error is %v, want %s", err, test.err)
			}
		})
	}
	whole := `{ "properties" : {} }`
	if got, err := provider.SetValues([]byte(whole), party, nil, nil, nil); err != nil || string(got) != whole {
		t.Errorf("without values the body is %s (%v)", got, err)
	}
	location := []provider.Value{{Path: "location", Value: []byte("x")}}
	if got, err := provider.SetValues([]byte(whole), party, provider.Names{"location": "Where"}, nil, location); err != nil || string(got) != `{"Where":"x","properties":{}}` {
		t.Errorf("with another name outside the body is %s (%v)", got, err)
	}
}

// vendors is a spec in which the vendor has members with the names of Strata's.
type vendors struct {
	runtime.ConvertibleSpec `json:"-"`
	Outputs                 *string  `json:"outputs,omitzero"`
	ConfigMapRefs           []string `json:"configMapRefs,omitzero"`
	AzureName               *string  `json:"azureName,omitzero"`
}

// TestValuesOfVendors sends a vendor's properties with the names of Strata's members.
func TestValuesOfVendors(t *testing.T) {
	got, err := provider.Body(&vendors{Outputs: ptr("x"), ConfigMapRefs: []string{"y"}, AzureName: ptr("z")}, nil)
	if want := `{"configMapRefs":["y"],"outputs":"x"}`; err != nil || string(got) != want {
		t.Errorf("the body is %s (%v), want %s", got, err, want)
	}
}

func parsed(t *testing.T, text string) fieldpath.Path {
	t.Helper()
	path, err := fieldpath.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
