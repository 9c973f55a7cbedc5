package originalversion_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/stratakube/strata/tools/armsim"
	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// rivals has objects of real types that mean one resource, or a resource of another client.
type rivals struct {
	*testing.T
	*site
	operator        *env.Operator
	accounts, pools *kind
	output          string // the folder of the generated API
	plugins         string
}

const (
	batch  = "v20250601"
	theirs = "rivals" // a namespace beside the one of all tests
)

// rivalries lists what happens, in this order.
var rivalries = []struct {
	name string
	do   func(*rivals)
}{
	{"a foreign resource", (*rivals).foreign},
	{"two namespaces", (*rivals).twoNamespaces},
	{"a forged claim", (*rivals).forged},
	{"a copied object", (*rivals).copied},
	{"an object without its annotations", (*rivals).stripped},
	{"another owner", (*rivals).moved},
	{"two spellings of an owner", (*rivals).spelled},
	{"a Secret of another client", (*rivals).secret},
	{"a restart within a create", (*rivals).restarted},
	{"a parent that disappears", (*rivals).orphaned},
	{"imports", (*rivals).imported},
}

// rivals tries all of them. An operator that restarts replaces the given one.
func (s *site) rivals(t *testing.T, o *env.Operator, output, plugins string) {
	r := &rivals{T: t, site: s, operator: o, accounts: s.kind(t, "BatchAccount"), pools: s.kind(t, "BatchAccountsPool"), output: output, plugins: plugins}
	namespace := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": theirs}}}
	if _, err := s.client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}).Create(t.Context(), namespace, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, one := range rivalries {
		t.Run(one.name, func(t *testing.T) {
			r.T = t
			one.do(r)
		})
	}
}

func idOfAccount(name string) string {
	return env.Parent + "/providers/Microsoft.Batch/batchAccounts/" + name
}

func account(members ...string) map[string]any {
	spec := map[string]any{"location": "westeurope", "properties": map[string]any{}}
	for i := 0; i+1 < len(members); i += 2 {
		spec[members[i]] = members[i+1]
	}
	return spec
}

func pool(owner map[string]any, azureName string) map[string]any {
	return map[string]any{"owner": owner, "azureName": azureName, "properties": map[string]any{"vmSize": "small"}}
}

func (r *rivals) in(k *kind, namespace string) dynamic.ResourceInterface {
	return r.client.Resource(schema.GroupVersionResource{Group: k.group, Version: batch, Resource: k.plural}).Namespace(namespace)
}

func (r *rivals) makes(k *kind, namespace, name string, spec map[string]any, annotations map[string]string) {
	r.Helper()
	object := k.object(batch, name, spec)
	object.SetAnnotations(annotations)
	if _, err := r.in(k, namespace).Create(r.Context(), object, metav1.CreateOptions{FieldValidation: "Strict"}); err != nil {
		r.Fatal(err)
	}
}

// comes waits until Ready has a reason, and returns its message.
func (r *rivals) comes(k *kind, namespace, name, reason string) (message string) {
	r.Helper()
	shared.Eventually(r.T, patience, name, func() error {
		object, err := r.in(k, namespace).Get(r.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if _, message = condition(object, "Ready"); !strings.HasPrefix(message, reason+": ") {
			return fmt.Errorf("%s is %q, want %s", name, message, reason)
		}
		return nil
	})
	return message
}

// ends deletes an object, and waits until it is gone.
func (r *rivals) ends(k *kind, namespace, name string) {
	r.Helper()
	if err := r.in(k, namespace).Delete(r.Context(), name, metav1.DeleteOptions{}); err != nil {
		r.Fatal(err)
	}
	shared.Eventually(r.T, patience, name+" goes", func() error {
		object, err := r.in(k, namespace).Get(r.Context(), name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		_, message := condition(object, "Ready")
		return fmt.Errorf("%s is there: %s", name, message)
	})
}

// resource returns a resource of the external API; empty for none.
func (r *rivals) resource(id string) armsim.Resource {
	r.Helper()
	all, err := r.Simulator.Resources()
	if err != nil {
		r.Fatal(err)
	}
	if i := slices.IndexFunc(all, func(one armsim.Resource) bool { return strings.EqualFold(one.ID, id) }); i >= 0 {
		return all[i]
	}
	return armsim.Resource{}
}

// was fails the test unless a resource exists, was created once, and was put a number of times.
func (r *rivals) was(id string, puts int) {
	r.Helper()
	if is := r.resource(id); is.ID == "" || is.Creates != 1 || int(is.Puts) != puts {
		r.Errorf("%s is %q, was created %d times and put %d times, want %d", id, is.ID, is.Creates, is.Puts, puts)
	}
}

// touches makes the operator reconcile an object.
func (r *rivals) touches(k *kind, namespace, name, annotations string) {
	r.Helper()
	patch := fmt.Sprintf(`{"metadata":{"annotations":{"example.com/touched":"%d"%s}}}`, time.Now().UnixNano(), annotations)
	if _, err := r.in(k, namespace).Patch(r.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		r.Fatal(err)
	}
}

func (r *rivals) restarts(meanwhile func()) {
	r.Helper()
	if err := r.operator.Kill(); err != nil {
		r.Fatal(err)
	}
	meanwhile()
	var err error
	if r.operator, err = r.Operate(r.Context(), "--resync=5s"); err != nil {
		r.Fatal(err)
	}
}

func (r *rivals) foreign() {
	id := idOfAccount("alien")
	r.another(id, `{"location":"northeurope","properties":{}}`)
	r.makes(r.accounts, "default", "alien", account(), nil)
	r.comes(r.accounts, "default", "alien", "Exists")
	r.ends(r.accounts, "default", "alien")
	r.was(id, 1)
}

// another has another client create a resource.
func (r *rivals) another(id, body string) {
	r.Helper()
	if err := r.Simulator.Create(r.Context(), id, "2025-06-01", body); err != nil {
		r.Fatal(err)
	}
}

func (r *rivals) twoNamespaces() {
	r.makes(r.accounts, "default", "both", account(), nil)
	r.comes(r.accounts, "default", "both", "Succeeded")
	r.makes(r.accounts, theirs, "mine", account("azureName", "Both"), nil)
	if message := r.comes(r.accounts, theirs, "mine", "OwnedByAnother"); strings.Contains(message, "default") {
		r.Errorf("the message names another namespace: %s", message)
	}
	r.ends(r.accounts, theirs, "mine")
	r.was(idOfAccount("both"), 1)
	r.makes(r.accounts, theirs, "mine", account("azureName", "both"), nil)
	r.comes(r.accounts, theirs, "mine", "OwnedByAnother")
	r.ends(r.accounts, "default", "both")
	r.touches(r.accounts, theirs, "mine", "")
	r.comes(r.accounts, theirs, "mine", "Succeeded")
	r.ends(r.accounts, theirs, "mine")
	if is := r.resource(idOfAccount("both")); is.ID != "" {
		r.Errorf("%s is left", is.ID)
	}
}

func (r *rivals) forged() {
	id := idOfAccount("victim")
	r.makes(r.accounts, "default", "victim", account(), nil)
	r.comes(r.accounts, "default", "victim", "Succeeded")
	r.makes(r.accounts, theirs, "forger", account(), nil)
	r.comes(r.accounts, theirs, "forger", "Succeeded")
	object, err := r.in(r.accounts, theirs).Get(r.Context(), "forger", metav1.GetOptions{})
	if err != nil {
		r.Fatal(err)
	}
	claim := fmt.Sprintf(`{"uid":%q,"id":%q,"key":%q,"since":"1970-01-01T00:00:00Z"}`, object.GetUID(), id, strings.ToLower(id))
	r.touches(r.accounts, theirs, "forger", fmt.Sprintf(`,"strata.dev/claim":%q,"strata.dev/id":%q`, claim, id))
	r.comes(r.accounts, theirs, "forger", "PlaceChanged")
	r.touches(r.accounts, "default", "victim", "")
	r.comes(r.accounts, "default", "victim", "Succeeded")
	forgery := `{"metadata":{"annotations":{"strata.dev/place":null}},"spec":{"azureName":"victim"}}`
	if _, err := r.in(r.accounts, theirs).Patch(r.Context(), "forger", types.MergePatchType, []byte(forgery), metav1.PatchOptions{}); err != nil {
		r.Fatal(err)
	}
	r.comes(r.accounts, theirs, "forger", "OwnedByAnother")
	r.restarts(func() {})
	r.touches(r.accounts, theirs, "forger", "")
	r.comes(r.accounts, theirs, "forger", "OwnedByAnother")
	r.touches(r.accounts, "default", "victim", "")
	r.comes(r.accounts, "default", "victim", "Succeeded")
	r.ends(r.accounts, theirs, "forger")
	r.was(id, 1)
}

func (r *rivals) copied() {
	object, err := r.in(r.accounts, "default").Get(r.Context(), "victim", metav1.GetOptions{})
	if err != nil {
		r.Fatal(err)
	}
	spec, _, _ := unstructured.NestedMap(object.Object, "spec")
	spec["azureName"] = "victim"
	r.makes(r.accounts, "default", "copy", spec, object.GetAnnotations())
	if message := r.comes(r.accounts, "default", "copy", "OwnedByAnother"); !strings.Contains(message, "victim") {
		r.Errorf("the message does not name the owner: %s", message)
	}
	r.ends(r.accounts, "default", "copy")
	r.was(idOfAccount("victim"), 1)
}

// stripped has a client replace an object without its annotations, while the operator runs, and
// while it does not.
func (r *rivals) stripped() {
	strip := func() {
		r.Helper()
		shared.Eventually(r.T, patience, "the object is replaced", func() error {
			object, err := r.in(r.accounts, "default").Get(r.Context(), "victim", metav1.GetOptions{})
			if err != nil {
				return err
			}
			object.SetAnnotations(nil)
			_, err = r.in(r.accounts, "default").Update(r.Context(), object, metav1.UpdateOptions{})
			return err
		})
	}
	strip()
	r.touches(r.accounts, "default", "victim", "")
	shared.Eventually(r.T, patience, "the claim comes back", func() error {
		object, err := r.in(r.accounts, "default").Get(r.Context(), "victim", metav1.GetOptions{})
		if err == nil && object.GetAnnotations()["strata.dev/id"] == "" {
			err = fmt.Errorf("its annotations are %v", object.GetAnnotations())
		}
		return err
	})
	r.comes(r.accounts, "default", "victim", "Succeeded")
	r.restarts(strip)
	r.comes(r.accounts, "default", "victim", "Exists")
	r.was(idOfAccount("victim"), 1)
	r.touches(r.accounts, "default", "victim", `,"strata.dev/adopt":"true"`)
	r.comes(r.accounts, "default", "victim", "Succeeded")
	r.was(idOfAccount("victim"), 1)
}

func (r *rivals) moved() {
	r.makes(r.accounts, "default", "other", account(), nil)
	r.comes(r.accounts, "default", "other", "Succeeded")
	r.makes(r.pools, "default", "moved", pool(map[string]any{"name": "victim"}, "p"), nil)
	r.comes(r.pools, "default", "moved", "Succeeded")
	r.another(idOfAccount("other")+"/pools/p", `{"properties":{"vmSize":"large"}}`)
	r.merge(r.T, r.pools, batch, "moved", `{"spec":{"owner":{"name":"other"}}}`)
	r.comes(r.pools, "default", "moved", "PlaceChanged")
	r.was(idOfAccount("other")+"/pools/p", 1)
	r.merge(r.T, r.pools, batch, "moved", `{"spec":{"owner":{"name":null,"armId":"`+idOfAccount("other")+`"}}}`)
	r.ends(r.pools, "default", "moved")
	r.was(idOfAccount("other")+"/pools/p", 1)
	if is := r.resource(idOfAccount("victim") + "/pools/p"); is.ID != "" {
		r.Errorf("%s is left", is.ID)
	}
}

func (r *rivals) spelled() {
	r.makes(r.pools, "default", "first", pool(map[string]any{"name": "victim"}, "q"), nil)
	r.comes(r.pools, "default", "first", "Succeeded")
	r.makes(r.pools, "default", "second", pool(map[string]any{"armId": strings.ToUpper(idOfAccount("victim"))}, "Q"), nil)
	r.comes(r.pools, "default", "second", "OwnedByAnother")
	r.ends(r.pools, "default", "second")
	r.was(idOfAccount("victim")+"/pools/q", 1)
	r.ends(r.pools, "default", "first")
}

func (r *rivals) secret() {
	secrets := r.client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "secrets"}).Namespace("default")
	foreign := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "taken"}, "stringData": map[string]any{"primary": "of another client"},
	}}
	if _, err := secrets.Create(r.Context(), foreign, metav1.CreateOptions{}); err != nil {
		r.Fatal(err)
	}
	r.makes(r.accounts, "default", "talker", account(), map[string]string{"strata.dev/outputs": `[{"path":"listKeys().primaryKey","name":"taken","key":"primary"}]`})
	r.comes(r.accounts, "default", "talker", "SecretNotOurs")
	is, err := secrets.Get(r.Context(), "taken", metav1.GetOptions{})
	if err != nil {
		r.Fatal(err)
	}
	if value, _, _ := unstructured.NestedString(is.Object, "data", "primary"); value != "b2YgYW5vdGhlciBjbGllbnQ=" {
		r.Errorf("the Secret has %q", value)
	}
	r.ends(r.accounts, "default", "talker")
}

// restarted kills the operator while the external API works on a create: before the operator has
// received the answer, and after it has stored the operation. The next process finds the resource
// while the create runs. It waits for the end, and sends nothing again.
func (r *rivals) restarted() {
	const while = 10 * time.Minute // longer than a restart, on any machine
	rule := armsim.OperationRule{Type: "Microsoft.Batch/batchAccounts", Methods: []string{"PUT"}, Style: armsim.AsyncOperation, Duration: armsim.Duration(while)}
	if err := r.Simulator.SetOperations([]armsim.OperationRule{rule}); err != nil {
		r.Fatal(err)
	}
	unanswered := armsim.Fault{Mode: armsim.TimeoutAfterCommit, Probability: 1, Methods: []string{http.MethodPut}, Path: "*/unanswered", Budget: 1, Delay: armsim.Duration(while)}
	for _, test := range []struct {
		name   string
		faults []armsim.Fault
		hasOne bool   // whether the object has an operation when the operator ends
		then   string // the reason after the restart
	}{
		{"unanswered", []armsim.Fault{unanswered}, false, "NotProvisioned"},
		{"answered", nil, true, "Creating"},
	} {
		if err := r.Simulator.SetFaults(armsim.Faults{Rules: test.faults}); err != nil {
			r.Fatal(err)
		}
		r.makes(r.accounts, "default", test.name, account(), nil)
		shared.Eventually(r.T, patience, "the create begins", func() error {
			object, err := r.in(r.accounts, "default").Get(r.Context(), test.name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			if _, hasOne := object.GetAnnotations()["strata.dev/operation"]; hasOne != test.hasOne || len(r.puts(r.accounts, test.name)) == 0 {
				return fmt.Errorf("there are %d calls, and an operation: %t", len(r.puts(r.accounts, test.name)), hasOne)
			}
			return nil
		})
		r.restarts(func() {})
		r.comes(r.accounts, "default", test.name, test.then)
		r.ahead.Store(int64(while))
		r.comes(r.accounts, "default", test.name, "Succeeded")
		r.was(idOfAccount(test.name), 1)
		if n := len(r.puts(r.accounts, test.name)); n != 1 {
			r.Errorf("%s: there are %d calls", test.name, n)
		}
		r.ahead.Store(0)
	}
	if err := r.Simulator.SetOperations(nil); err != nil {
		r.Fatal(err)
	}
	r.ends(r.accounts, "default", "unanswered")
	r.ends(r.accounts, "default", "answered")
}

// orphaned has another client remove an account with its pool. The operator makes both again, the
// account first.
func (r *rivals) orphaned() {
	r.makes(r.pools, "default", "orphan", pool(map[string]any{"name": "other"}, "o"), nil)
	r.comes(r.pools, "default", "orphan", "Succeeded")
	request, err := http.NewRequestWithContext(r.Context(), http.MethodDelete, r.Simulator.URL+idOfAccount("other")+"?api-version=2025-06-01", http.NoBody)
	if err != nil {
		r.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		r.Fatal(err)
	}
	_ = response.Body.Close()
	for _, id := range []string{idOfAccount("other"), idOfAccount("other") + "/pools/o"} {
		if is := r.resource(id); is.ID != "" {
			r.Fatalf("%s is there after a delete: %s", id, response.Status)
		}
	}
	shared.Eventually(r.T, patience, "both are made again", func() error {
		r.touches(r.pools, "default", "orphan", "")
		r.touches(r.accounts, "default", "other", "")
		time.Sleep(time.Second)
		for _, id := range []string{idOfAccount("other"), idOfAccount("other") + "/pools/o"} {
			if r.resource(id).ID == "" {
				return fmt.Errorf("%s is not there", id)
			}
		}
		return nil
	})
	r.comes(r.pools, "default", "orphan", "Succeeded")
	r.ends(r.pools, "default", "orphan")
	r.ends(r.accounts, "default", "other")
}

// imported imports an account and its pool with the command, deletes both, and finds that the
// parent waits.
func (r *rivals) imported() {
	id := idOfAccount("found")
	r.another(id, `{"location":"northeurope","properties":{"publicNetworkAccess":"Enabled"}}`)
	r.another(id+"/pools/f", `{"properties":{"vmSize":"large"}}`)
	file := filepath.Join(r.TempDir(), "imported.yaml")
	cmd := exec.CommandContext(r.Context(), filepath.Join(r.plugins, "strata-arm"), "import", "--manifest="+filepath.Join(r.output, "manifest.json"), "--namespace="+theirs, "--recursive",
		"--api-version=2025-06-01", "--output="+file, "--config", "cloud=custom", "--config", "endpoint="+r.Simulator.URL, "--config", "credentials=none", id)
	if printed, err := cmd.CombinedOutput(); err != nil {
		r.Fatalf("%v\n%s", err, printed)
	}
	applied, printed, err := r.Kubectl().Run(r.Context(), "", "apply", "-f", file, "-o", "name")
	if names := strings.Fields(applied); err != nil || len(names) != 2 {
		r.Fatalf("%v %v %s", names, err, printed)
	}
	_, name, _ := strings.Cut(strings.Fields(applied)[1], "/")
	r.comes(r.accounts, theirs, "found", "Succeeded")
	r.comes(r.pools, theirs, name, "Succeeded")
	r.was(id, 1)
	r.was(id+"/pools/f", 1)
	if err := r.in(r.accounts, theirs).Delete(r.Context(), "found", metav1.DeleteOptions{}); err != nil {
		r.Fatal(err)
	}
	r.comes(r.accounts, theirs, "found", "HasChildren")
	r.was(id, 1)
	r.ends(r.pools, theirs, name)
	shared.Eventually(r.T, patience, "the parent goes", func() error {
		if is := r.resource(id); is.ID != "" {
			return fmt.Errorf("%s is there", is.ID)
		}
		return nil
	})
}
