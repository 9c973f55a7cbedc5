package intree

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
)

const name = "upgrade-1.7.things.example.com"

// definition is a CRD whose objects may be stored in some versions.
func definition(stored ...any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": "things.example.com"},
		"spec": map[string]any{"group": "example.com", "names": map[string]any{"kind": "Thing", "plural": "things"}, "versions": []any{
			map[string]any{"name": "v1", "served": true}, map[string]any{"name": "v2", "served": true, "storage": true},
		}},
		"status": map[string]any{"storedVersions": stored},
	}}
}

// asked is a StorageVersionMigration with a true condition.
func asked(condition string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "storagemigration.k8s.io/v1", "kind": "StorageVersionMigration", "metadata": map[string]any{"name": name},
		"status": map[string]any{"conditions": []any{
			map[string]any{"type": "Running", "status": "False"}, map[string]any{"type": condition, "status": "True", "message": "because of thing a"},
		}},
	}}
}

// TestMigrate has migrators that end, fail and do not begin. The versions that may be stored are in
// status.storedVersions afterwards, whatever the migrator has done.
func TestMigrate(t *testing.T) {
	for name, test := range map[string]struct {
		stored, add []string
		objects     []runtime.Object
		migrator    string // the condition that it sets in what is asked for; empty if it does not begin
		want        string
		after       []string
	}{
		"it succeeds":                    {[]string{"v1", "v2"}, nil, nil, succeeded, "", []string{"v2", "v1"}},
		"it fails":                       {[]string{"v1", "v2"}, nil, nil, failed, "has failed: because of thing a", []string{"v2", "v1"}},
		"it does not begin":              {[]string{"v1", "v2"}, nil, nil, "", "no migrator has begun", []string{"v1", "v2"}},
		"it has succeeded before a kill": {[]string{"v2"}, []string{"v1", "v2", "v0"}, []runtime.Object{asked(succeeded)}, "", "", []string{"v2", "v1"}},
		"it has failed before":           {[]string{"v1", "v2"}, nil, []runtime.Object{asked(failed)}, succeeded, "", []string{"v2", "v1"}},
	} {
		t.Run(name, func(t *testing.T) {
			var stored []any
			for _, v := range test.stored {
				stored = append(stored, v)
			}
			client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
				crd.Resource: "CustomResourceDefinitionList", migrations: "StorageVersionMigrationList",
			}, append(test.objects, definition(stored...))...)
			d, err := crd.Get(t.Context(), client, "things.example.com")
			if err != nil {
				t.Fatal(err)
			}
			ctx, end := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() {
				defer close(done)
				migrate(ctx, client, test.migrator)
			}()
			err = Migrate(t.Context(), d, Options{Client: client, Name: "upgrade-1.7.things.example.com", Stored: test.add, Manager: "m", Poll: time.Millisecond, Patience: 500 * time.Millisecond, Progress: func(string) {}})
			end()
			<-done
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v, want %q", err, test.want)
			}
			if d, err = crd.Get(t.Context(), client, "things.example.com"); err != nil || !slices.Equal(d.Stored, test.after) {
				t.Errorf("storedVersions is %v, want %v; %v", d.Stored, test.after, err)
			}
		})
	}
}

// migrate works on what is asked for, as the migrator of Kubernetes does: it shortens
// status.storedVersions in any case, and ends then.
func migrate(ctx context.Context, client *fake.FakeDynamicClient, condition string) {
	for condition != "" && ctx.Err() == nil {
		m, err := client.Resource(migrations).Get(ctx, name, metav1.GetOptions{})
		if err != nil || m.Object["status"] != nil {
			time.Sleep(time.Millisecond)
			continue
		}
		m.Object["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Running", "status": "True"}, map[string]any{"type": condition, "status": "True", "message": "because of thing a"}}}
		if m, err = client.Resource(migrations).Update(ctx, m, metav1.UpdateOptions{}); err != nil {
			panic(fmt.Sprint("the migrator: ", err))
		}
		time.Sleep(20 * time.Millisecond)
		if _, err := client.Resource(crd.Resource).Update(ctx, definition("v2"), metav1.UpdateOptions{}); err != nil {
			panic(fmt.Sprint("the migrator: ", err))
		}
		m.Object["status"] = asked(condition).Object["status"]
		if _, err := client.Resource(migrations).Update(ctx, m, metav1.UpdateOptions{}); err != nil {
			panic(fmt.Sprint("the migrator: ", err))
		}
		return
	}
}
