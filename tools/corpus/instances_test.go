package corpus_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/corpus/labtest"
)

// rootShapes begin the shape of a resource's root in the name of a generic function that the
// compiler has made for it: an API type or a hub, and any other storage type.
var rootShapes = [][]byte{
	[]byte("go.shape.struct { k8s.io/apimachinery/pkg/apis/meta/v1.TypeMeta "),
	[]byte(`go.shape.struct { APIVersion string "json:\"apiVersion,omitzero\""; Kind string `),
}

// otherShape is in the names of generic functions for specs.
var otherShape = []byte("genruntime.CopyObject[go.shape.struct { ")

// checkInstances requires that the compiler makes no generic function for the root of a resource:
// with its metadata, each costs as much as the rest of the resource.
func checkInstances(t *testing.T, m corpus.Module) {
	out, err := m.Go(labtest.InTime(t), nil, "list", "-export", "-f", "{{.ImportPath}} {{.Export}}", "./api/...")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	others := 0
	for row := range strings.Lines(out) {
		name, file, _ := strings.Cut(strings.TrimSpace(row), " ")
		if !filepath.IsAbs(file) { // a package of tests, or the command
			continue
		}
		object, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, shape := range rootShapes {
			if at := bytes.Index(object, shape); at >= 0 {
				t.Errorf("%s: a generic function is made for a root: %q", name, object[max(at-60, 0):at+len(shape)])
			}
		}
		if bytes.Contains(object, otherShape) {
			others++
		}
	}
	if others == 0 {
		t.Error("no generic function is made for a spec: the names of shapes have changed")
	}
}
