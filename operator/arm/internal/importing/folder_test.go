package importing

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stratakube/strata/operator/arm/internal/armid"
)

// countdown is a context that is cancelled after a number of checks.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func objectsOf(n int) []Object {
	objects := make([]Object, n)
	for i := range objects {
		objects[i] = Object{Group: "crm.example.com", Kind: "Person", Name: "p" + strconv.Itoa(i), YAML: []byte("kind: Person\n")}
	}
	return objects
}

// TestWritingIsInterrupted checks that the writers check their context before each object.
// Whenever the context ends, a folder is written completely or not at all.
func TestWritingIsInterrupted(t *testing.T) {
	const n = 6
	result := &Result{Objects: objectsOf(n)}
	for looks := range n + 1 {
		dir := filepath.Join(t.TempDir(), "out")
		err := result.WriteFolder(&countdown{t.Context(), looks}, dir, nil)
		if left, _ := filepath.Glob(filepath.Dir(dir) + "/*"); !errors.Is(err, context.Canceled) || len(left) > 0 {
			t.Errorf("folder, after %d looks: %v, left %q", looks, err, left)
		}
	}
	dir := filepath.Join(t.TempDir(), "out")
	if err := result.WriteFolder(&countdown{t.Context(), n + 1}, dir, nil); err != nil {
		t.Error(err)
	}
	if files, err := os.ReadDir(filepath.Join(dir, "level-0")); err != nil || len(files) != n+1 {
		t.Errorf("files %v, %v", files, err)
	}
	for looks := range n {
		var out bytes.Buffer
		err := result.Write(&countdown{t.Context(), looks}, &out, nil)
		if written := bytes.Count(out.Bytes(), []byte("kind")); !errors.Is(err, context.Canceled) || written != looks {
			t.Errorf("text, after %d looks: %v, %d objects", looks, err, written)
		}
	}
}

// TestEncodingIsInterrupted checks that the encoder checks its context before each object.
func TestEncodingIsInterrupted(t *testing.T) {
	const n = 6
	for looks := range n + 1 {
		r := &run{Import: &Import{}}
		for i := range n {
			id, err := armid.Parse("/subscriptions/s/resourceGroups/g" + strconv.Itoa(i))
			if err != nil {
				t.Fatal(err)
			}
			r.objects = append(r.objects, object{id: id, spec: map[string]any{}})
		}
		encoded := 0
		r.Progress = func(s State) { encoded++ }
		result, err := r.result(&countdown{t.Context(), looks})
		if looks == n {
			if err != nil || len(result.Objects) != n {
				t.Errorf("%v, want %d objects", err, n)
			}
		} else if !errors.Is(err, context.Canceled) || result != nil || encoded != looks {
			t.Errorf("after %d looks: %v, %v, %d objects were encoded", looks, result, err, encoded)
		}
	}
}
