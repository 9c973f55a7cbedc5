package chaos_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/stratakube/strata/tools/armsim"
	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/e2e/fixtures"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// strangers are objects whose resources belong to other clients, or to several objects. In each
// round there are
//
//   - foreign-N, whose resource another client has made;
//   - pair-N-a and pair-N-b, which name the same resource, with other values;
//   - import-N and a note of it, which adopt existing resources; the person is deleted in the next
//     round, and waits for the note, whose owner is an identifier;
//   - tenant-a-N and tenant-b-N, in namespaces with credentials; those of the first change to
//     another tenant every other round;
//   - tenant-c-N, in a namespace whose credentials change to another subscription every other
//     round;
//   - forged-N, in the namespace of tenant-b-N, which a client annotates with a claim to the
//     resource of tenant-c-N;
//   - anew-N, which is deleted in the next round, and whose resource another client makes again as
//     soon as it is gone;
//   - vanish-N and dispute-N, whose resources another client removes and changes in the next round.
//
// Outside of the parent that the operators are configured with, resources of the same names
// belong to another client.
type strangers struct {
	*storm
	client   dynamic.Interface
	foreign  map[string]armsim.Resource // by identifier, as they were made
	changed  int                        // of those of others
	anew     int                        // creates of what the storm has removed, or has made again
	remade   chan armsim.Resource       // what another client has made anew
	makes    int                        // how many of these are awaited
	truth    *truth
	teams    *teams
	imports  *imports
	contests *contests
	trials   *trials
	doors    *doors
	mu       sync.Mutex // guards what imports count
}

const (
	home     = "strangers"
	tenantA  = "tenant-a"
	tenantB  = "tenant-b"
	tenantC  = "tenant-c"
	other    = "/subscriptions/00000000-0000-0000-0000-000000000002/resourceGroups/other"
	persons  = "/providers/Microsoft.Crm/persons/"
	written  = "v20150505"
	external = "2015-05-05"
	body     = `{"properties":{"legalName":"Mary Jackson","familyName":"Jackson"}}`
	noteBody = `{"properties":{"text":"calls on Mondays"}}`
)

var (
	people = schema.GroupVersionResource{Group: fixtures.Group, Version: written, Resource: "persons"}
	notes  = schema.GroupVersionResource{Group: fixtures.Group, Version: written, Resource: "personsnotes"}
)

// comeStrangers makes the namespaces and the resources of others, before anything goes wrong.
func (s *storm) comeStrangers() {
	s.Helper()
	config := rest.CopyConfig(s.Config)
	config.QPS, config.WarningHandler = -1, rest.NoWarnings{}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		s.Fatal(err)
	}
	t := &strangers{storm: s, client: client, foreign: map[string]armsim.Resource{}, remade: make(chan armsim.Resource, rounds())}
	s.strangers = t
	for _, name := range []string{home, tenantA, tenantB, tenantC} {
		t.namespace(name)
	}
	t.credentials(tenantA, "a")
	t.credentials(tenantB, "b")
	t.subscription(1)
	for round := range rounds() {
		t.puts(env.Parent+persons+fmt.Sprintf("foreign-%d", round), body)
		imported := env.Parent + persons + fmt.Sprintf("import-%d", round)
		t.puts(imported, body)
		t.puts(imported+"/notes/n", noteBody)
		for _, name := range []string{"foreign-%d", "pair-%d", "tenant-a-%d", "tenant-b-%d", "tenant-c-%d", "tenant-d-%d", "contend-%d", "refused-%d", "twin-%d", "vanish-%d", "round-%d-0", "round-%d-3"} {
			t.puts(other+persons+fmt.Sprintf(name, round), body)
		}
	}
	t.comeTeams()
	t.comeImports()
	t.comeContests()
	t.comeTrials()
	t.doors = &doors{strangers: t, codes: map[string][]string{}}
	resources, err := s.Simulator.Resources()
	if err != nil {
		s.Fatal(err)
	}
	for _, r := range resources {
		if !strings.Contains(r.ID, "/import-") && !strings.Contains(r.ID, "/"+brought) { // which are adopted
			t.foreign[r.ID] = r
		}
	}
}

// puts creates a resource behind the operators' backs.
func (t *strangers) puts(id, body string) {
	t.Helper()
	if err := t.Simulator.Create(t.Context(), id, external, body); err != nil {
		t.Fatal(err)
	}
}

func (t *strangers) create(of schema.GroupVersionResource, namespace string, object map[string]any) {
	t.Helper()
	err := fixtures.Insist(t.Context(), func() error {
		_, err := t.client.Resource(of).Namespace(namespace).Create(t.Context(), &unstructured.Unstructured{Object: object}, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			return nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (t *strangers) person(namespace, name, azureName string, adopt bool) {
	t.Helper()
	t.object(people, "Person", namespace, name, map[string]any{
		"azureName": azureName, "properties": map[string]any{"legalName": "Mary Jackson", "familyName": "Jackson"},
	}, adopt)
}

func (t *strangers) object(of schema.GroupVersionResource, kind, namespace, name string, spec map[string]any, adopt bool) {
	t.Helper()
	metadata := map[string]any{"name": name}
	if adopt {
		metadata["annotations"] = map[string]any{"strata.dev/adopt": "true"}
	}
	t.create(of, namespace, map[string]any{"apiVersion": of.GroupVersion().String(), "kind": kind, "metadata": metadata, "spec": spec})
}

// credentials makes those of a namespace be of a tenant.
func (t *strangers) credentials(namespace, tenant string) {
	t.Helper()
	t.secret(namespace, map[string]any{"AZURE_ACCESS_TOKEN": "token-of-" + tenant, "AZURE_TENANT_ID": tenant})
}

// subscription makes the credentials of a tenant name a subscription, with another token each time.
func (t *strangers) subscription(n int) {
	t.Helper()
	t.secret(tenantC, map[string]any{
		"AZURE_ACCESS_TOKEN": fmt.Sprint("token-", t.random.Uint64()), "AZURE_TENANT_ID": "c",
		"AZURE_SUBSCRIPTION_ID": fmt.Sprintf("00000000-0000-0000-0000-%012d", n),
	})
}

func (t *strangers) secret(namespace string, values map[string]any) {
	t.Helper()
	secrets := t.client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "secrets"}).Namespace(namespace)
	object := map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "strata-credentials"},
		"stringData": values,
	}
	err := fixtures.Insist(t.Context(), func() error {
		_, err := secrets.Apply(t.Context(), "strata-credentials", &unstructured.Unstructured{Object: object}, metav1.ApplyOptions{FieldManager: "storm", Force: true})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// round makes the strangers of a round.
func (t *strangers) round(n int) {
	t.Helper()
	t.credentials(tenantA, []string{"a", "b"}[n%2])
	t.subscription(1 + n%2)
	t.truth.round(n)
	t.teams.round(n)
	t.imports.round(n)
	t.contests.round(n)
	t.trials.round(n)
	t.doors.round(n)
	t.person(home, fmt.Sprintf("foreign-%d", n), fmt.Sprintf("foreign-%d", n), false)
	for _, one := range []string{"a", "b"} {
		t.object(people, "Person", home, fmt.Sprintf("pair-%d-%s", n, one), map[string]any{
			"azureName": fmt.Sprintf("pair-%d", n), "properties": map[string]any{"legalName": "Mary Jackson " + one, "familyName": "Jackson"},
		}, false)
	}
	t.person(home, fmt.Sprintf("import-%d", n), fmt.Sprintf("import-%d", n), true)
	t.object(notes, "PersonsNote", home, fmt.Sprintf("import-%d-n", n), map[string]any{
		"azureName": "n", "owner": map[string]any{"armId": env.Parent + persons + fmt.Sprintf("Import-%d", n)}, "properties": map[string]any{"text": "calls on Mondays"},
	}, true)
	t.forges(n)
	t.person(home, fmt.Sprintf("anew-%d", n), fmt.Sprintf("anew-%d", n), false)
	t.makesAnew(n - 1)
	for _, namespace := range []string{tenantA, tenantB, tenantC} {
		t.person(namespace, fmt.Sprintf("%s-%d", namespace, n), fmt.Sprintf("%s-%d", namespace, n), false)
	}
	// A person that is not adopted would be left alone, and a note that is not adopted would wait
	// for its owner.
	if name := fmt.Sprintf("import-%d", n-1); n > 0 && t.isReady(people, name) && t.isReady(notes, name+"-n") {
		t.deletes(people, name)
	}
}

// forges has an object, older than that of tenant c, claim its resource. It only looks, since its
// spec means another one.
func (t *strangers) forges(n int) {
	t.Helper()
	name, id := fmt.Sprintf("forged-%d", n), env.Parent+persons+fmt.Sprintf("tenant-c-%d", n)
	t.create(people, tenantB, map[string]any{
		"apiVersion": people.GroupVersion().String(), "kind": "Person",
		"metadata": map[string]any{"name": name, "annotations": map[string]any{"strata.dev/reconcile-policy": "observe"}},
		"spec":     map[string]any{"azureName": name, "properties": map[string]any{"legalName": "Mary Jackson", "familyName": "Jackson"}},
	})
	err := fixtures.Insist(t.Context(), func() error {
		object, err := t.client.Resource(people).Namespace(tenantB).Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		claim := fmt.Sprintf(`{"uid":%q,"id":%q,"key":%q,"scope":{"tenant":"c"},"since":"1970-01-01T00:00:00Z"}`, object.GetUID(), id, strings.ToLower(id))
		patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{
			"strata.dev/claim": claim, "strata.dev/id": id,
		}}})
		if err != nil {
			return err
		}
		_, err = t.client.Resource(people).Namespace(tenantB).Patch(t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.happened["claims that were forged"]++
}

// makesAnew deletes an object that is Ready, and has another client make its resource anew.
func (t *strangers) makesAnew(n int) {
	t.Helper()
	name := fmt.Sprintf("anew-%d", n)
	if n < 0 || !t.isReady(people, name) {
		return
	}
	t.makes++
	t.happened["resources that another client made anew"]++
	t.deletes(people, name)
	go func() { t.remade <- t.insistsOnCreate(name) }()
}

// insistsOnCreate calls until the external API has made a resource, and returns it as it is when
// that is done. It waits for more than the longest pause between two calls that delete the resource
// before, which is five minutes.
func (t *strangers) insistsOnCreate(name string) armsim.Resource {
	id, answers := env.Parent+persons+name, map[int]int{}
	began, reported := time.Now(), time.Now()
	for time.Since(began) < 15*time.Minute && t.Context().Err() == nil {
		status := t.creates(id)
		answers[status]++
		if status == noAnswer || status < 300 || status == http.StatusPreconditionFailed { // the answer to one that was made may be lost
			if made, is := t.isMade(id, "Easley"); is {
				return made
			}
		}
		if time.Since(reported) > time.Minute {
			reported = time.Now()
			t.Logf("%s is not made anew after %.0f s: answers by status %v, the last %d; %s", name, time.Since(began).Seconds(), answers, status, t.situation(name, id))
		}
		time.Sleep(20 * time.Millisecond)
	}
	return armsim.Resource{}
}

// noAnswer is the status of a call that has none.
const noAnswer = 0

// creates calls the external API as another client, to make a resource that must not exist. It
// returns the status of the answer.
func (t *strangers) creates(id string) int {
	const mine = `{"properties":{"legalName":"Annie Easley","familyName":"Easley"}}`
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, t.Simulator.URL+id+"?api-version="+external, strings.NewReader(mine))
	if err != nil {
		return noAnswer
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("If-None-Match", "*")
	request.Header.Set(requestID, stormsID)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return noAnswer
	}
	_ = response.Body.Close()
	return response.StatusCode
}

// situation describes an object in the cluster, and its resource in the external API.
func (t *strangers) situation(name, id string) string {
	text := "the object is gone"
	object, err := t.client.Resource(people).Namespace(home).Get(t.Context(), name, metav1.GetOptions{})
	switch {
	case err == nil:
		conditions, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
		text = fmt.Sprintf("the object is deleted since %v and has annotations %v, conditions %v", object.GetDeletionTimestamp(), object.GetAnnotations(), conditions)
	case !apierrors.IsNotFound(err):
		text = err.Error()
	}
	resources, err := t.Simulator.Resources()
	at := slices.IndexFunc(resources, func(r armsim.Resource) bool { return strings.EqualFold(r.ID, id) })
	if at < 0 {
		return fmt.Sprintf("%s; the resource is not there (%v)", text, err)
	}
	r := resources[at]
	return fmt.Sprintf("%s; the resource is %s with operation %q, %d creates, %s", text, r.State, r.Operation, r.Creates, compact(r.Body))
}

// isMade awaits the end of a create, and returns the resource if it has a text.
func (t *strangers) isMade(id, text string) (armsim.Resource, bool) {
	for t.Context().Err() == nil {
		resources, err := t.Simulator.Resources()
		at := slices.IndexFunc(resources, func(r armsim.Resource) bool { return strings.EqualFold(r.ID, id) })
		if err != nil || at < 0 || !bytes.Contains(resources[at].Body, []byte(text)) {
			break
		}
		if resources[at].Operation == "" {
			return resources[at], true
		}
		time.Sleep(50 * time.Millisecond)
	}
	return armsim.Resource{}, false
}

// awaitsRemade waits until the remaining resources are made again, and records them as another
// client's.
func (t *strangers) awaitsRemade() {
	t.Helper()
	for n := range rounds() {
		if t.comesTo(people, home, fmt.Sprintf("anew-%d", n), "True", "") == "True" {
			t.makesAnew(n)
		}
	}
	for range t.makes {
		r := <-t.remade
		if r.ID == "" {
			t.Error("a resource was never made anew")
			continue
		}
		t.foreign[r.ID] = r
		t.anew += r.Creates - 1
	}
}

func (t *strangers) isReady(of schema.GroupVersionResource, name string) bool {
	reason, _, err := t.reason(of, home, name)
	return err == nil && reason == "True"
}

func (t *strangers) deletes(of schema.GroupVersionResource, name string) {
	t.Helper()
	err := fixtures.Insist(t.Context(), func() error {
		return t.client.Resource(of).Namespace(home).Delete(t.Context(), name, metav1.DeleteOptions{})
	})
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
}

// reason is the reason of Ready of an object; empty for one that is gone, True for one that is
// ready.
func (t *strangers) reason(of schema.GroupVersionResource, namespace, name string) (reason, message string, err error) {
	object, err := t.client.Resource(of).Namespace(namespace).Get(t.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return "", "", nil
	}
	if err != nil {
		return "", "", err
	}
	all, _, _ := unstructured.NestedSlice(object.Object, "status", "conditions")
	for _, one := range all {
		if c, _ := one.(map[string]any); c["type"] == "Ready" {
			if c["status"] == "True" {
				return "True", "", nil
			}
			return fmt.Sprint(c["reason"]), fmt.Sprint(c["message"]), nil
		}
	}
	return "nothing", "", nil
}

// patience is how long the storm waits for an object. A deleted object stays for five minutes
// after a call of unknown outcome.
var patience = flag.Duration("patience", 7*time.Minute, "how long the storm waits for an object")

// comesTo waits until an object has one of some reasons.
func (t *strangers) comesTo(of schema.GroupVersionResource, namespace, name string, want ...string) string {
	t.Helper()
	last := ""
	shared.Eventually(t.T, *patience, name, func() error {
		t.mends()
		reason, message, err := t.reason(of, namespace, name)
		for _, one := range want {
			if err == nil && reason == one {
				last = reason
				return nil
			}
		}
		return fmt.Errorf("%s is %s (%s, %v), want one of %q", name, reason, message, err, want)
	})
	return last
}

// calm waits until each object has its expected state. Then it deletes the objects in namespaces
// with credentials. Of each pair it deletes the object first that does not own the resource.
func (t *strangers) calm(moves bool) {
	t.Helper()
	t.credentials(tenantA, "a")
	t.subscription(1)
	t.truth.calm()
	t.awaitsRemade()
	if moves {
		t.moves()
	}
	for n := range rounds() {
		t.comesTo(people, home, fmt.Sprintf("foreign-%d", n), "Exists")
		a, b := fmt.Sprintf("pair-%d-a", n), fmt.Sprintf("pair-%d-b", n)
		if t.comesTo(people, home, a, "True", "OwnedByAnother") == "True" {
			a, b = b, a
		}
		t.comesTo(people, home, a, "OwnedByAnother")
		t.comesTo(people, home, b, "True")
		t.comesTo(people, tenantB, fmt.Sprintf("tenant-b-%d", n), "True")
		if t.comesTo(people, tenantA, fmt.Sprintf("tenant-a-%d", n), "True", "CredentialsChanged") == "CredentialsChanged" {
			t.happened["credentials of another tenant"]++
		}
		if t.comesTo(people, tenantC, fmt.Sprintf("tenant-c-%d", n), "True", "CredentialsChanged") == "CredentialsChanged" {
			t.happened["credentials of another subscription"]++
		}
		t.comesTo(notes, home, fmt.Sprintf("import-%d-n", n), "True")
		t.comesTo(people, home, fmt.Sprintf("import-%d", n), "True", "HasChildren")
		t.deletes(people, fmt.Sprintf("import-%d", n))
		t.comesTo(people, home, fmt.Sprintf("import-%d", n), "HasChildren")
		t.areThere(n)
		t.deletes(notes, fmt.Sprintf("import-%d-n", n))
		t.deletes(people, a)
		t.comesTo(people, home, a, "")
		t.deletes(people, b)
		t.deletes(people, fmt.Sprintf("foreign-%d", n))
	}
	for n := range rounds() {
		for _, name := range []string{"import-%d", "pair-%d-a", "pair-%d-b", "foreign-%d", "anew-%d"} {
			t.comesTo(people, home, fmt.Sprintf(name, n), "")
		}
	}
}

// areThere fails the test unless the imported resources exist unchanged.
func (t *strangers) areThere(n int) {
	t.Helper()
	resources, err := t.Simulator.Resources()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, r := range resources {
		if strings.HasSuffix(r.ID, fmt.Sprintf("/import-%d", n)) || strings.HasSuffix(r.ID, fmt.Sprintf("/import-%d/notes/n", n)) {
			found++
			if r.Puts != 1 {
				t.Errorf("%s was put %d times", r.ID, r.Puts)
			}
		}
	}
	if found != 2 {
		t.Errorf("of what was imported in round %d there are %d resources", n, found)
	}
}

// moves configures the operators with another parent, and then with the first one again.
func (t *strangers) moves() {
	t.Helper()
	t.Simulator.Parent = other
	t.restarts()
	t.comesTo(people, home, "pair-0-a", "PlaceChanged", "Exists")
	for n := range rounds() {
		t.comesTo(people, tenantB, fmt.Sprintf("tenant-b-%d", n), "PlaceChanged")
	}
	t.Simulator.Parent = env.Parent
	t.restarts()
	t.happened["another parent in the configuration"]++
}

// restarts replaces all replicas.
func (t *strangers) restarts() {
	t.Helper()
	t.truth.disturbs(func() {
		for range len(t.operators) {
			t.replaces(t.operators[0])
		}
		t.awaitLeader(nil)
	})
}

// areLeftAlone checks that other clients' resources are unchanged. It returns the resources that
// no stranger names.
func (t *strangers) areLeftAlone(resources []armsim.Resource) (rest []armsim.Resource) {
	t.Helper()
	found := map[string]bool{}
	for _, r := range resources {
		was, isForeign := t.foreign[r.ID]
		switch name := last(r.ID); {
		case isForeign:
			found[r.ID] = true
			if r.Puts != was.Puts || r.ETag != was.ETag || !bytes.Equal(compact(r.Body), compact(was.Body)) {
				t.changed++
				t.Errorf("the foreign resource %s was changed: %d puts, %s", r.ID, r.Puts, r.Body)
			}
		case strings.HasPrefix(name, vanishing):
			if t.anew += r.Creates - 1; r.Creates > 2 {
				t.Errorf("%s was created %d times, and removed once", r.ID, r.Creates)
			}
		case strings.HasPrefix(name, tenantA), strings.HasPrefix(name, tenantB), strings.HasPrefix(name, tenantC), strings.HasPrefix(name, disputed):
			if r.Creates != 1 {
				t.Errorf("%s was created %d times", r.ID, r.Creates)
			}
		default:
			rest = append(rest, r)
		}
	}
	for id := range t.foreign {
		if !found[id] {
			t.changed++
			t.Errorf("the foreign resource %s was deleted", id)
		}
	}
	return rest
}

func compact(text []byte) []byte {
	var out bytes.Buffer
	if json.Compact(&out, text) != nil {
		return text
	}
	return out.Bytes()
}
