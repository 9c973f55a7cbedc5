package upgrade_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/e2e/releases"
	"github.com/stratakube/strata/tools/testcluster/apiserver"
	"github.com/stratakube/strata/tools/testcluster/process"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// side is a release with what a cluster has of it.
type side struct {
	releases.Release
	webhook string // a program
	kinds   []*crds.Kind
}

// pair is a cluster in which two releases of the worked example follow one another.
type pair struct {
	*apiserver.Cluster
	t         testing.TB
	client    dynamic.Interface
	namespace string
	old, next side
	group     *process.Group // of the webhook that serves
	probes    string         // the URL of its probes
	reads     int
}

// edited are paths of texts that every version of a kind has.
var edited = map[string][]string{"Person": {"spec", "properties", "id"}, "Party": {"spec", "properties", "displayName"}}

// everything has, for each kind, an object with all properties that some version has.
var everything = map[string]map[string]any{}

// openPair makes two releases. The cluster has nothing of them yet.
func openPair(t testing.TB, made []releases.Release) *pair {
	t.Helper()
	c := shared.Of(t)
	u := &pair{Cluster: c, t: t, client: shared.Client(t, c.Config)}
	u.old, u.next = newSide(t, made[0]), newSide(t, made[len(made)-1])
	t.Cleanup(u.close)
	return u
}

// close removes the CRDs of the package while a webhook still serves: the API server deletes the
// objects first.
func (u *pair) close() {
	// An upgrade creates the CRDs of all kinds of the package.
	removeCRDs(u.t, u.client, u.next.CRDs())
	if u.group != nil {
		if err := u.group.Close(); err != nil {
			u.t.Error(err)
		}
	}
}

// removeCRDs removes the CRDs of a folder, and waits until they are gone. An API server deletes the
// 10,000 objects of a soaked storm before.
func removeCRDs(t testing.TB, client dynamic.Interface, dir string) {
	ctx, all := shared.Afterwards(t), client.Resource(crds.Definitions)
	files, err := filepath.Glob(filepath.Join(dir, "*.crm.example.com.yaml"))
	if err != nil || len(files) == 0 {
		t.Errorf("%d CRDs in %s: %v", len(files), dir, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		shared.Eventually(t, tier.IfSoak(2*crds.Patience, 15*time.Minute), name+" is gone", func() error {
			switch err := all.Delete(ctx, name, metav1.DeleteOptions{}); {
			case apierrors.IsNotFound(err):
				return nil
			case err != nil:
				return err
			}
			return errors.New("it is being deleted")
		})
	}
}

func newSide(t testing.TB, r releases.Release) side {
	t.Helper()
	s := side{Release: r}
	s.webhook = once(t, "webhook of "+r.API, func(ctx context.Context, _ string) (string, error) { return r.Webhook(ctx) })
	for _, plural := range []string{"persons", "parties"} {
		file := filepath.Join(r.CRDs(), plural+".crm.example.com.yaml")
		if _, err := os.Stat(file); err != nil {
			continue // a release from before the kind
		}
		k := crds.Read(t, file)
		everything[k.Spec.Names.Kind] = crds.Example(t, k.Spec.Names.Kind)
		s.kinds = append(s.kinds, k)
	}
	return s
}

// serve applies the CRDs of a release with the webhook of one, which replaces the webhook that
// served before.
func (u *pair) serve(webhook side, kinds []*crds.Kind) {
	u.t.Helper()
	group, err := process.Open("strata-upgrade-")
	if err != nil {
		u.t.Fatal(err)
	}
	before := u.group
	u.group = group
	config, probes, err := env.ServeConversions(u.t.Context(), group, webhook.webhook)
	if err != nil {
		u.t.Fatal(err)
	}
	u.probes = probes
	crds.Apply(u.t, u.client, config, kinds...)
	if before != nil {
		if err := before.Close(); err != nil {
			u.t.Fatal(err)
		}
	}
}

// in gives access to the objects of a kind.
func (u *pair) in(k *crds.Kind) crds.Objects {
	return crds.Objects{T: u.t, Client: u.client, Kind: k, Namespace: u.namespace}
}

// storing returns kinds with another storage version, where their CRDs have it.
func storing(kinds []*crds.Kind, version string) []*crds.Kind {
	var out []*crds.Kind
	for _, k := range kinds {
		other := *k
		if !slices.ContainsFunc(k.Spec.Versions, func(v v1.CustomResourceDefinitionVersion) bool { return v.Name == version }) {
			out = append(out, &other)
			continue
		}
		other.CustomResourceDefinition = k.DeepCopy()
		for i := range other.Spec.Versions {
			v := &other.Spec.Versions[i]
			v.Storage = v.Name == version
			v.Served = v.Served || v.Storage
		}
		other.Hub = version
		out = append(out, &other)
	}
	return out
}

// await waits until the API server stores objects in the storage version of the kinds, and shows
// them in each version.
func (u *pair) await(kinds []*crds.Kind) {
	u.t.Helper()
	for _, k := range kinds {
		p := u.in(k)
		shared.Eventually(u.t, 2*crds.Patience, k.Name+" in "+k.Hub, func() error {
			_ = p.Through(k.Versions[0]).Delete(u.t.Context(), "probe", metav1.DeleteOptions{})
			if _, err := p.Through(k.Versions[0]).Create(u.t.Context(), manifest(k, k.Versions[0], "probe"), metav1.CreateOptions{}); err != nil {
				return err
			}
			if stored := u.storedVersion(k, "probe"); stored != k.Hub {
				return errors.New("stored in " + stored)
			}
			for _, version := range k.Served() {
				if _, err := p.Through(version).List(u.t.Context(), metav1.ListOptions{}); err != nil {
					return err
				}
			}
			return p.Through(k.Versions[0]).Delete(u.t.Context(), "probe", metav1.DeleteOptions{})
		})
	}
}

// storedVersion returns the version in which etcd has an object.
func (u *pair) storedVersion(k *crds.Kind, name string) string {
	u.t.Helper()
	text, err := u.Stored(u.t.Context(), strings.Join([]string{"/registry", k.Spec.Group, k.Spec.Names.Plural, u.namespace, name}, "/"))
	if err != nil {
		u.t.Fatal(err)
	}
	var object struct{ APIVersion string }
	if err := json.Unmarshal(text, &object); err != nil {
		u.t.Fatalf("%s: %v\n%s", name, err, text)
	}
	return strings.TrimPrefix(object.APIVersion, k.Spec.Group+"/")
}

// manifest returns an object with all members of the spec that a version has.
func manifest(k *crds.Kind, version, name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": k.Spec.Group + "/" + version, "kind": k.Spec.Names.Kind, "metadata": map[string]any{"name": name},
		"spec": member(k, version, "spec"),
	}}
}

func member(k *crds.Kind, version, property string) any {
	return crds.Cut(runtime.DeepCopyJSON(everything[k.Spec.Names.Kind])[property], k.Schema(version).Properties[property])
}

// create creates an object through a version, with all that its spec and its status can have.
func (u *pair) create(k *crds.Kind, version, name string) {
	u.t.Helper()
	u.in(k).Create(version, manifest(k, version, name), member(k, version, "status").(map[string]any))
}

// values are what users have written of an object.
func values(o *unstructured.Unstructured) map[string]any {
	out := map[string]any{"spec": runtime.DeepCopyJSONValue(o.Object["spec"]), "status": runtime.DeepCopyJSONValue(o.Object["status"])}
	unstructured.RemoveNestedField(out, "spec", "originalVersion")
	unstructured.RemoveNestedField(out, "status", "propertyBag")
	return out
}

// latest is the last API version of a kind.
func latest(k *crds.Kind) string { return k.Versions[len(k.Versions)-1] }

// inEachVersion reads an object in each API version.
func (u *pair) inEachVersion(k *crds.Kind, name string) map[string]*unstructured.Unstructured {
	u.t.Helper()
	out := map[string]*unstructured.Unstructured{}
	for _, version := range k.Versions {
		out[version] = u.in(k).Get(version, name)
	}
	return out
}

// same requires that an object reads as before in each version, to the bytes of its bags. A write
// without a change made no difference to them; the resourceVersion may differ.
func (u *pair) same(when string, k *crds.Kind, name string, before map[string]*unstructured.Unstructured) {
	u.t.Helper()
	for version, was := range before {
		is := u.in(k).Get(version, name)
		for _, o := range []*unstructured.Unstructured{was, is} {
			for _, member := range []string{"managedFields", "resourceVersion"} {
				unstructured.RemoveNestedField(o.Object, "metadata", member)
			}
		}
		if diff := cmp.Diff(was.Object, is.Object); diff != "" {
			u.t.Errorf("%s, %s/%s differs in %s (-before +after):\n%s", when, k.Spec.Names.Kind, name, version, diff)
		}
	}
}

// write is a way to write an object that a client has read. It changes the text at a path.
type write struct {
	name string
	do   func(p crds.Objects, was *unstructured.Unstructured, path []string, text string) error
}

// changed returns an object with another text.
func changed(was *unstructured.Unstructured, path []string, text string) *unstructured.Unstructured {
	out := was.DeepCopy()
	_ = unstructured.SetNestedField(out.Object, text, path...)
	return out
}

// statusOf is the path of the same text in the status.
func statusOf(path []string) []string { return append([]string{"status"}, path[1:]...) }

func version(o *unstructured.Unstructured) string { return o.GroupVersionKind().Version }

// nested returns a patch of one text.
func nested(path []string, text string) map[string]any {
	out := map[string]any{}
	_ = unstructured.SetNestedField(out, text, path...)
	return out
}

func patch(p crds.Objects, was *unstructured.Unstructured, of map[string]any) error {
	data, err := json.Marshal(of)
	if err != nil {
		return err
	}
	_, err = p.Through(version(was)).Patch(p.T.Context(), was.GetName(), types.MergePatchType, data, metav1.PatchOptions{})
	return err
}

// writes are those of clients that have read an object before. The status of an object is written
// with its bag, as it was read.
var writes = []write{
	{"update", func(p crds.Objects, was *unstructured.Unstructured, path []string, text string) error {
		_, err := p.Through(version(was)).Update(p.T.Context(), changed(was, path, text), metav1.UpdateOptions{})
		return err
	}},
	{"status", func(p crds.Objects, was *unstructured.Unstructured, path []string, text string) error {
		_, err := p.Through(version(was)).UpdateStatus(p.T.Context(), changed(was, statusOf(path), text), metav1.UpdateOptions{})
		return err
	}},
	{"apply", func(p crds.Objects, was *unstructured.Unstructured, path []string, text string) error {
		object := changed(was, path, text)
		object.Object = map[string]any{
			"apiVersion": was.GetAPIVersion(), "kind": was.GetKind(), "metadata": map[string]any{"name": was.GetName()}, "spec": object.Object["spec"],
		}
		_, err := p.Through(version(was)).Apply(p.T.Context(), was.GetName(), object, crds.Applying("applier"))
		return err
	}},
	{"patch", func(p crds.Objects, was *unstructured.Unstructured, path []string, text string) error {
		of := nested(path, text)
		of["metadata"] = map[string]any{"resourceVersion": was.GetResourceVersion()}
		return patch(p, was, of)
	}},
	{"edit", func(p crds.Objects, was *unstructured.Unstructured, path []string, text string) error {
		return patch(p, was, nested(path, text))
	}},
}

// lacking reports whether a version requires a member that an object does not have.
func lacking(k *crds.Kind, version string, object *unstructured.Unstructured) bool {
	return lacks(object.Object["spec"], k.Schema(version).Properties["spec"])
}

func lacks(value any, s v1.JSONSchemaProps) bool {
	object, is := value.(map[string]any)
	if !is {
		return false
	}
	for _, name := range s.Required {
		if _, has := object[name]; !has {
			return true
		}
	}
	for name, property := range s.Properties {
		if lacks(object[name], property) {
			return true
		}
	}
	return false
}

// reading has an object that a client has read in one version.
type reading struct {
	kind  *crds.Kind
	write write
	was   *unstructured.Unstructured
	want  map[string]any // in the latest version of the old release
}

// read creates an object for each way to write, and for the first and the latest version of the old
// release, or for each version. It reads the object in that version.
func (u *pair) read(each bool) (all []reading) {
	u.t.Helper()
	u.reads++
	for _, k := range u.old.kinds {
		versions := k.Versions
		if !each {
			versions = []string{k.Versions[0], latest(k)}
		}
		for _, version := range versions {
			for _, w := range writes {
				name := fmt.Sprintf("%s-%s-%d", w.name, version, u.reads)
				u.create(k, latest(k), name)
				was := u.in(k).Get(version, name)
				if lacking(k, version, was) {
					u.t.Fatalf("%s of %s is not valid", name, k.Name)
				}
				all = append(all, reading{k, w, was, values(u.in(k).Get(latest(k), name))})
			}
		}
	}
	return all
}

// written writes what was read, and requires that the API server accepts all of it and that nothing
// else changes.
func (u *pair) written(when string, all []reading) {
	u.t.Helper()
	for i, r := range all {
		path := edited[r.kind.Spec.Names.Kind]
		text := fmt.Sprintf("00000000-0000-0000-0000-%012d", i)
		what := fmt.Sprintf("%s, %s of %s through %s", when, r.write.name, r.kind.Spec.Names.Kind, version(r.was))
		if err := r.write.do(u.in(r.kind), r.was, path, text); err != nil {
			u.t.Errorf("%s was refused: %v", what, err)
			continue
		}
		if r.write.name == "status" {
			path = statusOf(path)
		}
		_ = unstructured.SetNestedField(r.want, text, path...)
		if diff := cmp.Diff(r.want, values(u.in(r.kind).Get(latest(r.kind), r.was.GetName()))); diff != "" {
			u.t.Errorf("%s changed something else (-want +got):\n%s", what, diff)
		}
	}
}
