package chaos_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stratakube/strata/tools/armsim"
	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/e2e/fixtures"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// trials are objects that each try one rule of the operator. In each round there are
//
//   - refused-N, whose calls the external API often refuses with 4xx; it is edited in the next
//     round, and every other one is deleted in the round after that;
//   - twin-N in two namespaces, which mean the same resource, with the same or with other
//     credentials;
//   - returns-N, a property of which the external API sets to its own value in each PUT;
//   - declares-N, which is applied in a newer version than in the next round, and gets a value that
//     the older version does not have;
//   - outputs-N, which has two outputs in a Secret, and one of them from the next round on;
//   - cut-N-a and cut-N-b, half of whose PUTs take effect without an answer.
type trials struct {
	*strangers

	mu      sync.Mutex
	claimed map[string][]claim       // by name: when refused-N was Ready, and for which value
	puts    map[string][]armsim.Call // by the last part of the path: all PUTs of the operator

	ended map[int]bool // rounds whose refused-N is deleted
}

// claim is a value in the spec for which an object was Ready at a time.
type claim struct {
	at    time.Time
	value string
}

const (
	refused   = "refused-"
	twin      = "twin-"
	returning = "returns-"
	declaring = "declares-"
	giving    = "outputs-"
	cut       = "cut-"
	twins     = "twins" // a namespace without credentials
	newest    = "v20190909"
	others    = "2019-09-09" // the external version of newest
)

var secretsOf = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}

// comeTrials makes the namespace of the twins.
func (t *strangers) comeTrials() {
	t.Helper()
	t.trials = &trials{
		strangers: t, claimed: map[string][]claim{}, puts: map[string][]armsim.Call{}, ended: map[int]bool{},
	}
	t.namespace(twins)
}

// refusals are the faults of calls for refused-N and for resources that are contended, while the
// whole external API misbehaves.
func refusals() (all []armsim.Fault) {
	for _, status := range refusing {
		all = append(all, armsim.Fault{Mode: armsim.Refuse, Status: status, Probability: 0.05, Methods: []string{http.MethodPut}, Path: "*/" + contending + "*"})
	}
	return append(all,
		armsim.Fault{Mode: armsim.Refuse, Status: http.StatusForbidden, Probability: 0.1, Methods: []string{http.MethodGet}, Path: "*/" + refused + "*"},
		armsim.Fault{Mode: armsim.Refuse, Status: http.StatusConflict, Probability: 0.2, Methods: []string{http.MethodDelete}, Path: "*/" + refused + "*"},
		armsim.Fault{Mode: armsim.Refuse, Status: http.StatusForbidden, Probability: 0.2, Methods: []string{http.MethodDelete}, Path: "*/" + refused + "*"})
}

var refusing = []int{http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity}

// standing are the faults that remain when the rest of the external API behaves again. Throttled
// operators make most calls only then. Each refusal has a budget, so that all objects get Ready.
func standing() []armsim.Fault {
	all := []armsim.Fault{{
		Mode: armsim.Override, Probability: 1, Path: "*/" + returning + "*", Values: map[string]any{"properties": map[string]any{"knownAs": "Service"}},
	}}
	for _, status := range refusing {
		all = append(all,
			armsim.Fault{Mode: armsim.Refuse, Status: status, Probability: 0.2, Budget: rounds(), Methods: []string{http.MethodPut}, Path: "*/" + refused + "*"},
			armsim.Fault{Mode: armsim.Refuse, Status: status, Probability: 0.2, Budget: rounds(), Methods: []string{http.MethodPut}, Path: "*/" + door + "*"})
	}
	return append(all,
		armsim.Fault{Mode: armsim.TimeoutAfterCommit, Probability: 0.5, Methods: []string{http.MethodPut}, Path: "*/" + cut + "*", Delay: second},
		armsim.Fault{Mode: armsim.Slow, Probability: 0.7, Methods: []string{http.MethodGet}, Path: "*/pair-*", Delay: second}) // so that both objects look before one has a claim
}

// faults has the external API misbehave by some rules beside the standing ones.
func (s *storm) faults(seed uint64, rules ...armsim.Fault) {
	s.Helper()
	if err := s.Simulator.SetFaults(armsim.Faults{Seed: seed, Rules: append(standing(), rules...)}); err != nil {
		s.Fatal(err)
	}
}

// round makes the trials of a round, and changes those of the rounds before.
func (t *trials) round(n int) {
	t.Helper()
	t.person(home, fmt.Sprint(refused, n), fmt.Sprint(refused, n), false)
	spaces := []string{home, []string{twins, tenantB}[n%2]}
	t.random.Shuffle(len(spaces), func(i, j int) { spaces[i], spaces[j] = spaces[j], spaces[i] })
	for _, namespace := range spaces {
		t.person(namespace, fmt.Sprint(twin, n), fmt.Sprint(twin, n), false)
	}
	name := fmt.Sprint(returning, n)
	t.object(people, "Person", home, name, map[string]any{
		"azureName": name, "properties": map[string]any{"legalName": "Mary Jackson", "familyName": "Jackson", "knownAs": "Mary"},
	}, false)
	for _, one := range []string{"a", "b"} {
		t.person(home, fmt.Sprint(cut, n, "-", one), fmt.Sprint(cut, n, "-", one), false)
	}
	t.declares(n, newest)
	t.merges(newest, fmt.Sprint(declaring, n), `{"spec":{"properties":{"mailingAddress":{"city":"London"}}}}`)
	t.gives(n, "first", "second")
	if n > 0 {
		t.merges(written, fmt.Sprint(refused, n-1), fmt.Sprintf(`{"spec":{"properties":{"legalName":%q}}}`, edited(n-1)))
		t.declares(n-1, written)
		t.gives(n-1, "first")
	}
	if n > 1 && isEven(n-2) {
		t.ends(n - 2)
	}
}

func isEven(n int) bool { return n%2 == 0 }

func edited(n int) string { return fmt.Sprint("Mary Winston ", n) }

func (t *trials) ends(n int) {
	t.Helper()
	t.ended[n] = true
	t.deletes(people, fmt.Sprint(refused, n))
}

// declares applies declares-N in a version, by server-side apply.
func (t *trials) declares(n int, version string) {
	t.Helper()
	name := fmt.Sprint(declaring, n)
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": fixtures.Group + "/" + version, "kind": "Person", "metadata": map[string]any{"name": name, "namespace": home},
		"spec": map[string]any{"azureName": name, "properties": map[string]any{"legalName": "Mary Jackson", "familyName": "Jackson"}},
	}}
	err := fixtures.Insist(t.Context(), func() error {
		_, err := t.client.Resource(in(version)).Namespace(home).Apply(t.Context(), name, object, metav1.ApplyOptions{FieldManager: "author", Force: true})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func in(version string) schema.GroupVersionResource {
	of := people
	of.Version = version
	return of
}

func (t *trials) merges(version, name, patch string) {
	t.Helper()
	t.patches(version, name, types.MergePatchType, patch)
}

func (t *trials) patches(version, name string, kind types.PatchType, patch string) {
	t.Helper()
	err := fixtures.Insist(t.Context(), func() error {
		_, err := t.client.Resource(in(version)).Namespace(home).Patch(t.Context(), name, kind, []byte(patch), metav1.PatchOptions{})
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// gives makes outputs-N, or has it give some outputs only.
func (t *trials) gives(n int, keys ...string) {
	t.Helper()
	name := fmt.Sprint(giving, n)
	var secrets []any
	for _, key := range keys {
		secrets = append(secrets, map[string]any{"name": name, "key": key, "from": fmt.Sprintf("listKeys().keys[%d].value", map[string]int{"first": 0, "second": 1}[key])})
	}
	outputs := map[string]any{"secrets": secrets, "configMaps": []any{map[string]any{"name": name, "key": "id", "from": "id"}}}
	if len(keys) > 1 {
		t.object(people, "Person", home, name, map[string]any{
			"azureName": name, "properties": map[string]any{"legalName": "Mary Jackson", "familyName": "Jackson"}, "outputs": outputs,
		}, false)
		return
	}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"outputs": outputs}})
	if err != nil {
		t.Fatal(err)
	}
	t.merges(written, name, string(patch))
}

// sees remembers for which value refused-N is Ready.
func (t *trials) sees(u *unstructured.Unstructured) {
	if !strings.HasPrefix(u.GetName(), refused) {
		return
	}
	for _, c := range conditionsOf(u) {
		if c["type"] == "Ready" && c["status"] == "True" && c["observedGeneration"] == u.GetGeneration() {
			value, _, _ := unstructured.NestedString(u.Object, "spec", "properties", "legalName")
			t.mu.Lock()
			t.claimed[u.GetName()] = append(t.claimed[u.GetName()], claim{time.Now(), value})
			t.mu.Unlock()
		}
	}
}

func conditionsOf(u *unstructured.Unstructured) (all []map[string]any) {
	list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, one := range list {
		if c, is := one.(map[string]any); is {
			all = append(all, c)
		}
	}
	return all
}

// reads remembers a PUT of the operator.
func (t *trials) reads(c armsim.Call) {
	if c.Method != http.MethodPut || c.Headers[requestID] == stormsID || !strings.HasPrefix(c.Path, env.Parent+"/") {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.puts[last(c.Path)] = append(t.puts[last(c.Path)], c)
}

// calm waits until each object has its expected state, and then until the operator has looked at
// all of them. It must not change them, nor list keys, meanwhile.
func (t *trials) calm() {
	t.Helper()
	n := rounds() - 1
	t.merges(written, fmt.Sprint(refused, n), fmt.Sprintf(`{"spec":{"properties":{"legalName":%q}}}`, edited(n)))
	t.declares(n, written)
	t.gives(n, "first")
	for n := range rounds() {
		if isEven(n) && !t.ended[n] {
			t.ends(n)
		}
	}
	for n := range rounds() {
		t.comesTo(people, home, fmt.Sprint(refused, n), map[bool]string{true: "", false: "True"}[isEven(n)])
		t.isEdited(n)
		t.isLeftAlone(n)
		t.isDeclared(n)
		t.hasGiven(n)
		for _, one := range []string{"a", "b"} {
			t.comesTo(people, home, fmt.Sprint(cut, n, "-", one), "True")
		}
	}
	t.isQuiet()
	t.truth.reads()
	t.mu.Lock()
	claimed, puts := maps.Clone(t.claimed), maps.Clone(t.puts)
	t.mu.Unlock()
	t.areTrue(claimed, puts)
	t.areNotRepeated(puts)
	t.areNotContested(puts)
	t.happened["calls that the external API refused"] = t.stats().Faults[string(armsim.Refuse)]
	if t.happened["calls that the external API refused"] == 0 {
		t.Error("no call was refused")
	}
	for n := range rounds() {
		t.twinsMatch(n)
	}
}

// isEdited waits until a resource that is not deleted has the last value.
func (t *trials) isEdited(n int) {
	t.Helper()
	if isEven(n) {
		return
	}
	shared.Eventually(t.T, *patience, fmt.Sprint(refused, n), func() error {
		t.mends()
		r, err := t.resource(fmt.Sprint(refused, n))
		if err == nil && (!strings.Contains(string(r.Body), edited(n)) || r.Creates != 1) {
			err = fmt.Errorf("it was created %d times, and is %s", r.Creates, r.Body)
		}
		return err
	})
}

// resource returns a person below the parent that the operators are configured with.
func (t *strangers) resource(name string) (armsim.Resource, error) {
	all, err := t.Simulator.Resources()
	if err != nil {
		return armsim.Resource{}, err
	}
	at := slices.IndexFunc(all, func(r armsim.Resource) bool { return strings.EqualFold(r.ID, env.Parent+persons+name) })
	if at < 0 {
		return armsim.Resource{}, fmt.Errorf("%s is not in the external API", name)
	}
	return all[at], nil
}

func (t *trials) get(version, name string) (*unstructured.Unstructured, error) {
	return t.client.Resource(in(version)).Namespace(home).Get(t.Context(), name, metav1.GetOptions{})
}

// condition returns a condition of an object; nil if it has none.
func (t *trials) condition(name, kind string) (map[string]any, error) {
	object, err := t.get(written, name)
	if err != nil {
		return nil, err
	}
	for _, c := range conditionsOf(object) {
		if c["type"] == kind {
			return c, nil
		}
	}
	return nil, nil
}

// isLeftAlone waits until returns-N is Ready, and reports the difference that always returns. If
// the operator did not learn the answer to its create, nothing proves whose the resource is, since
// it differs from what was sent: then the user adopts it.
func (t *trials) isLeftAlone(n int) {
	t.Helper()
	name := fmt.Sprint(returning, n)
	if t.comesTo(people, home, name, "True", "Exists") == "Exists" {
		t.isUnanswered(name)
		t.merges(written, name, `{"metadata":{"annotations":{"strata.dev/adopt":"true"}}}`)
		t.happened["resources that the user adopted, since the answer to their create was lost"]++
	}
	t.comesTo(people, home, name, "True")
	shared.Eventually(t.T, *patience, name, func() error {
		c, err := t.condition(name, "Drifted")
		if err == nil && (c["status"] != "True" || c["reason"] != "NotAccepted" || !strings.Contains(fmt.Sprint(c["message"]), "properties.knownAs")) {
			err = fmt.Errorf("Drifted is %v", c)
		}
		return err
	})
}

// isUnanswered fails the test unless the operator may not know the answer to its create.
func (t *trials) isUnanswered(name string) {
	t.Helper()
	t.truth.reads()
	t.mu.Lock()
	puts := slices.Clone(t.puts[name])
	t.mu.Unlock()
	at := slices.IndexFunc(puts, func(c armsim.Call) bool { return c.Committed })
	switch {
	case at < 0:
		t.Errorf("%s was never created, and exists", name)
	case puts[at].Status != 0 && !t.wasDisturbed(puts[at].Time, puts[at].Time.Add(soon)):
		t.Errorf("%s exists, and the operator knew the answer to its create: %+v", name, puts[at])
	}
}

// isDeclared waits until declares-N reports why it is not sent in the version of its last
// declaration. Its resource has all values until the command of the condition has run, and the
// object is applied again.
func (t *trials) isDeclared(n int) {
	t.Helper()
	name := fmt.Sprint(declaring, n)
	var command string
	shared.Eventually(t.T, *patience, name, func() error {
		t.mends()
		c, err := t.condition(name, "DeclaredVersionUsed")
		if command = fmt.Sprint(c["message"]); err == nil && (c["status"] != "False" || !strings.Contains(command, "properties.mailingAddress")) {
			err = fmt.Errorf("DeclaredVersionUsed is %v", c)
		}
		return err
	})
	t.comesTo(people, home, name, "True")
	if r, err := t.resource(name); err != nil || r.APIVersion != others || !strings.Contains(string(r.Body), "London") {
		t.Errorf("%s is in version %s: %s (%v)", name, r.APIVersion, r.Body, err)
	}
	_, patch, is := strings.Cut(command, "--patch='")
	if !is {
		t.Errorf("%s: there is no command: %s", name, command)
		return
	}
	t.patches(newest, name, types.JSONPatchType, strings.TrimSuffix(patch, "'"))
	t.declares(n, written)
	shared.Eventually(t.T, *patience, name, func() error {
		t.mends()
		c, err := t.condition(name, "DeclaredVersionUsed")
		if err == nil && c != nil {
			err = fmt.Errorf("DeclaredVersionUsed is %v", c)
		}
		if err != nil {
			return err
		}
		r, err := t.resource(name)
		if err == nil && (r.APIVersion != external || strings.Contains(string(r.Body), "London") || r.Creates != 1) {
			err = fmt.Errorf("it was created %d times, and is in version %s: %s", r.Creates, r.APIVersion, r.Body)
		}
		return err
	})
	t.comesTo(people, home, name, "True")
	t.happened["objects that were declared in an older version"]++
}

// hasGiven waits until the Secret of outputs-N has the one value that is still an output.
func (t *trials) hasGiven(n int) {
	t.Helper()
	name := fmt.Sprint(giving, n)
	t.comesTo(people, home, name, "True")
	want := t.key(name)
	shared.Eventually(t.T, *patience, name, func() error {
		t.mends()
		secret, err := t.client.Resource(secretsOf).Namespace(home).Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		data, _, _ := unstructured.NestedStringMap(secret.Object, "data")
		if first, err := base64.StdEncoding.DecodeString(data["first"]); err != nil || len(data) != 1 || string(first) != want {
			return fmt.Errorf("the Secret has %v (%v)", data, err)
		}
		configMap, err := t.client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace(home).Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if id, _, _ := unstructured.NestedString(configMap.Object, "data", "id"); !strings.EqualFold(id, env.Parent+persons+name) {
			return fmt.Errorf("the ConfigMap has %q", id)
		}
		return nil
	})
}

// key returns the first key of a resource, as the external API lists it.
func (t *trials) key(name string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, t.Simulator.URL+env.Parent+persons+name+"/listKeys?api-version="+external, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set(requestID, stormsID)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var found struct{ Keys []struct{ Value string } }
	if err := json.Unmarshal(text, &found); err != nil || len(found.Keys) == 0 {
		t.Fatalf("%s has no keys: %s (%v)", name, text, err)
	}
	return found.Keys[0].Value
}

// isQuiet fails the test if the operator changes the trials, or lists keys, within the time in
// which it looks at all of them.
func (t *trials) isQuiet() {
	t.Helper()
	before := uint64(0)
	for _, c := range t.Simulator.Calls() {
		before = max(before, c.Sequence)
	}
	looked := map[string]bool{}
	time.Sleep(resync + 5*time.Second)
	for _, c := range t.Simulator.Calls() {
		name := last(strings.TrimSuffix(c.Path, "/listKeys"))
		if c.Sequence <= before || c.Headers[requestID] == stormsID || !isTried(name) {
			continue
		}
		if looked[name] = true; c.Method != http.MethodGet {
			t.Errorf("%s %s at rest: status %d", c.Method, c.Path, c.Status)
		}
	}
	for n := range rounds() {
		if !looked[fmt.Sprint(returning, n)] {
			t.Errorf("the operator has not looked at %s%d", returning, n)
		}
	}
}

func isTried(name string) bool {
	return slices.ContainsFunc([]string{refused, returning, declaring, giving, cut}, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// twinsMatch fails the test unless one of two objects owns their resource, and the other waits for
// it. If the owner is deleted, the resource is deleted, and the other object makes it again.
func (t *trials) twinsMatch(n int) {
	t.Helper()
	name, owner, waits := fmt.Sprint(twin, n), home, []string{twins, tenantB}[n%2]
	if t.comesTo(people, owner, name, "True", "OwnedByAnother") != "True" {
		owner, waits = waits, owner
	}
	t.comesTo(people, owner, name, "True")
	t.comesTo(people, waits, name, "OwnedByAnother")
	if _, message, err := t.reason(people, waits, name); err != nil || strings.Contains(message, owner) {
		t.Errorf("%s names the namespace of the other object: %s (%v)", name, message, err)
	}
	r, err := t.resource(name)
	if err != nil || r.Creates != 1 {
		t.Errorf("%s was created %d times (%v)", name, r.Creates, err)
	}
	t.removes(people, owner, name)
	t.comesTo(people, owner, name, "")
	t.comesTo(people, waits, name, "True")
	if r, err = t.resource(name); err != nil || r.Creates != 2 {
		t.Errorf("%s was created %d times, and once for each object (%v)", name, r.Creates, err)
	}
	t.anew++
	t.removes(people, waits, name)
	t.comesTo(people, waits, name, "")
	t.happened["pairs of objects in two namespaces"]++
}

// areTrue fails the test if refused-N was Ready for a value before the external API had taken it.
func (t *trials) areTrue(claimed map[string][]claim, puts map[string][]armsim.Call) {
	t.Helper()
	for name, all := range claimed {
		for _, one := range all {
			isTaken := slices.ContainsFunc(puts[name], func(c armsim.Call) bool {
				return c.Committed && !c.Time.After(one.at) && strings.Contains(string(c.Body), one.value)
			})
			if !isTaken {
				t.Errorf("%s was Ready with %q, which the external API had not taken", name, one.value)
			}
		}
	}
	if len(claimed) < rounds()/2 {
		t.Errorf("of %d objects whose calls were refused, %d were ever Ready", rounds(), len(claimed))
	}
}

// areNotRepeated fails the test if the operator has repeated a PUT that was taken and not answered,
// though no process was disturbed and no other call was without an answer before it.
func (t *trials) areNotRepeated(puts map[string][]armsim.Call) {
	t.Helper()
	lost := 0 // calls after which the same PUT must not be made
	for name, calls := range puts {
		first := slices.IndexFunc(calls, func(c armsim.Call) bool { return c.Status == 0 })
		if !strings.HasPrefix(name, "round-") && !strings.HasPrefix(name, cut) || first < 0 || !calls[first].Committed {
			continue
		}
		if first+1 == len(calls) {
			lost++
			continue
		}
		sent, next := calls[first], calls[first+1]
		if t.wasDisturbed(sent.Time, next.Time) {
			continue
		}
		if lost++; sent.APIVersion == next.APIVersion && string(sent.Body) == string(next.Body) {
			t.Errorf("%s was put again after a call without an answer, which had been taken: %s\n%s", next.Path, next.Body, historyOf(calls))
		}
	}
	if lost == 0 && rounds() >= len(upheavals) {
		t.Error("no change was taken without an answer while no process was disturbed")
	}
	t.happened["changes that were taken without an answer, and not sent again"] = lost
}

// historyOf returns a line for each call.
func historyOf(calls []armsim.Call) string {
	var text strings.Builder
	for _, c := range calls {
		fmt.Fprintf(&text, "%s %s: status %d, committed %t, fault %q, %s\n", c.Time.Format(time.StampMilli), c.Method, c.Status, c.Committed, c.Fault, c.Body)
	}
	return text.String()
}

// areNotContested fails the test if the second object of a pair has sent a PUT after the external
// API had taken that of the first one, though no process was disturbed between the two.
func (t *trials) areNotContested(puts map[string][]armsim.Call) {
	t.Helper()
	pairs := 0
	for n := range rounds() {
		calls := puts[fmt.Sprintf("pair-%d", n)]
		first := slices.IndexFunc(calls, func(c armsim.Call) bool { return c.Committed })
		if first < 0 {
			t.Errorf("the resource of pair %d was never made", n)
			continue
		}
		pairs++
		for _, later := range calls[first+1:] {
			if string(later.Body) != string(calls[first].Body) && !t.wasDisturbed(calls[first].Time, later.Time) {
				t.Errorf("two objects have sent %s: %s, and then %s", later.Path, calls[first].Body, later.Body)
			}
		}
	}
	t.happened["pairs of objects with other values, one of which was sent"] = pairs
}

// wasDisturbed reports whether something was done to processes within a while.
func (t *trials) wasDisturbed(from, to time.Time) bool {
	t.truth.mu.Lock()
	defer t.truth.mu.Unlock()
	return slices.ContainsFunc(t.truth.disturbed, func(d window) bool { return from.Before(d.to) && to.After(d.from) })
}

// areDone fails the test if a resource of the trials was created twice, or is left. It returns the
// resources that are none of these.
func (t *trials) areDone(resources []armsim.Resource) (rest []armsim.Resource) {
	t.Helper()
	for _, r := range resources {
		name := last(r.ID)
		_, isForeign := t.foreign[r.ID]
		switch {
		case isForeign || !strings.HasPrefix(r.ID, env.Parent+"/"):
			rest = append(rest, r)
		case strings.HasPrefix(name, twin):
			t.orphaned++
			t.Errorf("%s is left in the external API, and no object has it", r.ID)
		case isTried(name):
			if r.Creates != 1 {
				t.Errorf("%s was created %d times", r.ID, r.Creates)
			}
		default:
			rest = append(rest, r)
		}
	}
	return rest
}
