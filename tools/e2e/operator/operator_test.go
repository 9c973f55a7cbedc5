package operator_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stratakube/strata/operator"
	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/fakeprovider"
	v2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// external is how the external API spells a version.
func external(version string) string {
	date := version[1:5] + "-" + version[5:7] + "-" + version[7:9]
	if rest := version[9:]; rest != "" {
		date += "-" + rest
	}
	return date
}

// TestEveryVersion writes objects through every version of every kind. The external API must
// receive the written values, in the written form.
func TestEveryVersion(t *testing.T) {
	p := newSandbox(t)
	p.operate(nil)
	for _, kind := range []string{"Person", "Party", "PersonsNote"} { // owners first
		for _, version := range p.versions(kind) {
			spec, name := p.filled(t, kind, version), strings.ToLower(kind)+"-"+version
			body := p.filled(t, kind, version)
			id := fakeprovider.ID("", "Microsoft.Crm/"+map[string]string{"Person": "persons", "Party": "parties"}[kind], name)
			if kind == "PersonsNote" {
				owner := "person-" + p.versions("Person")[0]
				spec["owner"] = map[string]any{"name": owner}
				id = fakeprovider.ID(fakeprovider.ID("", "Microsoft.Crm/persons", owner), "notes", name)
			}
			p.write(kind, version, name, spec)
			p.ready(kind, name)
			r := p.cloud.Get(id)
			if r == nil {
				t.Fatalf("%s is not outside: there are %v", id, p.cloud.IDs())
			}
			var got, want any
			if err := errors.Join(json.Unmarshal(r.Body, &got), roundTrip(body, &want)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" || r.Version != external(version) {
				t.Errorf("%s in version %s (-written +sent):\n%s", name, r.Version, diff)
			}
			visible := shared.Must(t)(p.through(kind, version).Get(t.Context(), name, metav1.GetOptions{}))
			if visible.Object["status"].(map[string]any)["properties"] == nil {
				t.Errorf("the status in the version that was written is %v", visible.Object["status"])
			}
		}
	}
	p.once()
}

func roundTrip(value any, into *any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}

// TestWritesThroughOtherVersions: a label is no reason to call in another version, and a spec is;
// so is a declaration anew of the same spec, which is no new generation.
func TestWritesThroughOtherVersions(t *testing.T) {
	tier.Long(t, "writes objects of all kinds")
	p := newSandbox(t)
	p.operate(nil)
	const ada = "/Microsoft.Crm/persons/ada"
	spec := map[string]any{"properties": map[string]any{"familyName": "Lovelace", "legalName": "Augusta Ada King"}}
	p.write("Person", "v20180808", "ada", spec)
	p.ready("Person", "ada")

	p.cloud.Forget()
	p.edit("Person", "v20190909", "ada", func(u *unstructured.Unstructured) { u.SetLabels(map[string]string{"team": "blue"}) })
	time.Sleep(300 * time.Millisecond) // in which nothing may happen
	if calls := p.cloud.Calls("Apply"); len(calls) > 0 {
		t.Errorf("a label made the calls %+v", calls)
	}

	p.edit("Person", "v20190909", "ada", func(u *unstructured.Unstructured) {
		_ = unstructured.SetNestedField(u.Object, "King", "spec", "properties", "familyName")
	})
	shared.Eventually(t, crds.Patience, "the spec arrives in the version that it was written in", func() error {
		if r := p.cloud.Get(ada); r.Version != "2019-09-09" || !strings.Contains(string(r.Body), `"King"`) {
			return fmt.Errorf("outside is %s: %s", r.Version, r.Body)
		}
		return nil
	})
	p.ready("Person", "ada")

	before := p.stored("Person", "ada").GetGeneration()
	declared := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "crm.example.com/v20180808", "kind": "Person", "metadata": map[string]any{"name": "ada"},
		"spec": map[string]any{"properties": map[string]any{"familyName": "King", "legalName": "Augusta Ada King"}},
	}}
	shared.Must(t)(p.through("Person", "v20180808").Apply(t.Context(), "ada", declared, metav1.ApplyOptions{FieldManager: "people", Force: true}))
	shared.Eventually(t, crds.Patience, "a declaration anew changes the version", func() error {
		if r := p.cloud.Get(ada); r.Version != "2018-08-08" {
			return fmt.Errorf("outside is %s, and the object was written in %v", r.Version, p.stored("Person", "ada").Object["spec"])
		}
		return nil
	})
	if after := p.stored("Person", "ada").GetGeneration(); after != before {
		t.Logf("the generation went from %d to %d", before, after)
	}
	p.once()
}

// TestFamilies has children before their parents, and parents that outlive them.
func TestFamilies(t *testing.T) {
	tier.Long(t, "makes owners and children ready")
	p := newSandbox(t)
	p.operate(nil)
	p.write("PersonsNote", "v20130303", "first", map[string]any{"owner": map[string]any{"name": "ada"}, "properties": map[string]any{"text": "looms"}})
	p.awaits("PersonsNote", "first", "Reconciling", "True", "OwnerNotFound")
	person := p.write("Person", "v20190909", "ada", p.filled(t, "Person", "v20190909"))
	p.ready("PersonsNote", "first")
	note := p.stored("PersonsNote", "first")
	if owners := note.GetOwnerReferences(); len(owners) != 1 || owners[0].UID != person.GetUID() {
		t.Errorf("it belongs to %+v", owners)
	}
	p.delete("Person", "ada")
	p.awaits("Person", "ada", "Ready", "False", "HasChildren")
	if len(p.cloud.Calls("Delete")) > 0 {
		t.Error("the parent is deleted before its child")
	}
	p.delete("PersonsNote", "first")
	p.gone("PersonsNote", "first")
	p.gone("Person", "ada")
	if ids := p.cloud.IDs(); len(ids) > 0 {
		t.Errorf("outside are %v", ids)
	}
	p.once()
}

// TestPolicies is a table over the policies that users may set for existing resources.
func TestPolicies(t *testing.T) {
	tier.Long(t, "makes resources with all policies ready")
	p := newSandbox(t)
	p.operate(func(o *operator.Options) { o.Resync = 300 * time.Millisecond })
	foreign := fakeprovider.Resource{Version: "2019-09-09", Body: []byte(`{"properties":{"familyName":"Byron"}}`)}
	for _, test := range []struct {
		name, status, reason string
		notes                []string
		there                bool
		changed, deleted     bool
	}{
		{name: "made", status: "True", reason: "Succeeded", changed: true, deleted: true},
		{name: "foreign", status: "False", reason: "Exists", there: true},
		{name: "adopted", status: "True", reason: "Succeeded", notes: []string{annotation.Adopt, "true"}, there: true, changed: true, deleted: true},
		{name: "detached", status: "True", reason: "Succeeded", notes: []string{annotation.ReconcilePolicy, "detach-on-delete"}, changed: true},
		{name: "observed", status: "True", reason: "Observed", notes: []string{annotation.ReconcilePolicy, "observe"}, there: true},
		{name: "absent", status: "False", reason: "NotThere", notes: []string{annotation.ReconcilePolicy, "observe"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := *p
			p.T = t
			id := "/Microsoft.Crm/persons/" + test.name
			if test.there {
				p.cloud.Put(id, foreign)
			}
			p.write("Person", "v20190909", test.name, p.filled(t, "Person", "v20190909"), test.notes...)
			p.awaits("Person", test.name, "Ready", test.status, test.reason)
			is := func() bool { r := p.cloud.Get(id); return r != nil && strings.Contains(string(r.Body), "Lovelace") }
			if is() != test.changed {
				t.Errorf("outside is %+v", p.cloud.Get(id))
			}
			if test.changed { // and changed back, when another client changes it
				p.cloud.Put(id, foreign)
				shared.Eventually(t, crds.Patience, "drift ends", func() error {
					if !is() {
						return errNotYet
					}
					return nil
				})
			}
			if test.reason == "Observed" {
				p.awaits("Person", test.name, "Drifted", "True", "ObservedOnly")
			}
			p.delete("Person", test.name)
			p.gone("Person", test.name)
			if stays := p.cloud.Get(id) != nil; stays != (test.name != "absent" && !test.deleted) {
				t.Errorf("the resource stays: %t", stays)
			}
		})
	}
	p.once()
}

// TestSecrets writes, through the storage version, an object that reads a secret and writes one.
func TestSecrets(t *testing.T) {
	p := newSandbox(t)
	p.operate(nil)
	spec := p.filled(t, "Person", "v20190909")
	spec["secretRefs"] = []any{
		map[string]any{"path": "properties.password", "name": "in", "key": "password"},
		map[string]any{"path": "listKeys().primary", "name": "out", "key": "primary"},
	}
	p.write("Person", p.hub("Person"), "ada", spec)
	p.awaits("Person", "ada", "Ready", "False", "SecretNotFound")
	secret := func(value string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "in"}, "stringData": map[string]any{"password": value},
		}}
	}
	shared.Must(t)(p.client.Resource(secrets).Namespace(p.namespace).Create(t.Context(), secret("one-password"), metav1.CreateOptions{}))
	p.ready("Person", "ada")
	const ada = "/Microsoft.Crm/persons/ada"
	if got := p.cloud.Get(ada).Secrets["properties.password"]; got != "one-password" {
		t.Errorf("the secret outside is %q", got)
	}
	if strings.Contains(string(p.cloud.Get(ada).Body), "secretRefs") {
		t.Errorf("outside is %s", p.cloud.Get(ada).Body)
	}
	out := shared.Must(t)(p.client.Resource(secrets).Namespace(p.namespace).Get(t.Context(), "out", metav1.GetOptions{}))
	if value, _, _ := unstructured.NestedString(out.Object, "data", "primary"); value == "" || len(out.GetOwnerReferences()) != 1 {
		t.Errorf("the Secret is of %v, and its value has %d bytes", out.GetOwnerReferences(), len(value))
	}
	shared.Must(t)(p.client.Resource(secrets).Namespace(p.namespace).Update(t.Context(), secret("two-password"), metav1.UpdateOptions{}))
	shared.Eventually(t, crds.Patience, "a new secret arrives", func() error {
		if got := p.cloud.Get(ada).Secrets["properties.password"]; got != "two-password" {
			return fmt.Errorf("it is %q", got)
		}
		return nil
	})
	all, err := json.Marshal(p.stored("Person", "ada").Object)
	if err != nil || strings.Contains(string(all), "-password") {
		t.Errorf("the object shows the secret (%v)", err)
	}
	p.once()
}

// TestConfigMaps writes an object whose location comes from a ConfigMap, and whose name goes into
// one. The API server refuses an output that would put a secret into a ConfigMap.
func TestConfigMaps(t *testing.T) {
	tier.Long(t, "makes resources with ConfigMaps ready")
	p := newSandbox(t)
	p.operate(nil)
	configs := p.client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace(p.namespace)
	config := func(value string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "in"}, "data": map[string]any{"region": value},
		}}
	}
	spec := p.filled(t, "Person", "v20190909")
	delete(spec, "location")
	spec["configMapRefs"] = []any{map[string]any{"path": "location", "name": "in", "key": "region"}}
	into := func(from string) map[string]any {
		return map[string]any{"configMaps": []any{map[string]any{"name": "out", "key": "region", "from": from}}}
	}
	spec["outputs"] = into("listKeys().primary")
	bad := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "crm.example.com/v20190909", "kind": "Person", "metadata": map[string]any{"name": "bad"}, "spec": spec}}
	if _, err := p.through("Person", "v20190909").Create(t.Context(), bad, metav1.CreateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("a call into a ConfigMap gives %v", err)
	}
	spec["outputs"] = into("location")
	p.write("Person", "v20190909", "ada", spec)
	p.awaits("Person", "ada", "Ready", "False", "ConfigMapNotFound")
	shared.Must(t)(configs.Create(t.Context(), config("one"), metav1.CreateOptions{}))
	p.ready("Person", "ada")
	is := func(want string) {
		t.Helper()
		shared.Eventually(t, crds.Patience, "the location is "+want, func() error {
			out, err := configs.Get(t.Context(), "out", metav1.GetOptions{})
			if err != nil {
				return err
			}
			value, _, _ := unstructured.NestedString(out.Object, "data", "region")
			body := p.cloud.Get("/Microsoft.Crm/persons/ada").Body
			if value != want || !strings.Contains(string(body), `"location":"`+want+`"`) || len(out.GetOwnerReferences()) != 1 {
				return fmt.Errorf("the ConfigMap of %v has %q, and outside is %s", out.GetOwnerReferences(), value, body)
			}
			return nil
		})
	}
	is("one")
	shared.Must(t)(configs.Update(t.Context(), config("two"), metav1.UpdateOptions{}))
	is("two")
	if err := configs.Delete(t.Context(), "out", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	is("two") // it is made again
	old := shared.Must(t)(p.through("Person", "v20110101").Get(t.Context(), "ada", metav1.GetOptions{}))
	if from, _, _ := unstructured.NestedSlice(old.Object, "spec", "outputs", "configMaps"); len(from) != 1 {
		t.Errorf("the first version shows the outputs %v", from)
	}
	p.once()
}

// TestCredentialsAreRequired has an operator that serves several tenants, and so makes no call with
// credentials of its own.
func TestCredentialsAreRequired(t *testing.T) {
	p := newSandbox(t)
	p.cloud.Secured()
	required := true
	p.operate(func(o *operator.Options) { o.RequireCredentials = &required })
	p.write("Person", "v20190909", "ada", p.filled(t, "Person", "v20190909"))
	p.awaits("Person", "ada", "Ready", "False", "SecretNotFound")
	if calls := p.cloud.Calls(""); len(calls) > 0 {
		t.Errorf("it made the calls %+v", calls)
	}
	shared.Must(t)(p.client.Resource(secrets).Namespace(p.namespace).Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "strata-credentials"}, "stringData": map[string]any{"AZURE_TENANT_ID": "a"},
	}}, metav1.CreateOptions{}))
	p.ready("Person", "ada")
	p.once()
}

// failing passes a number of a client's writes. The next one is done or not, and returns an
// error, and so do all later ones.
type failing struct {
	client.Client
	mu      *sync.Mutex
	left    *int
	written bool
	dead    chan struct{}
}

func (f failing) write(do func() error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	crash := apierrors.NewForbidden(schema.GroupResource{}, "", errors.New("the process has ended")) // which is not tried again
	switch *f.left--; {
	case *f.left >= 0:
		return do()
	case *f.left == -1:
		if f.written {
			_ = do()
		}
		close(f.dead)
	}
	return crash
}

func (f failing) Patch(ctx context.Context, o client.Object, p client.Patch, opts ...client.PatchOption) error {
	return f.write(func() error { return f.Client.Patch(ctx, o, p, opts...) })
}

func (f failing) Status() client.SubResourceWriter { return failingStatus{f.Client.Status(), f} }

type failingStatus struct {
	client.SubResourceWriter
	failing
}

func (f failingStatus) Update(ctx context.Context, o client.Object, opts ...client.SubResourceUpdateOption) error {
	return f.write(func() error { return f.SubResourceWriter.Update(ctx, o, opts...) })
}

func (f failingStatus) Create(ctx context.Context, o, sub client.Object, opts ...client.SubResourceCreateOption) error {
	return f.SubResourceWriter.Create(ctx, o, sub, opts...)
}

func (f failingStatus) Patch(ctx context.Context, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
	return f.SubResourceWriter.Patch(ctx, o, p, opts...)
}

func (f failingStatus) Apply(ctx context.Context, c k8sruntime.ApplyConfiguration, opts ...client.SubResourceApplyOption) error {
	return f.SubResourceWriter.Apply(ctx, c, opts...)
}

// TestCrashes ends an operator at each of its writes, in the middle of making and of deleting, and
// starts another.
func TestCrashes(t *testing.T) {
	tier.Long(t, "ends and starts operators many times")
	for _, polls := range []int{0, 2} {
		for after := range 4 {
			for _, written := range []bool{false, true} {
				t.Run(fmt.Sprintf("polls %d, write %d, written %t", polls, after, written), func(t *testing.T) {
					p := newSandbox(t)
					p.cloud.Slow(polls, false)
					crash(p, after, written, func() { p.write("Person", "v20190909", "ada", p.filled(t, "Person", "v20190909")) })
					r := p.operate(nil)
					p.ready("Person", "ada")
					r.stop()
					if n := p.cloud.Creates("/Microsoft.Crm/persons/ada"); n != 1 {
						t.Errorf("it was made %d times", n)
					}
					if after > 1 {
						return
					}
					crash(p, after, written, func() { p.delete("Person", "ada") })
					p.operate(nil)
					p.gone("Person", "ada")
					if ids := p.cloud.IDs(); len(ids) > 0 {
						t.Errorf("outside are %v", ids)
					}
				})
			}
		}
	}
}

// crash runs an operator that dies at a write.
func crash(p *sandbox, after int, written bool, begin func()) {
	p.Helper()
	f := failing{mu: &sync.Mutex{}, left: &after, written: written, dead: make(chan struct{})}
	r := p.operate(func(o *operator.Options) {
		o.WrapClient = func(c client.Client) client.Client { f.Client = c; return f }
	})
	begin()
	select {
	case <-f.dead:
	case <-time.After(3 * time.Second): // it has no such write
	}
	r.stop()
}

// TestLeaders has a leader end while there is much to do, and another one go on, which writes
// nothing before.
func TestLeaders(t *testing.T) {
	tier.Long(t, "runs several operators")
	p := newSandbox(t)
	p.cloud.Slow(2, false)
	elect := func(o *operator.Options) {
		o.LeaderElection = operator.Election{On: true, Namespace: p.namespace, Lease: 30 * time.Second, Renew: 20 * time.Second, Retry: 200 * time.Millisecond}
	}
	first := p.operate(elect)
	const count = 20
	for i := range count {
		p.write("Person", "v20190909", fmt.Sprintf("person-%d", i), p.filled(t, "Person", "v20190909"))
	}
	shared.Eventually(t, crds.Patience, "the first leader is at work", func() error {
		if len(p.cloud.Calls("Apply")) < count/4 {
			return errNotYet
		}
		return nil
	})
	second := p.operate(elect)
	shared.Eventually(t, crds.Patience, "the second one waits for the lease", func() error {
		if second.leases.Load() < 3 {
			return errNotYet
		}
		return nil
	})
	p.write("Person", "v20190909", "person-while-it-waits", p.filled(t, "Person", "v20190909"))
	p.ready("Person", "person-while-it-waits")
	for i := range count {
		p.write("Person", "v20190909", fmt.Sprintf("late-%d", i), p.filled(t, "Person", "v20190909"))
	}
	if n := second.writes.Load() + second.events.Load(); n > 0 {
		t.Errorf("the one that waits made %d writes", n)
	}
	first.stop()
	for i := range count {
		p.ready("Person", fmt.Sprintf("person-%d", i))
		p.ready("Person", fmt.Sprintf("late-%d", i))
	}
	if second.writes.Load() == 0 {
		t.Error("the second leader had nothing to do")
	}
	if len(p.cloud.IDs()) != 2*count+1 {
		t.Errorf("outside are %v", p.cloud.IDs())
	}
	p.once()
}

// TestVersionLeaves has objects refer to their owner in a version that is served no more: garbage
// collection could not map it. One is managed, one is only observed, and one is being deleted. The
// external API does not answer, so that no later part of a pass writes the reference.
func TestVersionLeaves(t *testing.T) {
	tier.Long(t, "ends a served version")
	const gone = "v20180808"
	p := newSandbox(t)
	first := p.operate(nil)
	p.write("Person", "v20190909", "ada", p.filled(t, "Person", "v20190909"))
	notes := []string{"first", "observed", "deleted"}
	for _, name := range notes {
		p.write("PersonsNote", "v20170707", name, map[string]any{"owner": map[string]any{"name": "ada"}, "properties": map[string]any{"text": "looms"}})
	}
	for _, name := range notes {
		p.ready("PersonsNote", name)
	}
	first.stop()
	for _, name := range notes {
		p.edit("PersonsNote", p.hub("PersonsNote"), name, func(u *unstructured.Unstructured) {
			owners := u.GetOwnerReferences()
			owners[0].APIVersion = "crm.example.com/" + gone // as an operator of then has written it
			u.SetOwnerReferences(owners)
			if name == "observed" {
				u.SetAnnotations(with(u.GetAnnotations(), annotation.ReconcilePolicy, string(annotation.Observe)))
			}
		})
	}
	p.delete("PersonsNote", "deleted")
	p.serve("Person", gone, false)
	t.Cleanup(func() { p.serve("Person", gone, true) })
	p.cloud.Before(func(fakeprovider.Call) error { return fakeprovider.Fail(v2.Reason_REASON_TRANSIENT, "not now", 0) })
	p.operate(nil)
	for _, name := range notes {
		shared.Eventually(t, crds.Patience, "the reference of "+name+" is healed", func() error {
			owners := p.stored("PersonsNote", name).GetOwnerReferences()
			if len(owners) != 1 || owners[0].APIVersion == "crm.example.com/"+gone {
				return fmt.Errorf("the object belongs to %+v", owners)
			}
			version := owners[0].APIVersion[strings.LastIndex(owners[0].APIVersion, "/")+1:]
			_, err := p.through("Person", version).Get(t.Context(), owners[0].Name, metav1.GetOptions{})
			return err
		})
	}
	p.cloud.Before(nil)
	p.gone("PersonsNote", "deleted")
	p.edit("PersonsNote", "v20170707", "first", func(u *unstructured.Unstructured) {
		_ = unstructured.SetNestedField(u.Object, "engines", "spec", "properties", "text")
	})
	p.ready("PersonsNote", "first")
	p.once()
}

// with returns annotations and one more.
func with(notes map[string]string, name, value string) map[string]string {
	notes[name] = value
	return notes
}

// TestNamespaceEnds deletes a namespace whose Secret is deleted before its object, after a
// restart. An event in another namespace must report the external resource that remains.
func TestNamespaceEnds(t *testing.T) {
	p := newSandbox(t)
	p.cloud.Secured()
	first := p.operate(nil)
	credentials := p.client.Resource(secrets).Namespace(p.namespace)
	shared.Must(t)(credentials.Create(t.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "strata-credentials"}, "stringData": map[string]any{"AZURE_TENANT_ID": "a"},
	}}, metav1.CreateOptions{}))
	p.write("Person", "v20190909", "ada", p.filled(t, "Person", "v20190909"))
	p.ready("Person", "ada")
	first.stop()
	if err := p.client.Resource(namespaces).Delete(t.Context(), p.namespace, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := credentials.Delete(t.Context(), "strata-credentials", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	p.delete("Person", "ada") // as the controller of namespaces does, which does not run here
	p.operate(nil)
	p.gone("Person", "ada")
	if p.cloud.Get("/Microsoft.Crm/persons/ada") == nil {
		t.Error("the resource was deleted with no credentials")
	}
	shared.Eventually(t, crds.Patience, "an event of the namespace tells", func() error {
		all, err := p.client.Resource(schema.GroupVersionResource{Group: "events.k8s.io", Version: "v1", Resource: "events"}).Namespace("default").List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, e := range all.Items {
			reason, _, _ := unstructured.NestedString(e.Object, "reason")
			about, _, _ := unstructured.NestedString(e.Object, "regarding", "name")
			note, _, _ := unstructured.NestedString(e.Object, "note")
			if reason == "NotDeleted" && about == p.namespace && strings.Contains(note, "/Microsoft.Crm/persons/ada") {
				return nil
			}
		}
		return errNotYet
	})
}

// counter counts conversions of Go objects, but for those of the webhook, which is in this process
// by chance.
type counter struct {
	mu    sync.Mutex
	parts map[runtime.Part]int
}

func (c *counter) Observe(runtime.Event) {}

func (c *counter) Count(part runtime.Part) {
	if part == runtime.WholeObject && isOfTheWebhook() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.parts == nil {
		c.parts = map[runtime.Part]int{}
	}
	c.parts[part]++
}

func isOfTheWebhook() bool {
	callers := make([]uintptr, 64)
	frames := goruntime.CallersFrames(callers[:goruntime.Callers(2, callers)])
	for {
		frame, more := frames.Next()
		if strings.HasPrefix(frame.Function, "github.com/stratakube/strata/webhook") {
			return true
		}
		if !more {
			return false
		}
	}
}

func (c *counter) take() map[runtime.Part]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	parts := c.parts
	c.parts = nil
	return parts
}

// TestCost counts the calls for sixty resources, and those for a second reconcile of them.
func TestCost(t *testing.T) {
	tier.Long(t, "makes many resources ready")
	p := newSandbox(t)
	counts := &counter{}
	observed := func(o *operator.Options) { o.Observer = counts }
	r, before := p.operate(observed), p.reviews.Load()
	const parents, children = 20, 40
	for i := range parents {
		p.write("Person", "v20190909", fmt.Sprintf("person-%d", i), p.filled(t, "Person", "v20190909"))
	}
	for i := range parents {
		p.ready("Person", fmt.Sprintf("person-%d", i))
	}
	for i := range children {
		spec := p.filled(t, "PersonsNote", "v20170707")
		spec["owner"] = map[string]any{"name": fmt.Sprintf("person-%d", i%parents)}
		p.write("PersonsNote", "v20170707", fmt.Sprintf("note-%d", i), spec)
	}
	for i := range children {
		p.ready("PersonsNote", fmt.Sprintf("note-%d", i))
	}
	r.stop()
	const all = parents + children
	parts, writes, events := counts.take(), r.writes.Load(), r.events.Load()
	t.Logf("%d resources took %d writes, %d events, %d applies, %d looks, %d reviews, the conversions %v", all, writes, events,
		len(p.cloud.Calls("Apply")), len(p.cloud.Calls("Observe")), p.reviews.Load()-before, parts)
	if writes+events > 4*all {
		t.Errorf("%d writes and %d events for %d resources", writes, events, all)
	}
	if n := len(p.cloud.Calls("Apply")); n != all {
		t.Errorf("%d applies", n)
	}
	if n := len(p.cloud.Calls("Observe")); n > 3*all { // each pass begins with a look
		t.Errorf("%d passes for %d resources", n, all)
	}
	if parts[runtime.WholeObject] > 0 || parts[runtime.SpecAlone] > 3*all || parts[runtime.StatusAlone] > all {
		t.Errorf("the conversions are %v", parts)
	}

	p.cloud.Forget()
	reviews := p.reviews.Load()
	again := p.operate(observed)
	shared.Eventually(t, crds.Patience, "another process looks at all", func() error {
		if len(p.cloud.Calls("Observe")) < all {
			return errNotYet
		}
		return nil
	})
	time.Sleep(300 * time.Millisecond) // in which nothing more may happen
	again.stop()
	parts = counts.take()
	t.Logf("another process took %d writes, %d calls, %d reviews, the conversions %v", again.writes.Load(), len(p.cloud.Calls("")), p.reviews.Load()-reviews, parts)
	if n := again.writes.Load(); n > 0 {
		t.Errorf("a second look made %d writes", n)
	}
	if n := len(p.cloud.Calls("")); n != all || len(p.cloud.Calls("Apply")) > 0 {
		t.Errorf("a second look made %d calls, %d of them applies", n, len(p.cloud.Calls("Apply")))
	}
	if n := p.reviews.Load() - reviews; n > 0 {
		t.Errorf("the webhook was sent %d reviews", n)
	}
	if parts[runtime.WholeObject] > 0 || parts[runtime.SpecAlone] != all || parts[runtime.StatusAlone] > all {
		t.Errorf("a second look took the conversions %v", parts)
	}
}
