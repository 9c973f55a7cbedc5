package chaos_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/tools/armsim"
	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/e2e/fixtures"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// doors are objects with a secret that only the configuration marks. In each round there is door-N,
// whose code comes from a Secret. In the next round, the Secret has another code. The external API
// refuses more than half of the PUTs for these resources. Observations do not compare secrets, so
// that only the stored digest shows which code the external API has taken.
type doors struct {
	*strangers
	codes map[string][]string // by name: all codes, the last of which is the present one
}

const (
	door     = "door-"
	lockers  = "/providers/Microsoft.Lockers/doors/"
	doorType = "Microsoft.Lockers/doors"
	doorSent = "2021-01-01"
)

func doorsIn(version string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "lockers.example.com", Version: version, Resource: "doors"}
}

// round makes the door of a round, and changes the code of that of the round before.
func (d *doors) round(n int) {
	d.Helper()
	name := fmt.Sprint(door, n)
	d.changesCode(name)
	d.object(doorsIn("v20210101"), "Door", home, name, map[string]any{
		"properties": map[string]any{"label": "Mary"},
		"secretRefs": []any{map[string]any{"path": "properties.code", "name": name, "key": "code"}},
	}, false)
	if n > 0 {
		d.changesCode(fmt.Sprint(door, n-1))
	}
}

// changesCode writes the Secret of a door with a new code.
func (d *doors) changesCode(name string) {
	d.Helper()
	code := fmt.Sprintf("code%016x", d.random.Uint64())
	d.codes[name] = append(d.codes[name], code)
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": name, "namespace": home}, "stringData": map[string]any{"code": code},
	}}
	err := fixtures.Insist(d.Context(), func() error {
		_, err := d.client.Resource(secretsOf).Namespace(home).Apply(d.Context(), name, object, metav1.ApplyOptions{FieldManager: "storm", Force: true})
		return err
	})
	if err != nil {
		d.Fatal(err)
	}
}

// calm changes each code once more, and waits until each resource has its last code. It fails the
// test if the operator has sent a code again without need, or shows one.
func (d *doors) calm() {
	d.Helper()
	for n := range rounds() {
		d.comesTo(doorsIn("v20210101"), home, fmt.Sprint(door, n), "True")
		d.changesCode(fmt.Sprint(door, n))
	}
	for n := range rounds() {
		name := fmt.Sprint(door, n)
		d.comesTo(doorsIn("v20210101"), home, name, "True")
		shared.Eventually(d.T, *patience, name, func() error {
			d.mends()
			return d.hasCode(name)
		})
	}
	d.truth.reads()
	d.trials.mu.Lock()
	puts := maps.Clone(d.trials.puts)
	d.trials.mu.Unlock()
	refused := 0
	for name := range d.codes {
		refused += d.areSentOnce(name, puts[name])
	}
	if refused == 0 {
		d.Error("no call with a secret was refused")
	}
	d.happened["changes of secrets"] = 2*len(d.codes) - 1
	d.happened["calls with secrets that the external API refused"] = refused
	d.areSilent()
}

// hasCode returns an error while a resource does not have the last code of its door.
func (d *doors) hasCode(name string) error {
	all, err := d.Simulator.Resources()
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all, func(r armsim.Resource) bool { return strings.EqualFold(r.ID, env.Parent+lockers+name) })
	if at < 0 {
		return fmt.Errorf("%s is not in the external API", name)
	}
	var body struct{ Properties struct{ Label, Code string } }
	err = json.Unmarshal(all[at].Body, &body)
	codes := d.codes[name]
	if err != nil || body.Properties.Code != codes[len(codes)-1] || body.Properties.Label != "Mary" || all[at].Creates != 1 || all[at].APIVersion != doorSent {
		return fmt.Errorf("it was created %d times, and is %s in version %s, want one of %q, the last (%v)", all[at].Creates, all[at].Body, all[at].APIVersion, codes, err)
	}
	return nil
}

// areSentOnce fails the test if the operator has repeated a PUT whose answer it knew, though no
// process was disturbed in between. It returns how many PUTs the external API has refused.
func (d *doors) areSentOnce(name string, calls []armsim.Call) (refused int) {
	d.Helper()
	for i, c := range calls {
		if c.Status >= 400 && c.Status < 500 {
			refused++
		}
		if i+1 == len(calls) || !c.Committed || c.Status == 0 || time.Duration(c.Took) > soon {
			continue
		}
		if next := calls[i+1]; string(next.Body) == string(c.Body) && !d.trials.wasDisturbed(c.Time, next.Time) {
			d.Errorf("%s was put again, and the answer to the call before was %d", name, c.Status)
		}
	}
	return refused
}

// areSilent fails the test if an object, an event or the log of an operator shows a code.
func (d *doors) areSilent() {
	d.Helper()
	texts := map[string]string{}
	for _, of := range []schema.GroupVersionResource{doorsIn("v20210101"), doorsIn("v20220202"), {Group: "events.k8s.io", Version: "v1", Resource: "events"}} {
		list, err := d.client.Resource(of).List(d.Context(), metav1.ListOptions{})
		if err != nil {
			d.Fatal(err)
		}
		text, err := json.Marshal(list)
		if err != nil {
			d.Fatal(err)
		}
		texts[of.String()] = string(text)
	}
	for i, o := range d.operators {
		texts[fmt.Sprint("the log of operator ", i)] = o.Output()
	}
	for _, codes := range d.codes {
		for _, code := range codes {
			for of, text := range texts {
				if strings.Contains(text, code) {
					d.Errorf("%s shows a code of a door", of)
				}
			}
		}
	}
}

// areDone fails the test if a resource of a door is not what its object says. It returns the
// resources that are no doors.
func (d *doors) areDone(resources []armsim.Resource) (rest []armsim.Resource) {
	d.Helper()
	for _, r := range resources {
		if !strings.EqualFold(r.Type, doorType) {
			rest = append(rest, r)
		} else if _, is := d.codes[last(r.ID)]; !is {
			d.orphaned++
			d.Errorf("%s is left in the external API, and no object has it", r.ID)
		}
	}
	for n := range rounds() {
		if err := d.hasCode(fmt.Sprint(door, n)); err != nil {
			d.orphaned++
			d.Error(err)
		}
	}
	return rest
}
