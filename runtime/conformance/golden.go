package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var updateFlag = flag.Bool("update", false, "write golden files anew")

// Golden tests hand-written steps with golden files in testdata. It applies to versions with a
// property that a step between them and the hub converts. Each such version has two files. One
// has an exemplar with all properties, and its conversion to the hub. The other has the hub's
// exemplar, and its conversion to that version. With -update, or STRATA_UPDATE=1, Golden writes
// the files.
func Golden(t *testing.T, k Versions) {
	t.Helper()
	c, err := k.compile()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range c.written() {
		if !l.completed {
			continue
		}
		t.Run(testName(k.resource, l.label+" golden"), func(t *testing.T) {
			c.golden(t, l, c.hub)
			if l != c.hub {
				c.golden(t, c.hub, l)
			}
		})
	}
}

// golden compares a conversion with its golden file, such as
// testdata/person_v20110101_v20190909.json.
func (c *chain) golden(t *testing.T, from, to *link) {
	t.Helper()
	got, err := c.example(from, to)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", strings.ToLower(from.api.Name())+"_"+from.label+"_"+to.label+".json")
	if *updateFlag || os.Getenv("STRATA_UPDATE") != "" {
		if err := errors.Join(os.MkdirAll("testdata", 0o777), os.WriteFile(file, got, 0o666)); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t.Errorf("there is no %s yet: look at what -update writes, and keep it\n%s", file, got)
	case err != nil:
		t.Error(err)
	case !bytes.Equal(got, want):
		t.Errorf("%s is no longer what comes out, %s\nif that is right, -update writes it", file, firstDifference(got, want))
	}
}

// example returns a version's exemplar and its conversion to another version, as JSON.
func (c *chain) example(from, to *link) ([]byte, error) {
	x := from.programs.api.slab.take(1)
	exemplify(from.api, x)
	h, err := from.up(c, x)
	if err != nil {
		return nil, err
	}
	y, err := to.down(c, h)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err = encoder.Encode([]struct {
		Version string `json:"version"`
		Object  any    `json:"object"`
	}{{from.label, at(from.api, x)}, {to.label, at(to.api, y)}})
	return out.Bytes(), err
}

func firstDifference(got, want []byte) string {
	a, b := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("first in line %d: got %q, want %q", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("of %d lines, not %d", len(a), len(b))
}
