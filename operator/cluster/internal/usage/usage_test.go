package usage_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stratakube/strata/operator/cluster/internal/usage"
)

// TestHas looks for paths in one object.
func TestHas(t *testing.T) {
	var object any
	const text = `{"spec": {"size": 0, "none": null, "a.b": {"c": 1}, "list": [{"x": null}, {"y": [[{"z": ""}]]}], "map": {"k": {"v": false}}, "*": {"odd": 1}, "empty": {}, "open": []}}`
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"spec": true, "spec.size": true, "spec.none": false, "spec.a.b": true, "spec.a.b.c": true, "spec.a": false, "spec.a.b.d": false,
		"spec.list": true, "spec.list[].x": false, "spec.list[].y": true, "spec.list[].y[][].z": true, "spec.list[].y[].z": false,
		"spec.map.*.v": true, "spec.map.*.w": false, "spec.map.*": true, "spec.*.odd": true, "spec.empty": true, "spec.empty.*": false,
		"spec.open": true, "spec.open[]": false, "spec.sizes": false, "spec.siz": false, "size": false, "spec.size.more": false, "spec[]": false,
	} {
		if got := usage.Has(object, path); got != want {
			t.Errorf("%s: %t, want %t", path, got, want)
		}
	}
}

// TestRead refuses questions that have no answer.
func TestRead(t *testing.T) {
	if got, err := usage.Read(strings.NewReader(`[{"group": "g", "kind": "K", "versions": [{"name": "v1", "paths": ["spec.a"]}]}]`)); err != nil || len(got) != 1 || got[0].Versions[0].Paths[0] != "spec.a" {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, text := range []string{"", "{}", `[{"versions": [{"paths": ["a"]}, {"paths": []}]}]`} {
		if _, err := usage.Read(strings.NewReader(text)); err == nil {
			t.Errorf("%s is a list of questions", text)
		}
	}
}
