package reconciler

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestDeclaredVersion is a table over the writers of an object, and the times of their writes.
func TestDeclaredVersion(t *testing.T) {
	const apply, update = metav1.ManagedFieldsOperationApply, metav1.ManagedFieldsOperationUpdate
	entry := func(operation metav1.ManagedFieldsOperationType, apiVersion string, second int64, fields string) metav1.ManagedFieldsEntry {
		e := metav1.ManagedFieldsEntry{Operation: operation, APIVersion: apiVersion}
		if second > 0 {
			at := metav1.Unix(second, 0)
			e.Time = &at
		}
		if fields != "" {
			e.FieldsV1 = metav1.NewFieldsV1(fields)
		}
		return e
	}
	spec := func(operation metav1.ManagedFieldsOperationType, version string, second int64) metav1.ManagedFieldsEntry {
		return entry(operation, "crm.example.com/"+version, second, `{"f:spec":{}}`)
	}
	of := func(apiVersion string) string { return fmt.Sprintf(`{"apiVersion":%q}`, apiVersion) }
	for _, test := range []struct {
		reason  string
		applied string
		entries []metav1.ManagedFieldsEntry
		want    string // the version, and how the object was declared
	}{
		{"nobody", "", nil, ""},
		{"kubectl", of("crm.example.com/v1"), nil, "v1 " + byLastApplied},
		{"kubectl, in another group", of("example.com/v1"), nil, ""},
		{"kubectl, in no version", of("a/b/c"), nil, ""},
		{"kubectl, and nobody can read it", "{", nil, ""},
		{"the server", "", []metav1.ManagedFieldsEntry{spec(apply, "v1", 1)}, "v1 " + byServer},
		{"the server, at an unknown time", "", []metav1.ManagedFieldsEntry{spec(apply, "v1", 0)}, "v1 " + byServer},
		{"the server, twice", "", []metav1.ManagedFieldsEntry{spec(apply, "v1", 1), spec(apply, "v2", 2)}, "v2 " + byServer},
		{"the server, twice, in another order", "", []metav1.ManagedFieldsEntry{spec(apply, "v2", 2), spec(apply, "v1", 1)}, "v2 " + byServer},
		{"the server, twice in a second", "", []metav1.ManagedFieldsEntry{spec(apply, "v1", 2), spec(apply, "v2", 2)}, "v2 " + byServer},
		{"the server, the status alone", "", []metav1.ManagedFieldsEntry{entry(apply, "crm.example.com/v1", 1, `{"f:status":{}}`)}, ""},
		{"the server, nobody knows what", "", []metav1.ManagedFieldsEntry{entry(apply, "crm.example.com/v1", 1, "")}, ""},
		{"the server, in another group", "", []metav1.ManagedFieldsEntry{entry(apply, "example.com/v1", 1, `{"f:spec":{}}`)}, ""},
		{"the server, in no version", "", []metav1.ManagedFieldsEntry{entry(apply, "crm.example.com/v1/x", 1, `{"f:spec":{}}`)}, ""},
		{"the server, after others whose entries do not count", "", []metav1.ManagedFieldsEntry{entry(apply, "example.com/v2", 1, `{"f:spec":{}}`), spec(apply, "v1", 1)}, "v1 " + byServer},
		{"a client that updates", "", []metav1.ManagedFieldsEntry{spec(update, "v1", 1)}, ""},
		{"the server, after a client updated", "", []metav1.ManagedFieldsEntry{spec(update, "v1", 1), spec(apply, "v2", 2)}, "v2 " + byServer},
		{"kubectl, after the server", of("crm.example.com/v3"), []metav1.ManagedFieldsEntry{spec(apply, "v1", 1), spec(update, "v3", 2)}, "v3 " + byLastApplied},
		{"kubectl, in the same second as the server", of("crm.example.com/v3"), []metav1.ManagedFieldsEntry{spec(apply, "v1", 2), spec(update, "v3", 2)}, "v3 " + byLastApplied},
		{"the server, after kubectl", of("crm.example.com/v3"), []metav1.ManagedFieldsEntry{spec(update, "v3", 1), spec(apply, "v1", 2)}, "v1 " + byServer},
		{"the last update counts", of("crm.example.com/v3"), []metav1.ManagedFieldsEntry{spec(update, "v3", 3), spec(update, "v3", 1), spec(apply, "v1", 2)}, "v3 " + byLastApplied},
		{"kubectl cannot be read, and the server can", "{", []metav1.ManagedFieldsEntry{spec(apply, "v1", 1)}, "v1 " + byServer},
		{"kubectl, in another group, and the server", of("example.com/v3"), []metav1.ManagedFieldsEntry{spec(apply, "v1", 1)}, "v1 " + byServer},
	} {
		object := annotated(nil)
		object.SetGroupVersionKind(schema.GroupVersionKind{Group: "crm.example.com", Version: "v9", Kind: "Person"})
		if test.applied != "" {
			object.SetAnnotations(map[string]string{corev1.LastAppliedConfigAnnotation: test.applied})
		}
		object.SetManagedFields(test.entries)
		for range 2 { // as it is stored, and as the cache has it
			version, by := declared(object)
			if got := strings.TrimSpace(version + " " + by); got != test.want {
				t.Errorf("%s: it was declared in %q, want %q", test.reason, got, test.want)
			}
			Slim(object)
			if _, has := object.GetAnnotations()[corev1.LastAppliedConfigAnnotation]; has || object.GetManagedFields() != nil {
				t.Errorf("%s: the cache holds %v", test.reason, object)
			}
		}
	}
}

// TestLost is a table over the differences of two trees.
func TestLost(t *testing.T) {
	for _, test := range []struct {
		reason, before, after string
		want                  []string
	}{
		{"nothing", `{"a":[1,{"b":2}]}`, `{"a":[1,{"b":2}]}`, nil},
		{"a member", `{"a":1,"b":2}`, `{"a":1}`, []string{"/spec/b"}},
		{"a value", `{"a":1}`, `{"a":2}`, []string{"/spec/a"}},
		{"more than before is no loss", `{"a":1}`, `{"a":1,"b":2}`, nil},
		{"members inside", `{"a":{"b":1,"c":{"d":2,"e":3}}}`, `{"a":{"b":2,"c":{"e":3}}}`, []string{"/spec/a/b", "/spec/a/c/d"}},
		{"an object", `{"a":{"b":1}}`, `{"a":1}`, []string{"/spec/a"}},
		{"a list", `{"a":[1]}`, `{"a":{}}`, []string{"/spec/a"}},
		{"an element", `{"a":[1,2]}`, `{"a":[1]}`, []string{"/spec/a"}},
		{"elements inside", `{"a":[{"b":1},{"b":2},{"b":3}]}`, `{"a":[{"b":1},{},{"b":4}]}`, []string{"/spec/a/1/b", "/spec/a/2/b"}},
		{"names that patches escape", `{"a/b":1,"c~d":2}`, `{}`, []string{"/spec/a~1b", "/spec/c~0d"}},
	} {
		var before, after any
		if err := json.Unmarshal([]byte(test.before), &before); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(test.after), &after); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, one := range lost(before, after, pointer{}) {
			got = append(got, one.path())
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}

// TestRemovals is a table over the commands that remove members.
func TestRemovals(t *testing.T) {
	p := passOf(t, Options{})
	p.api = p.kind.API()
	many := make([]pointer, 51)
	for i := range many {
		many[i] = pointer{"a", fmt.Sprint(i)}
	}
	for _, test := range []struct {
		reason      string
		secretPaths []pointer
		by          string
		namespace   string
		want        []string
		operation   int
	}{
		{"what kubectl declared", []pointer{{"a"}, {"b", "1"}}, byLastApplied, "here", []string{
			"kubectl patch person.v20190909.crm.example.com ada --namespace=here --type=json --patch='",
			`[{"op":"remove","path":"/spec/b/1"},{"op":"remove","path":"/spec/a"},{"op":"remove","path":"/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration"}]'`,
		}, 3},
		{"what the server declared", []pointer{{"a"}}, byServer, "here", []string{`[{"op":"remove","path":"/spec/a"},{"op":"replace","path":"/metadata/managedFields","value":[{}]}]'`}, 2},
		{"no namespace", []pointer{{"a"}}, byServer, "", []string{"--namespace=default "}, 2},
		{"a quotation mark", []pointer{{"it's"}}, byServer, "", []string{`/spec/it'\''s`}, 2},
		{"many places", many, byServer, "", []string{`"/spec/a/0"`, `[{"op":"remove","path":"/spec/a/49"}`}, 51},
	} {
		p.key.Namespace = test.namespace
		got := p.removal(test.secretPaths, test.by)
		for _, want := range test.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: it is %s, without %s", test.reason, got, want)
			}
		}
		if n := strings.Count(got, `"op":`); n != test.operation {
			t.Errorf("%s: it has %d operations", test.reason, n)
		}
	}
}
