package reconciler_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/operator/reconciler"
)

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// entry returns a managed-fields entry for a writer of a spec.
func entry(operation metav1.ManagedFieldsOperationType, version string, second int64) metav1.ManagedFieldsEntry {
	at := metav1.Unix(second, 0)
	return metav1.ManagedFieldsEntry{
		Manager: "m", Operation: operation, APIVersion: "crm.example.com/" + version, Time: &at, FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{}}`),
	}
}

// TestDeclaredVersions is a table over the ways in which objects are declared in a version that
// cannot express them.
func TestDeclaredVersions(t *testing.T) {
	const apply, update = metav1.ManagedFieldsOperationApply, metav1.ManagedFieldsOperationUpdate
	of := func(version string) string { return `{"apiVersion":"crm.example.com/` + version + `","kind":"Person"}` }
	for _, test := range []struct {
		reason  string
		applied string
		entries []metav1.ManagedFieldsEntry
		want    []string // in the message; nothing for no condition
	}{
		{"nobody has declared it", "", nil, nil},
		{"it was declared in the version that is sent", of("v20180808"), nil, nil},
		{"it was declared in a later one that can express it", of("v20190909"), nil, nil},
		{"it was declared in an older one", of("v20110101"), nil, []string{
			"declared in v20110101, which cannot express ", "properties.mailingAddress; it is", "sent in v20180808",
			`{"op":"remove","path":"/spec/properties/mailingAddress"}`, "last-applied-configuration", "kubectl patch person.v20180808.crm.example.com ada --namespace=default",
		}},
		{"the server applied it", "", []metav1.ManagedFieldsEntry{entry(update, "v20110101", 3), entry(apply, "v20110101", 2)}, []string{"declared in v20110101", "/metadata/managedFields"}},
		{"it was only updated", "", []metav1.ManagedFieldsEntry{entry(update, "v20110101", 2)}, nil},
		{"the last declaration counts", "", []metav1.ManagedFieldsEntry{entry(apply, "v20110101", 2), entry(apply, "v20190909", 3)}, nil},
		{"also of both kinds", of("v20110101"), []metav1.ManagedFieldsEntry{entry(update, "v20110101", 2), entry(apply, "v20190909", 3)}, nil},
		{"a version that is not known", of("v20990101"), nil, nil},
		{"another group", `{"apiVersion":"example.com/v20110101"}`, nil, nil},
		{"no JSON", `{`, nil, nil},
	} {
		t.Run(test.reason, func(t *testing.T) {
			for _, isCached := range []bool{false, true} {
				w := newWorld(t)
				spec := person()
				spec["properties"].(map[string]any)["mailingAddress"] = map[string]any{"city": "London"}
				w.object("Person", "ada", spec)
				w.frozen = w.get("Person", "ada")
				if test.applied != "" {
					w.frozen.SetAnnotations(map[string]string{lastApplied: test.applied})
				}
				w.frozen.SetManagedFields(test.entries)
				if isCached {
					reconciler.Slim(w.frozen)
					if w.frozen.GetAnnotations()[lastApplied] != "" || w.frozen.GetManagedFields() != nil {
						t.Errorf("the cache holds %v", w.frozen)
					}
				}
				w.pass("Person", "ada")
				w.wants("Person", "ada", "True", reconciler.Succeeded)
				if r := w.cloud.Get(ada); r.Version != "2018-08-08" {
					t.Errorf("it is sent in %s", r.Version)
				}
				c := w.condition("Person", "ada", reconciler.DeclaredVersionUsed)
				if (c.Status == "False") != (len(test.want) > 0) {
					t.Errorf("the condition is %+v", c)
				}
				for _, want := range test.want {
					if !strings.Contains(c.Message, want) {
						t.Errorf("it says %q, without %q", c.Message, want)
					}
				}
				for name := range w.get("Person", "ada").GetAnnotations() {
					if name == "strata.dev/declared" {
						t.Error("what is for the cache was written")
					}
				}
			}
		})
	}
}

// TestValuesOfNoVersion covers an object declared in an older version, where the sent version
// shows no value that prevents that. The message then has no command.
func TestValuesOfNoVersion(t *testing.T) {
	w := newWorld(t)
	spec := person()
	spec["properties"] = map[string]any{"$propertyBag": map[string]any{"motto@v20140404preview": "x"}}
	w.object("Person", "ada", spec, lastApplied, `{"apiVersion":"crm.example.com/v20110101"}`)
	w.pass("Person", "ada")
	c := w.condition("Person", "ada", reconciler.DeclaredVersionUsed)
	if !strings.Contains(c.Message, "cannot express properties.motto of v20140404preview;") || !strings.HasSuffix(c.Message, "remove that and apply the object again") {
		t.Errorf("it says %q", c.Message)
	}
}

// TestDeclaredInVersionThatIsSent covers an object declared and sent in a version that cannot
// express it. The condition FullySent is enough.
func TestDeclaredInVersionThatIsSent(t *testing.T) {
	w := newWorld(t)
	spec := person()
	spec["properties"].(map[string]any)["$propertyBag"] = map[string]any{"motto@v20140404preview": "x"}
	w.object("Person", "ada", spec, lastApplied, `{"apiVersion":"crm.example.com/v20180808"}`)
	w.pass("Person", "ada")
	if c := w.condition("Person", "ada", reconciler.FullySent); c.Status != "False" {
		t.Errorf("what is not sent is told as %+v", c)
	}
	if c := w.condition("Person", "ada", reconciler.DeclaredVersionUsed); c.Status != "" {
		t.Errorf("it says %+v", c)
	}
}
