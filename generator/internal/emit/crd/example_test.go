package crd_test

import (
	"os"
	"path/filepath"
	"testing"
)

// TestWorkedExample checks that an API server accepts the committed CRDs of the worked example.
func TestWorkedExample(t *testing.T) {
	files, err := filepath.Glob("../../../../operator/api/crds/*.yaml")
	if err != nil || len(files) == 0 {
		t.Skipf("needs the repository: no worked example beside this module: %v", err)
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		d := accepted(t, body)
		for _, v := range d.Spec.Versions {
			if !v.Served {
				t.Errorf("%s %s is not served", d.Name, v.Name)
			}
		}
	}
}
