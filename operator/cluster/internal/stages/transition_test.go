package stages

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := json.Unmarshal([]byte(text), &o.Object); err != nil {
		t.Fatal(err)
	}
	return o
}

// TestTransition checks which versions a CRD has until an upgrade is pruned. The client of the
// webhook and the metadata of the installed CRD stay.
func TestTransition(t *testing.T) {
	installed := object(t, `{"metadata": {"name": "a", "labels": {"l": "1"}, "resourceVersion": "7"}, "spec": {
		"conversion": {"webhook": {"clientConfig": {"caBundle": "YQ=="}, "conversionReviewVersions": ["v1beta1"]}},
		"versions": [
			{"name": "v0", "served": true, "storage": false}, {"name": "unknown", "served": true, "storage": false},
			{"name": "v1", "served": true, "storage": false, "schema": "old"}, {"name": "v1storage", "served": true, "storage": true}]},
		"status": {"storedVersions": ["v1storage"]}}`)
	brought := object(t, `{"metadata": {"name": "a", "labels": {"m": "2"}}, "spec": {
		"conversion": {"webhook": {"clientConfig": {"service": {"name": "w"}}, "conversionReviewVersions": ["v1"]}},
		"versions": [
			{"name": "v1", "served": false, "storage": false, "schema": "new"}, {"name": "v2", "served": true, "storage": false},
			{"name": "v1storage", "served": false, "storage": false}, {"name": "v2storage", "served": true, "storage": true}]}}`)
	want := object(t, `{"metadata": {"name": "a", "labels": {"l": "1", "m": "2"}, "resourceVersion": "7", "annotations": {}}, "spec": {
		"conversion": {"webhook": {"clientConfig": {"caBundle": "YQ=="}, "conversionReviewVersions": ["v1"]}},
		"versions": [
			{"name": "v1", "served": true, "storage": false, "schema": "old"}, {"name": "v2", "served": true, "storage": false},
			{"name": "v1storage", "served": true, "storage": false}, {"name": "v2storage", "served": true, "storage": true},
			{"name": "v0", "served": true, "storage": false}]},
		"status": {"storedVersions": ["v1storage"]}}`)
	got, err := transition(installed, brought, "v2storage", func(version string) bool { return version != "unknown" })
	if err != nil {
		t.Fatal(err)
	}
	if got.GetAnnotations() == nil {
		got.Object["metadata"].(map[string]any)["annotations"] = map[string]any{}
	}
	if diff := cmp.Diff(want.Object, got.Object); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	back, err := transition(got, nil, "v1storage", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range versionsOf(back) {
		if is := v["name"] == "v1storage"; v["storage"] != is || v["served"] != true {
			t.Errorf("after a rollback, a version is %v", v)
		}
	}
	if _, err := transition(got, nil, "v3storage", nil); err == nil {
		t.Error("a version that the CRD lacks becomes the storage version")
	}
}

// TestStorageVersionNeverGoes refuses to prune the version in which objects are stored, also if an
// upgrade lists it.
func TestStorageVersionNeverGoes(t *testing.T) {
	versions := versionsOf(object(t, notes("x", hook, "v2", "v1")))
	for _, keep := range []bool{true, false} {
		if out, err := without(versions, nil, []string{"v2"}, keep); err == nil || !strings.Contains(err.Error(), "it stores v2") {
			t.Errorf("keep %t: %v, %v", keep, out, err)
		}
	}
}
