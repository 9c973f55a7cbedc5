package cli

import (
	"errors"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
)

// TestSetStored writes status.storedVersions only of the CRD about which there is evidence: the
// same one, with the same spec. It tries again where others write its status.
func TestSetStored(t *testing.T) {
	const proved = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"notes.a.b","uid":"1","generation":7},
		"spec":{"group":"a.b","names":{"kind":"Note","plural":"notes"},"versions":[{"name":"v1","served":true},{"name":"v2","served":true,"storage":true}]},
		"status":{"storedVersions":["v1","v2"]}}`
	before, err := crd.Parse([]byte(proved))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, from, to string // what has changed since
		conflicts      int
		fails          string
		stored         []string
	}{
		{"unchanged", "", "", 0, "", []string{"v2"}},
		{"others write its status", "", "", 3, "", []string{"v2"}},
		{"others write it all the time", "", "", 100, "others write the CRD all the time", []string{"v1", "v2"}},
		{"another spec", `"generation":7`, `"generation":8`, 0, "another program has changed the CRD notes.a.b", []string{"v1", "v2"}},
		{"another CRD of the name", `"uid":"1"`, `"uid":"2"`, 0, "another program has changed the CRD notes.a.b", []string{"v1", "v2"}},
		{"shortened already", `["v1","v2"]`, `["v2"]`, 100, "", []string{"v2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			object := &unstructured.Unstructured{}
			if err := object.UnmarshalJSON([]byte(strings.Replace(proved, test.from, test.to, 1))); err != nil {
				t.Fatal(err)
			}
			lists := map[schema.GroupVersionResource]string{crd.Resource: "CustomResourceDefinitionList"}
			client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists, object)
			conflicts := test.conflicts
			client.PrependReactor("update", crd.Resource.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
				if conflicts--; conflicts < 0 {
					return false, nil, nil
				}
				return true, nil, apierrors.NewConflict(crd.Resource.GroupResource(), "notes.a.b", errors.New("it was written"))
			})
			err := setStored(t.Context(), client, before, []string{"v2"})
			if (err != nil) != (test.fails != "") || err != nil && !strings.Contains(err.Error(), test.fails) {
				t.Errorf("error %v, want %q", err, test.fails)
			}
			now, err := crd.Get(t.Context(), client, "notes.a.b")
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(now.Stored, test.stored) {
				t.Errorf("stored in %v, want %v", now.Stored, test.stored)
			}
		})
	}
}
