package reconciler_test

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
	"github.com/stratakube/strata/operator/resource"
)

// refs returns spec.configMapRefs with one entry.
func refs(path, name, key string) []any {
	return []any{map[string]any{"path": path, "name": name, "key": key}}
}

// outputs returns spec.outputs with one entry for secrets or configMaps.
func outputs(of, name, key, from string) map[string]any {
	return map[string]any{of: []any{map[string]any{"name": name, "key": key, "from": from}}}
}

// configMap creates or changes a ConfigMap of another client.
func (w *world) configMap(name string, values ...string) {
	w.Helper()
	c := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: map[string]string{}}
	for i := 0; i+1 < len(values); i += 2 {
		c.Data[values[i]] = values[i+1]
	}
	if err := w.client.Update(w.Context(), c.DeepCopy()); apierrors.IsNotFound(err) {
		if err := w.client.Create(w.Context(), c); err != nil {
			w.Fatal(err)
		}
	}
}

// config returns a ConfigMap; without data if it does not exist.
func (w *world) config(name string) (c corev1.ConfigMap) {
	_ = w.client.Get(w.Context(), types.NamespacedName{Namespace: namespace, Name: name}, &c)
	return c
}

// TestInputsOfConfigMaps follows a value from a ConfigMap: waited for, sent, compared and changed.
func TestInputsOfConfigMaps(t *testing.T) {
	w := newWorld(t)
	spec := person()
	delete(spec, "location")
	spec["configMapRefs"] = refs("location", "site", "region")
	w.object("Person", "ada", spec)
	w.pass("Person", "ada")
	w.wants("Person", "ada", metav1.ConditionFalse, "ConfigMapNotFound")
	if calls := w.cloud.Calls("Apply"); len(calls) > 0 {
		t.Errorf("the resource was applied without the value: %v", calls)
	}
	w.configMap("site", "region", "north")
	w.pass("Person", "ada")
	w.wants("Person", "ada", metav1.ConditionTrue, reconciler.Succeeded)
	if body := string(w.cloud.Get(ada).Body); !strings.Contains(body, `"location":"north"`) || strings.Contains(body, "configMapRefs") {
		t.Errorf("the body is %s", body)
	}
	if _, has := w.get("Person", "ada").Object["spec"].(map[string]any)["location"]; has {
		t.Error("the value was written to the spec")
	}
	w.cloud.Forget()
	w.pass("Person", "ada")
	if calls := w.cloud.Calls("Apply"); len(calls) > 0 {
		t.Errorf("nothing has changed, and it was applied: %v", calls)
	}
	w.configMap("site", "region", "south")
	w.pass("Person", "ada")
	if body := string(w.cloud.Get(ada).Body); !strings.Contains(body, `"location":"south"`) {
		t.Errorf("the ConfigMap has changed, and the body is %s", body)
	}
	w.cloud.Put(ada, fakeprovider.Resource{Type: "Microsoft.Crm/persons", Version: "2018-08-08", Body: []byte(`{"location":"east","properties":{"familyName":"Lovelace","legalName":"Augusta Ada King"}}`)})
	w.pass("Person", "ada")
	if body := string(w.cloud.Get(ada).Body); !strings.Contains(body, `"location":"south"`) {
		t.Errorf("the value differs outside, and is not applied again: %s", body)
	}
	w.configMap("site", "other", "x")
	w.pass("Person", "ada")
	w.wants("Person", "ada", metav1.ConditionFalse, "ConfigMapNotFound")
	w.delete("Person", "ada")
	w.pass("Person", "ada")
	if !w.isGone("Person", "ada") || w.cloud.Get(ada) != nil {
		t.Error("a ConfigMap that lacks a key keeps the object")
	}
}

// TestOutputsInConfigMaps is a table over values that an object requests in a ConfigMap.
func TestOutputsInConfigMaps(t *testing.T) {
	for _, test := range []struct{ reason, from, want, given string }{
		{"a text of the status", "properties.familyName", reconciler.Succeeded, "Lovelace"},
		{"what no schema knows", "properties.endpoint.port", reconciler.Succeeded, "5671"},
		{"an element of a list", "properties.hosts[1]", reconciler.Succeeded, "b"},
		{"what is not there yet", "properties.later", "OutputsFailed", ""},
		{"an object", "properties.endpoint", "OutputsUnreadable", ""},
		{"a call", "listKeys().key1", "OutputsUnreadable", ""},
		{"no path", "properties..x", "OutputsUnreadable", ""},
		{"a value that is a secret of the object", "properties.echo", "OutputsUnreadable", ""},
		{"a value that has a secret of the object in it", "properties.connection", "OutputsUnreadable", ""},
		{"a URL that has a secret of the object in it", "properties.link", "OutputsUnreadable", ""},
		{"a name that says secret, as URLs write it", "properties.primary%4Bey", "OutputsUnreadable", ""},
	} {
		t.Run(test.reason, func(t *testing.T) {
			w := newWorld(t)
			spec := person()
			spec["outputs"] = map[string]any{
				"secrets":    outputs("secrets", "keys", "k", "listKeys().key1")["secrets"],
				"configMaps": outputs("configMaps", "site", "k", test.from)["configMaps"],
			}
			w.cloud.Put(ada, fakeprovider.Resource{Type: "Microsoft.Crm/persons", Version: "2018-08-08", Body: []byte(
				`{"location":"westeurope","properties":{"familyName":"Lovelace","legalName":"Augusta Ada King","endpoint":{"port":5671},"hosts":["a","b"],"echo":"key of /Microsoft.Crm/persons/ada","connection":"Key=key of /Microsoft.Crm/persons/ada;",
					"link":"https://a?sig=key%20of%20%2FMicrosoft.Crm%2fpersons%2Fada","primary%4Bey":"x"}}`)})
			w.object("Person", "ada", spec, annotation.ReconcilePolicy, "observe")
			w.pass("Person", "ada")
			w.restart() // a process that has requested no secret
			w.pass("Person", "ada")
			status, want := metav1.ConditionFalse, test.want
			if test.given != "" {
				status, want = metav1.ConditionTrue, reconciler.Observed
			}
			w.wants("Person", "ada", status, want)
			is := w.config("site")
			if got := is.Data["k"]; got != test.given {
				t.Errorf("the ConfigMap has %q, want %q", got, test.given)
			}
			if test.given != "" && (len(is.OwnerReferences) != 1 || is.OwnerReferences[0].UID != w.get("Person", "ada").GetUID()) {
				t.Errorf("the ConfigMap belongs to %v", is.OwnerReferences)
			}
		})
	}
}

// TestConfigMapsWaitForSecrets makes calls for secrets fail while the status has a value that
// contains a secret.
func TestConfigMapsWaitForSecrets(t *testing.T) {
	for reason, prepare := range map[string]func(w *world){
		"the API is silent": func(w *world) {
			w.cloud.Before(func(c fakeprovider.Call) error {
				if c.Outputs > 0 {
					return fakeprovider.Fail(v2.Reason_REASON_TRANSIENT, "later", 0)
				}
				return nil
			})
		},
		"the Secret is another client's": func(w *world) { w.secret("keys", "x", "y") },
	} {
		t.Run(reason, func(t *testing.T) {
			w := newWorld(t)
			prepare(w)
			spec := person()
			spec["outputs"] = map[string]any{
				"secrets":    outputs("secrets", "keys", "k", "listKeys().key1")["secrets"],
				"configMaps": outputs("configMaps", "site", "k", "properties.connection")["configMaps"],
			}
			w.cloud.Put(ada, fakeprovider.Resource{Type: "Microsoft.Crm/persons", Version: "2018-08-08", Body: []byte(
				`{"location":"westeurope","properties":{"familyName":"Lovelace","connection":"Key=key of /Microsoft.Crm/persons/ada;",
					"link":"https://a?sig=key%20of%20%2FMicrosoft.Crm%2fpersons%2Fada","primary%4Bey":"x"}}`)})
			w.object("Person", "ada", spec, annotation.ReconcilePolicy, "observe")
			w.pass("Person", "ada")
			var site corev1.ConfigMap
			if err := w.client.Get(t.Context(), types.NamespacedName{Namespace: namespace, Name: "site"}, &site); !apierrors.IsNotFound(err) {
				t.Errorf("the ConfigMap has %q (%v)", site.Data, err)
			}
		})
	}
}

// TestOutputsAreNoCredentials covers an object whose output is the default Secret with
// credentials of its namespace.
func TestOutputsAreNoCredentials(t *testing.T) {
	w := newWorld(t)
	spec := person()
	spec["outputs"] = outputs("secrets", "strata-credentials", "AZURE_TENANT_ID", "properties.familyName")
	w.object("Person", "ada", spec)
	w.pass("Person", "ada")
	w.object("Person", "byron", person())
	calls := len(w.cloud.Calls(""))
	w.pass("Person", "byron")
	w.wants("Person", "byron", metav1.ConditionFalse, "SecretNotFound")
	if made := len(w.cloud.Calls("")) - calls; made > 0 {
		t.Errorf("%d calls were made with credentials that an object's author chose", made)
	}
}

// TestOutputsOfBothSorts follows the keys of a Secret and of a ConfigMap: written, changed with the
// status, and removed.
func TestOutputsOfBothSorts(t *testing.T) {
	w := newWorld(t)
	spec := person()
	spec["outputs"] = map[string]any{
		"secrets":    outputs("secrets", "keys", "k", "listKeys().key1")["secrets"],
		"configMaps": outputs("configMaps", "site", "name", "properties.familyName")["configMaps"],
	}
	w.object("Person", "ada", spec)
	w.pass("Person", "ada")
	w.wants("Person", "ada", metav1.ConditionTrue, reconciler.Succeeded)
	var keys corev1.Secret
	if err := w.client.Get(t.Context(), types.NamespacedName{Namespace: namespace, Name: "keys"}, &keys); err != nil || string(keys.Data["k"]) != "key of "+ada {
		t.Errorf("the Secret has %q (%v)", keys.Data, err)
	}
	if got := w.config("site").Data["name"]; got != "Lovelace" {
		t.Errorf("the ConfigMap has %q", got)
	}
	if annotations := w.get("Person", "ada").GetAnnotations(); annotations[annotation.OutputSecrets] != "keys" || annotations[annotation.OutputConfigMaps] != "site" {
		t.Errorf("it remembers %v", annotations)
	}
	version := w.config("site").ResourceVersion
	w.pass("Person", "ada")
	if w.config("site").ResourceVersion != version {
		t.Error("nothing has changed, and the ConfigMap was written")
	}
	w.edit("Person", "ada", func(u *unstructured.Unstructured) {
		u.Object["spec"].(map[string]any)["properties"].(map[string]any)["familyName"] = "King"
		u.SetGeneration(2)
	})
	w.pass("Person", "ada")
	if got := w.config("site").Data["name"]; got != "King" {
		t.Errorf("the status has changed, and the ConfigMap has %q", got)
	}
	w.edit("Person", "ada", func(u *unstructured.Unstructured) { delete(u.Object["spec"].(map[string]any), "outputs") })
	w.pass("Person", "ada")
	w.wants("Person", "ada", metav1.ConditionTrue, reconciler.Succeeded)
	if is := w.config("site"); len(is.Data) > 0 {
		t.Errorf("nothing is named any more, and the ConfigMap has %v", is.Data)
	}
	if err := w.client.Get(t.Context(), types.NamespacedName{Namespace: namespace, Name: "keys"}, &keys); err != nil || len(keys.Data) > 0 {
		t.Errorf("nothing is named any more, and the Secret has %d keys (%v)", len(keys.Data), err)
	}
	if annotations := w.get("Person", "ada").GetAnnotations(); annotations[annotation.OutputSecrets] != "" || annotations[annotation.OutputConfigMaps] != "" {
		t.Errorf("it remembers %v", annotations)
	}
}

// TestForeignConfigMapsKeepNothingFromSecrets covers a requested ConfigMap that belongs to
// another client.
func TestForeignConfigMapsKeepNothingFromSecrets(t *testing.T) {
	w := newWorld(t)
	w.configMap("site", "name", "theirs")
	spec := person()
	spec["outputs"] = map[string]any{
		"secrets":    outputs("secrets", "keys", "k", "listKeys().key1")["secrets"],
		"configMaps": outputs("configMaps", "site", "name", "location")["configMaps"],
	}
	w.object("Person", "ada", spec)
	w.pass("Person", "ada")
	w.wants("Person", "ada", metav1.ConditionFalse, "ConfigMapNotOurs")
	if got := w.config("site").Data["name"]; got != "theirs" {
		t.Errorf("what is another client's is %q now", got)
	}
	var keys corev1.Secret
	if err := w.client.Get(t.Context(), types.NamespacedName{Namespace: namespace, Name: "keys"}, &keys); err != nil || len(keys.Data["k"]) == 0 {
		t.Errorf("the Secret was not written: %v", err)
	}
}

// TestConfigMapsAreIndexed finds the objects that name a ConfigMap.
func TestConfigMapsAreIndexed(t *testing.T) {
	w := newWorld(t)
	spec := person()
	spec["configMapRefs"] = refs("location", "inputs", "k")
	spec["outputs"] = outputs("configMaps", "site", "k", "id")
	u := w.object("Person", "ada", spec, annotation.Outputs, `{"configMaps":[{"name":"noted","key":"k","from":"id"}],"secrets":[{"name":"keys","key":"k","from":"id"}]}`)
	if got := strings.Join(reconciler.Indexes(&resource.Kind{})[reconciler.ByConfigMap](u), " "); got != "inputs noted site" {
		t.Errorf("the ConfigMaps are %s", got)
	}
	if got := strings.Join(reconciler.Indexes(&resource.Kind{})[reconciler.BySecret](u), " "); got != "keys strata-credentials" {
		t.Errorf("the Secrets are %s", got)
	}
}

// both returns a spec with a key of a Secret that a call returns, and one of a ConfigMap.
func both(from string) map[string]any {
	spec := person()
	spec["outputs"] = map[string]any{
		"secrets":    outputs("secrets", "keys", "k", "listKeys().key1")["secrets"],
		"configMaps": outputs("configMaps", "site", "k", from)["configMaps"],
	}
	return spec
}

// shows sets a value in the resource ada.
func (w *world) shows(member, value string) {
	w.cloud.Put(ada, fakeprovider.Resource{Type: "Microsoft.Crm/persons", Version: "2018-08-08", Body: []byte(
		`{"location":"westeurope","properties":{"familyName":"Lovelace","legalName":"Augusta Ada King","` + member + `":"` + value + `"}}`)})
}

// TestRotatedKeyReachesNoConfigMap covers a key that is rotated in the external API and then
// part of the status, while the Secret has the old one. The operator requests the key before it
// changes the ConfigMap, and not again once it is known.
func TestRotatedKeyReachesNoConfigMap(t *testing.T) {
	for _, fails := range []bool{false, true} {
		w := newWorld(t)
		w.shows("link", "none")
		w.object("Person", "ada", both("properties.link"), annotation.ReconcilePolicy, "observe")
		w.pass("Person", "ada")
		w.wants("Person", "ada", metav1.ConditionTrue, reconciler.Observed)
		if got := w.config("site").Data["k"]; got != "none" {
			t.Fatalf("the ConfigMap has %q", got)
		}
		var keys corev1.Secret
		if err := w.client.Get(t.Context(), types.NamespacedName{Namespace: namespace, Name: "keys"}, &keys); err != nil {
			t.Fatal(err)
		}
		keys.Data["k"] = []byte("the former key")
		if err := w.client.Update(t.Context(), &keys); err != nil {
			t.Fatal(err)
		}
		w.cloud.Forget()
		w.pass("Person", "ada")
		if n := w.asked(); n > 0 {
			t.Errorf("nothing changes, and it was asked %d times", n)
		}
		w.shows("link", "Key=key of "+ada+";")
		if fails {
			w.cloud.Before(withholds)
			w.pass("Person", "ada")
			w.wants("Person", "ada", metav1.ConditionFalse, reconciler.ReasonOutputs)
			if got := w.config("site").Data["k"]; got != "none" {
				t.Errorf("while the key is not known, the ConfigMap has %q", got)
			}
			w.cloud.Before(nil)
		}
		for range 2 {
			w.pass("Person", "ada")
			w.wants("Person", "ada", metav1.ConditionFalse, reconciler.ReasonOutputsUnreadable)
		}
		if got, has := w.config("site").Data["k"]; has {
			t.Errorf("the ConfigMap has %q", got)
		}
		if got := string(w.data("keys")["k"]); got != "key of "+ada {
			t.Errorf("the Secret has %q", got)
		}
		if n := w.asked(); fails && n != 2 || !fails && n != 1 {
			t.Errorf("it was asked %d times", n)
		}
	}
}

// TestRefusedOutputsAreRemoved covers written outputs that are then refused by their path, value
// or name. The operator removes the key, applies the spec, and writes the other keys.
func TestRefusedOutputsAreRemoved(t *testing.T) {
	for reason, from := range map[string]string{
		"an object": "properties", "no path": "properties..x", "a call": "listKeys().key1", "a secret by its name": "properties.accountKey", "a long path": strings.Repeat("x", 1025),
	} {
		t.Run(reason, func(t *testing.T) {
			w := newWorld(t)
			spec := both("properties.familyName")
			w.object("Person", "ada", spec)
			w.pass("Person", "ada")
			w.wants("Person", "ada", metav1.ConditionTrue, reconciler.Succeeded)
			w.edit("Person", "ada", func(u *unstructured.Unstructured) {
				spec := u.Object["spec"].(map[string]any)
				spec["location"] = "north"
				spec["outputs"].(map[string]any)["configMaps"] = []any{
					map[string]any{"name": "site", "key": "k", "from": from}, map[string]any{"name": "site", "key": "l", "from": "location"},
				}
				u.SetGeneration(2)
			})
			w.pass("Person", "ada")
			w.wants("Person", "ada", metav1.ConditionFalse, reconciler.ReasonOutputsUnreadable)
			if got := w.config("site").Data; len(got) != 1 || got["l"] != "north" {
				t.Errorf("the ConfigMap has %v", got)
			}
			if !strings.Contains(string(w.cloud.Get(ada).Body), "north") {
				t.Errorf("the spec is not applied: %s", w.cloud.Get(ada).Body)
			}
		})
	}
}

// TestKeysOfOthersInConfigMaps covers another client that adds a key to the ConfigMap of an
// object, which then requests that key.
func TestKeysOfOthersInConfigMaps(t *testing.T) {
	w := newWorld(t)
	spec := person()
	spec["outputs"] = outputs("configMaps", "site", "k", "location")
	w.object("Person", "ada", spec)
	w.pass("Person", "ada")
	site := w.config("site")
	site.Data["theirs"] = "precious"
	if err := w.client.Update(t.Context(), &site); err != nil {
		t.Fatal(err)
	}
	w.edit("Person", "ada", func(u *unstructured.Unstructured) {
		u.Object["spec"].(map[string]any)["outputs"] = outputs("configMaps", "site", "theirs", "location")
	})
	w.pass("Person", "ada")
	w.wants("Person", "ada", metav1.ConditionFalse, "ConfigMapNotOurs")
	if got := w.config("site").Data; len(got) != 1 || got["theirs"] != "precious" {
		t.Errorf("the ConfigMap has %v", got)
	}
}

// TestSecretsOfSchemaReachNoConfigMap covers a version that marks a property as a secret. Its
// value neither comes from a ConfigMap nor is written to one.
func TestSecretsOfSchemaReachNoConfigMap(t *testing.T) {
	for member, test := range map[string]struct {
		value any
		want  string
	}{
		"configMapRefs": {refs("properties.legalName", "in", "k"), "InputsInvalid"},
		"outputs":       {outputs("configMaps", "site", "k", "properties.legalName"), "OutputsUnreadable"},
	} {
		t.Run(member, func(t *testing.T) {
			w := newWorld(t)
			w.scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: "crm.example.com", Version: "v20180809", Kind: "Person"}, &secretive{})
			w.configMap("in", "k", "a name")
			spec := person()
			spec["originalVersion"] = "v20180809"
			spec[member] = test.value
			w.object("Person", "ada", spec)
			w.pass("Person", "ada")
			w.wants("Person", "ada", metav1.ConditionFalse, test.want)
			if c := w.condition("Person", "ada", reconciler.Ready); !strings.Contains(c.Message, "a secret") {
				t.Errorf("it says %q", c.Message)
			}
			if got := w.config("site").Data; len(got) > 0 {
				t.Errorf("the ConfigMap has %v", got)
			}
		})
	}
}

// TestOutputsAreBounded is a table over too many outputs, and over names that no Secret can have.
func TestOutputsAreBounded(t *testing.T) {
	many := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`{"name":"c%d","key":"k","from":"location"}`, i))
		}
		return strings.Join(all, ",")
	}
	for _, test := range []struct {
		reason, note string
		configMaps   int
		isRead       bool
	}{
		{"as many as can be", `{"configMaps":[` + many(100) + `]}`, 100, true},
		{"one more", `{"configMaps":[` + many(101) + `]}`, 0, false},
		{"Secrets", `{"secrets":[` + many(101) + `]}`, 0, false},
		{"something after the JSON", `{"configMaps":[` + many(1) + `]} {}`, 0, false},
		{"something after a list", keyOne + "x", 0, false},
		{"a blank after the JSON", `{"configMaps":[` + many(1) + "]} \n", 1, true},
		{"a name with a comma", `{"configMaps":[{"name":"a,b","key":"k","from":"location"},` + many(1) + `]}`, 1, false},
		{"a name in large letters", `{"configMaps":[{"name":"A","key":"k","from":"location"}]}`, 0, false},
		{"a long name", `{"configMaps":[{"name":"` + strings.Repeat("a", 254) + `","key":"k","from":"location"}]}`, 0, false},
		{"a key with a slash", `{"configMaps":[{"name":"a","key":"k/l","from":"location"}]}`, 0, false},
		{"a long key", `{"configMaps":[{"name":"a","key":"` + strings.Repeat("k", 254) + `","from":"location"}]}`, 0, false},
		{"a long path", `{"configMaps":[{"name":"a","key":"k","from":"` + strings.Repeat("k", 1025) + `"}]}`, 0, false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			w := newWorld(t)
			made(w, annotation.Outputs, test.note)
			if c := w.condition("Person", "ada", reconciler.Ready); (c.Reason == reconciler.Succeeded) != test.isRead || !test.isRead && c.Reason != reconciler.ReasonOutputsUnreadable || len(c.Message) > 2000 {
				t.Errorf("it is %s, and says %q", c.Reason, c.Message)
			}
			var all corev1.ConfigMapList
			if err := w.client.List(t.Context(), &all); err != nil || len(all.Items) != test.configMaps {
				t.Errorf("there are %d ConfigMaps (%v), want %d", len(all.Items), err, test.configMaps)
			}
		})
	}
}

// TestRememberedOutputsAreBounded covers a client that writes names into the annotation that
// lists the outputs.
func TestRememberedOutputsAreBounded(t *testing.T) {
	var names []string
	for i := range 20000 {
		names = append(names, fmt.Sprint("a", i))
	}
	w := newWorld(t)
	made(w, annotation.OutputConfigMaps, strings.Join(names, ","))
	w.wants("Person", "ada", metav1.ConditionTrue, reconciler.Succeeded)
	if w.reads > 1000 {
		t.Errorf("%d objects were read", w.reads)
	}
	if note := w.get("Person", "ada").GetAnnotations()[annotation.OutputConfigMaps]; note != "" {
		t.Errorf("it remembers %d bytes", len(note))
	}
}

// TestMessagesOfOutputsAreBounded makes many long outputs fail.
func TestMessagesOfOutputsAreBounded(t *testing.T) {
	for _, from := range []string{"properties.", "properties.key", "properties..", "listKeys()."} {
		var all []any
		for i := range 100 {
			all = append(all, map[string]any{"name": "site", "key": fmt.Sprint("k", i), "from": from + strings.Repeat("x", 1000) + fmt.Sprint(i)})
		}
		w := newWorld(t)
		setProperty(w, "outputs", map[string]any{"configMaps": all})
		if n := len(w.condition("Person", "ada", reconciler.Ready).Message); n == 0 || n > 1100 {
			t.Errorf("%s: the message has %d bytes", from, n)
		}
	}
	w := newWorld(t)
	setProperty(w, "configMapRefs", refs("location", strings.Repeat("x", 5000), "k"))
	if n := len(w.condition("Person", "ada", reconciler.Ready).Message); n == 0 || n > 1100 {
		t.Errorf("the message about an input has %d bytes", n)
	}
}

// TestVendorsOutputsHideNoAnnotation covers a kind whose vendor has a property with the name
// outputs.
func TestVendorsOutputsHideNoAnnotation(t *testing.T) {
	for _, vendors := range []any{"x", []any{"x"}, map[string]any{"x": "y"}, map[string]any{"secrets": "x"}} {
		u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"outputs": vendors}}}
		u.SetAnnotations(map[string]string{annotation.Outputs: `{"configMaps":[{"name":"site","key":"k","from":"id"}],"secrets":[{"name":"keys","key":"k","from":"id"}]}`})
		if got := strings.Join(reconciler.Indexes(&resource.Kind{})[reconciler.BySecret](u), " "); got != "keys strata-credentials" {
			t.Errorf("%v: the Secrets are %s", vendors, got)
		}
		if got := strings.Join(reconciler.Indexes(&resource.Kind{})[reconciler.ByConfigMap](u), " "); got != "site" {
			t.Errorf("%v: the ConfigMaps are %s", vendors, got)
		}
	}
}
