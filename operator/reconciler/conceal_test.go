package reconciler_test

import (
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/operator/api/crm/v20180808"
	"github.com/stratakube/strata/operator/fakeprovider"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
)

// secretive is a person of a version in which a name is a secret.
type secretive struct {
	v20180808.Person `json:",inline"`
}

func (s *secretive) SecretPaths() []string { return []string{"properties.legalName"} }

// TestSecretsInSpecs checks that a secret in a spec reaches the provider like one from a Secret.
// No status has it, although the external API returns it. No message has it, although the
// external API repeats it.
func TestSecretsInSpecs(t *testing.T) {
	const value = "Augusta Ada King"
	w := newWorld(t)
	w.scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: "crm.example.com", Version: "v20180809", Kind: "Person"}, &secretive{})
	spec := person()
	spec["originalVersion"] = "v20180809"
	w.object("Person", "ada", spec)
	w.cloud.Before(func(c fakeprovider.Call) error {
		if c.Verb == "Apply" {
			return fakeprovider.Fail(v2.Reason_REASON_TRANSIENT, "no "+value+" here", 0)
		}
		return nil
	})
	logged, err := w.logged("Person", "ada", 9)
	if err != nil {
		t.Fatal(err)
	}
	if c := w.condition("Person", "ada", "Ready"); c.Message != "no *** here" {
		t.Errorf("the message is %q", c.Message)
	}
	for where, text := range map[string]string{"the log": logged, "the events": w.reported()} {
		if strings.Contains(text, value) || !strings.Contains(text, "no *** here") {
			t.Errorf("%s: %s", where, text)
		}
	}
	w.cloud.Before(nil)
	w.pass("Person", "ada")
	id := w.cloud.IDs()[0]
	made := w.cloud.Get(id)
	if made.Secrets["properties.legalName"] != value || strings.Contains(string(made.Body), value) {
		t.Errorf("the provider got %s and the secrets %v", made.Body, made.Secrets)
	}
	made.Body = []byte(`{"properties":{"familyName":"Lovelace","legalName":"` + value + `"},"location":"westeurope"}`)
	w.cloud.Put(id, *made)
	w.pass("Person", "ada")
	status, err := json.Marshal(w.get("Person", "ada").Object["status"])
	if err != nil || strings.Contains(string(status), value) || !strings.Contains(string(status), "Lovelace") {
		t.Errorf("the status is %s (%v)", status, err)
	}
}

// TestReferencesWin covers a spec with a secret and a reference to a Secret for the same path:
// the provider receives the value of the Secret.
func TestReferencesWin(t *testing.T) {
	w := newWorld(t)
	w.scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: "crm.example.com", Version: "v20180809", Kind: "Person"}, &secretive{})
	w.secret("in", "name", "a name of the Secret")
	spec := person()
	spec["originalVersion"] = "v20180809"
	w.object("Person", "ada", spec)
	w.frozen = w.get("Person", "ada") // since the worked example has no secrets, the API server here would drop them
	w.frozen.Object["spec"].(map[string]any)["secretRefs"] = []any{map[string]any{"path": "properties.legalName", "name": "in", "key": "name"}}
	w.pass("Person", "ada")
	w.wants("Person", "ada", "True", "Succeeded")
	if made := w.cloud.Get(w.cloud.IDs()[0]); made.Secrets["properties.legalName"] != "a name of the Secret" || strings.Contains(string(made.Body), "Augusta") {
		t.Errorf("the provider got %s and the secrets %v", made.Body, made.Secrets)
	}
}
