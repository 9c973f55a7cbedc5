package reconciler_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stratakube/strata/operator/cloudtest"
	"github.com/stratakube/strata/operator/mark"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/reconciler"
)

// refs is spec.configMapRefs with one entry.
func refs(path, name, key string) []any {
	return []any{map[string]any{"path": path, "name": name, "key": key}}
}

// outputs is spec.outputs with one entry for secrets or configMaps.
func outputs(of, name, key, from string) map[string]any {
	return map[string]any{of: []any{map[string]any{"name": name, "key": key, "from": from}}}
}

// configMap makes a ConfigMap of somebody, or changes it.
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

// config is a ConfigMap; without data where there is none.
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
	w.cloud.Put(ada, cloudtest.Resource{Type: "Microsoft.Crm/persons", Version: "2018-08-08", Body: []byte(`{"location":"east","properties":{"familyName":"Lovelace","legalName":"Augusta Ada King"}}`)})
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

// TestOutputsInConfigMaps is a table over what an object may have put into a ConfigMap.
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
	} {
		t.Run(test.reason, func(t *testing.T) {
			w := newWorld(t)
			spec := person()
			spec["outputs"] = map[string]any{
				"secrets":    outputs("secrets", "keys", "k", "listKeys().key1")["secrets"],
				"configMaps": outputs("configMaps", "site", "k", test.from)["configMaps"],
			}
			w.cloud.Put(ada, cloudtest.Resource{Type: "Microsoft.Crm/persons", Version: "2018-08-08", Body: []byte(
				`{"location":"westeurope","properties":{"familyName":"Lovelace","legalName":"Augusta Ada King","endpoint":{"port":5671},"hosts":["a","b"],"echo":"key of /Microsoft.Crm/persons/ada","connection":"Key=key of /Microsoft.Crm/persons/ada;"}}`)})
			w.object("Person", "ada", spec, mark.ReconcilePolicy, "observe")
			w.pass("Person", "ada")
			w.restart() // a process that has asked for no secret
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

// TestConfigMapsWaitForSecrets has calls for secrets fail while the status shows a value with a secret in it.
func TestConfigMapsWaitForSecrets(t *testing.T) {
	for reason, prepare := range map[string]func(w *world){
		"the API is silent": func(w *world) {
			w.cloud.Before(func(c cloudtest.Call) error {
				if c.Outputs > 0 {
					return cloudtest.Fail(v2.Reason_REASON_TRANSIENT, "later", 0)
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
			w.cloud.Put(ada, cloudtest.Resource{Type: "Microsoft.Crm/persons", Version: "2018-08-08", Body: []byte(
				`{"location":"westeurope","properties":{"familyName":"Lovelace","connection":"Key=key of /Microsoft.Crm/persons/ada;"}}`)})
			w.object("Person", "ada", spec, mark.ReconcilePolicy, "observe")
			w.pass("Person", "ada")
			var site corev1.ConfigMap
			if err := w.client.Get(t.Context(), types.NamespacedName{Namespace: namespace, Name: "site"}, &site); !apierrors.IsNotFound(err) {
				t.Errorf("the ConfigMap has %q (%v)", site.Data, err)
			}
		})
	}
}

// TestOutputsAreNoCredentials has an object write the Secret in which a namespace's credentials are expected.
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

// TestOutputsOfBothSorts follows the keys of a Secret and of a ConfigMap: written, changed with the status, and removed.
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
	if notes := w.get("Person", "ada").GetAnnotations(); notes[mark.OutputSecrets] != "keys" || notes[mark.OutputConfigMaps] != "site" {
		t.Errorf("it remembers %v", notes)
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
	if notes := w.get("Person", "ada").GetAnnotations(); notes[mark.OutputSecrets] != "" || notes[mark.OutputConfigMaps] != "" {
		t.Errorf("it remembers %v", notes)
	}
}

// TestForeignConfigMapsKeepNothingFromSecrets has a ConfigMap of somebody else in the way.
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
		t.Errorf("what is somebody else's is %q now", got)
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
	u := w.object("Person", "ada", spec, mark.Outputs, `{"configMaps":[{"name":"noted","key":"k","from":"id"}],"secrets":[{"name":"keys","key":"k","from":"id"}]}`)
	if got := strings.Join(reconciler.Indexes[reconciler.ByConfigMap](u), " "); got != "inputs noted site" {
		t.Errorf("the ConfigMaps are %s", got)
	}
	if got := strings.Join(reconciler.Indexes[reconciler.BySecret](u), " "); got != "keys strata-credentials" {
		t.Errorf("the Secrets are %s", got)
	}
}
