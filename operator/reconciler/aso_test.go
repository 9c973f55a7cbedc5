package reconciler_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/provider"
	"github.com/stratakube/strata/operator/reconciler"
)

// asoPage is the page whose table maps the words of Azure Service Operator to those of Strata.
const asoPage = "../../docs/guide/howto/come-from-azure-service-operator.md"

// asoRows maps the first cell of each row of the table in [asoPage] to a function that performs
// it.
var asoRows = map[string]func(*world){
	"`serviceoperator.azure.com/reconcile-policy: manage`": func(w *world) {
		made(w, annotation.ReconcilePolicy, "manage")
		w.delete("Person", "ada")
		w.pass("Person", "ada")
		if w.cloud.Creates(ada) != 1 || w.cloud.Get(ada) != nil {
			w.Errorf("it was made %d times, and outside are %v", w.cloud.Creates(ada), w.cloud.IDs())
		}
	},
	"`serviceoperator.azure.com/reconcile-policy: skip`": func(w *world) {
		for _, word := range []string{"skip", "observe"} {
			w.cloud.Put(personID(word), byron)
			w.object("Person", word, person(), annotation.ReconcilePolicy, word)
			w.pass("Person", word)
			w.wants("Person", word, "True", reconciler.Observed)
			w.delete("Person", word)
			w.isByron(personID(word))
		}
		if calls := w.mutations(); len(calls) > 0 {
			w.Errorf("there were %v", calls)
		}
	},
	"`serviceoperator.azure.com/reconcile-policy: detach-on-delete`": func(w *world) {
		made(w, annotation.ReconcilePolicy, "detach-on-delete")
		w.delete("Person", "ada")
		w.pass("Person", "ada")
		if !w.isGone("Person", "ada") || w.cloud.Creates(ada) != 1 || w.cloud.Get(ada) == nil {
			w.Errorf("it was made %d times, and outside are %v", w.cloud.Creates(ada), w.cloud.IDs())
		}
	},
	"`serviceoperator.azure.com/credential-from: NAME`": func(w *world) {
		w.secret("mine", "AZURE_TENANT_ID", "t")
		made(w, annotation.Credentials, "mine")
		if is := w.recorded("Person", "ada").Target; is.Credentials != "mine" || is.Scope["tenant"] != "t" {
			w.Errorf("the claim is %+v", is)
		}
	},
	"Secret `aso-credential` of a namespace": func(w *world) {
		w.secret("strata-credentials", "AZURE_TENANT_ID", "t")
		made(w)
		if is := w.recorded("Person", "ada").Target; is.Credentials != provider.DefaultCredentials || is.Scope["tenant"] != "t" {
			w.Errorf("the claim is %+v", is)
		}
	},
	"`AZURE_TENANT_ID`, `AZURE_CLIENT_ID`, `AZURE_CLIENT_SECRET`, `AZURE_SUBSCRIPTION_ID`": func(w *world) {
		w.secret("strata-credentials", "AZURE_TENANT_ID", "t", "AZURE_CLIENT_ID", "c", "AZURE_CLIENT_SECRET", "s", "AZURE_SUBSCRIPTION_ID", "u")
		made(w)
		if is := w.recorded("Person", "ada").Target; !maps.Equal(is.Scope, map[string]string{"tenant": "t", "subscription": "u"}) || !strings.HasPrefix(is.ID, "/subscriptions/u/") {
			w.Errorf("the claim is %+v", is)
		}
	},
	"`spec.azureName`": func(w *world) {
		w.object("Person", "ada", named("other"))
		w.pass("Person", "ada")
		if w.cloud.Get(personID("other")) == nil {
			w.Errorf("outside are %v", w.cloud.IDs())
		}
	},
	"`spec.owner.name`, `spec.owner.armId`": func(w *world) {
		made(w)
		w.object("PersonsNote", "first", note("ada"))
		second := note("")
		second["owner"] = map[string]any{"armId": ada}
		w.object("PersonsNote", "second", second)
		for _, name := range []string{"first", "second"} {
			w.pass("PersonsNote", name)
			if w.cloud.Get(ada+"/notes/"+name) == nil {
				w.Errorf("outside are %v", w.cloud.IDs())
			}
		}
	},
	"a property that refers to a Secret": func(w *world) {
		w.secret("login", "k", "12345678")
		w.object("Person", "ada", person())
		w.frozen = w.get("Person", "ada") // since the worked example has no secrets, the client drops them
		w.frozen.Object["spec"].(map[string]any)["secretRefs"] = refs("properties.password", "login", "k")
		w.pass("Person", "ada")
		if is := w.cloud.Get(ada).Secrets["properties.password"]; is != "12345678" {
			w.Errorf("the password is %q", is)
		}
	},
	"a property that refers to a ConfigMap": func(w *world) {
		spec := person()
		spec["configMapRefs"] = refs("location", "site", "region")
		w.configMap("site", "region", "north")
		w.object("Person", "ada", spec)
		w.pass("Person", "ada")
		if is := string(w.cloud.Get(ada).Body); !strings.Contains(is, `"location":"north"`) {
			w.Errorf("the body is %s", is)
		}
	},
	"`spec.operatorSpec.secrets.NAME: {name, key}`": func(w *world) {
		w.outputs(outputs("secrets", "keys", "k", "listKeys().keys[0].value"))
		if is := string(w.data("keys")["k"]); is != "key of "+ada {
			w.Errorf("the key is %q", is)
		}
	},
	"`spec.operatorSpec.configMaps.NAME: {name, key}`": func(w *world) {
		w.outputs(outputs("configMaps", "site", "k", "properties.hostName"))
		if is := w.config("site").Data["k"]; is != "h" {
			w.Errorf("the key is %q", is)
		}
	},
	"`spec.operatorSpec.configMapExpressions`, `secretExpressions` with a path": func(w *world) {
		w.outputs(outputs("configMaps", "site", "k", "id"))
		if is := w.config("site").Data["k"]; is != ada {
			w.Errorf("the key is %q", is)
		}
	},
	"the same with a computed value or a map of keys": func(w *world) {
		for _, from := range []string{`self.status.id + "x"`, "properties"} {
			w.outputs(outputs("configMaps", "site", "k", from))
			w.wants("Person", "ada", "False", reconciler.ReasonOutputsUnreadable)
			w.delete("Person", "ada")
			w.pass("Person", "ada")
		}
	},
	"`status.id`, `status.name`, `status.type`": func(w *world) {
		w.cloud.Put(ada, fakeprovider.Resource{Body: []byte(`{"id":"/i","name":"n","type":"t"}`)})
		made(w, annotation.ReconcilePolicy, "observe")
		for member, want := range map[string]string{"id": "/i", "name": "n", "type": "t"} {
			if is := statusText(w, member); is != want {
				w.Errorf("status.%s is %q", member, is)
			}
		}
	},
	"condition `Ready` with a severity": func(w *world) {
		setProperty(w, "azureName", "..")
		w.severity("Stalled", "Reconciling")
		w.delete("Person", "ada")
		w.pass("Person", "ada")
		w.cloud.Before(failing("Apply", v2.Reason_REASON_TRANSIENT))
		made(w)
		w.severity("Reconciling", "Stalled")
	},
}

// TestWordsOfAzureServiceOperator performs the rows of the page, and fails for rows without a
// function.
func TestWordsOfAzureServiceOperator(t *testing.T) {
	page, err := os.ReadFile(asoPage)
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| ASO | Strata |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	driven := map[string]bool{"`asoctl import azure-resource`": true} // by the tests of strata arm import
	for row := range strings.Lines(table) {
		cell := strings.TrimPrefix(row, "| ")
		is := slices.IndexFunc(slices.Sorted(maps.Keys(asoRows)), func(begin string) bool { return strings.HasPrefix(cell, begin) })
		if is < 0 {
			if begin, _, _ := strings.Cut(cell, " |"); !driven[begin] {
				t.Errorf("nothing drives the row %s", row)
			}
			continue
		}
		begin := slices.Sorted(maps.Keys(asoRows))[is]
		driven[begin] = true
		t.Run(begin, func(t *testing.T) { asoRows[begin](newWorld(t)) })
	}
	for begin := range asoRows {
		if !driven[begin] {
			t.Errorf("the page has no row %s", begin)
		}
	}
}

// personID returns the identifier of a person with a name.
func personID(name string) string { return fakeprovider.ID("", "Microsoft.Crm/persons", name) }

// outputs creates a person with outputs, whose resource exists.
func (w *world) outputs(asked map[string]any) {
	w.Helper()
	w.cloud.Put(ada, fakeprovider.Resource{Type: "Microsoft.Crm/persons", Body: []byte(`{"id":"` + ada + `","properties":{"hostName":"h"}}`)})
	spec := person()
	spec["outputs"] = asked
	w.object("Person", "ada", spec, annotation.ReconcilePolicy, "observe")
	w.pass("Person", "ada")
}

// severity fails the test unless the object has one condition and lacks the other.
func (w *world) severity(has, lacks string) {
	w.Helper()
	if w.condition("Person", "ada", has).Status != metav1.ConditionTrue || w.condition("Person", "ada", lacks).Status == metav1.ConditionTrue {
		w.Errorf("the object is not %s, or %s: %+v", has, lacks, conditionsOf(w, w.get("Person", "ada")))
	}
}

// statusText returns a text of the status of ada.
func statusText(w *world, member string) string {
	status, _ := w.get("Person", "ada").Object["status"].(map[string]any)
	text, _ := status[member].(string)
	return text
}
