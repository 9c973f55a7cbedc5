package arm

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
)

// TestFiles checks that the result has every decoded file once, including those that others refer
// to.
func TestFiles(t *testing.T) {
	dir := folder(t, map[string]string{
		"2020-01-01/A.json":       `{"resourceDefinitions": {"x": {"properties": {"type": {"const": "A/a"}, "p": {"$ref": "../common/definitions.json#/definitions/plan"}}}}}`,
		"2020-01-01/B.json":       `{"resourceDefinitions": {"x": {"properties": {"type": {"const": "A/b"}, "p": {"$ref": "../common/definitions.json#/definitions/plan"}}}}}`,
		"2020-01-01/C.json":       `{`,
		"common/definitions.json": `{"definitions": {"plan": {"type": "string"}}}`,
		"2019-01-01/D.json":       `{}`,
	})
	result, err := Read(context.Background(), Options{Root: dir, Include: []string{"2020*/*.json"}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range result.Files {
		got = append(got, f.Path)
		if f.Size == 0 || len(f.Digest) != 64 {
			t.Errorf("%s has size %d and digest %q", f.Path, f.Size, f.Digest)
		}
	}
	if want := []string{"2020-01-01/A.json", "2020-01-01/B.json", "common/definitions.json"}; !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
}

// TestShared checks that all resources of a file that reach a definition share it, and that bodies
// do not share what references at their roots copy.
func TestShared(t *testing.T) {
	dir := folder(t, map[string]string{"2020-01-01/A.json": `{
		"resourceDefinitions": {
			"a": {"properties": {"type": {"const": "A/a"}, "p": {"$ref": "#/definitions/P"}}},
			"b": {"properties": {"type": {"const": "A/b"}}, "allOf": [{"$ref": "#/definitions/P"}]},
			"c": {"properties": {"type": {"const": "A/c"}, "p": {"$ref": "#/definitions/P"}}}
		},
		"definitions": {"P": {"type": "object", "properties": {"name": {"type": "string"}, "q": {"$ref": "#/definitions/Q"}}}, "Q": {"type": "string"}}
	}`})
	result, err := Read(context.Background(), Options{Root: dir})
	if err != nil {
		t.Fatal(err)
	}
	a, b, c := result.Resources[0].Versions[0], result.Resources[1].Versions[0], result.Resources[2].Versions[0]
	if a.Def("P") == nil || a.Def("P") != c.Def("P") || b.Def("P") != nil {
		t.Errorf("P is %p, %p, %p; want one for a and c, none for b", a.Def("P"), b.Def("P"), c.Def("P"))
	}
	if b.Spec.(*model.Object).Property("name") != nil || a.Def("P").Object().Property("name") == nil {
		t.Error("the copy in b has a name, or the definition has lost it")
	}
}

func TestPositions(t *testing.T) {
	text := `{"resourceDefinitions": {"a": {"properties": {"type": {"const": "A/a"}, "p": {"$ref": "#/definitions/P"}}}}, "definitions": {"P": {"type": "array"}}}`
	dir := folder(t, map[string]string{"2020-01-01/A.json": text})
	result, err := Read(context.Background(), Options{Root: dir})
	if err != nil {
		t.Fatal(err)
	}
	var locations source.Positions
	v := result.Resources[0].Versions[0]
	for _, test := range []struct {
		pos          model.Pos
		starts, path string
	}{
		{v.Pos, `{"properties": {"type"`, "/resourceDefinitions/a"},
		{v.Spec.(*model.Object).Property("p").Pos, `{"$ref"`, "/resourceDefinitions/a/properties/p"},
		{v.Defs[0].Pos, `{"type": "array"}`, "/definitions/P"},
	} {
		if test.pos.File != filepath.Join(dir, "2020-01-01", "A.json") || !strings.HasPrefix(text[test.pos.Offset:], test.starts) {
			t.Errorf("position %v, want that of %s", test.pos, test.starts)
		}
		if got := locations.At(test.pos); got.Path != test.path || got.Offset != test.pos.Offset {
			t.Errorf("location %+v, want path %s", got, test.path)
		}
	}
	if got := locations.At(model.Pos{}); !got.IsZero() {
		t.Errorf("the unknown position is at %v", got)
	}
	if got := locations.At(model.Pos{File: "absent.json", Offset: 3}); got.Path != "" || got.Offset != 3 {
		t.Errorf("a position in a file that is not there is at %v", got)
	}
}

// TestUnreadable checks that unreadable files are broken, and that others are still read.
func TestUnreadable(t *testing.T) {
	dir := folder(t, map[string]string{"2020-01-01/A.json": garden("beds")})
	if err := os.Symlink(filepath.Join(dir, "absent"), filepath.Join(dir, "2020-01-01", "B.json")); err != nil {
		t.Skipf("needs symbolic links: %v", err)
	}
	if err := os.Truncate(filepath.Join(dir, "2020-01-01", "A.json"), 0); err != nil {
		t.Fatal(err)
	}
	large := filepath.Join(dir, "2020-01-01", "C.json")
	if err := os.WriteFile(large, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, maxSize+1); err != nil {
		t.Fatal(err)
	}
	result, err := Read(context.Background(), Options{Root: dir})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range result.Broken {
		got = append(got, b.Source.File+": "+b.Messages[0].Text)
	}
	want := []string{
		"2020-01-01/A.json: not a JSON document: the document ends before its value does",
		fmt.Sprintf("2020-01-01/B.json: the file is a symbolic link to %q, which does not exist", filepath.Join(dir, "absent")),
		"2020-01-01/C.json: the file has 67108865 bytes, more than the limit of 67108864",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("broken, -want +got:\n%s", diff)
	}
}

// TestBlowUp checks that references at the root of a resource that double with every step end in an
// error, and quickly.
func TestBlowUp(t *testing.T) {
	var text strings.Builder
	text.WriteString(`{"resourceDefinitions": {"a": {"properties": {"type": {"const": "A/a"}}, "allOf": [{"$ref": "#/definitions/d0"}]}}, "definitions": {`)
	for i := range 40 {
		fmt.Fprintf(&text, `"d%d": {"allOf": [{"$ref": "#/definitions/d%[2]d"}, {"$ref": "#/definitions/d%[2]d"}]}, `, i, i+1)
	}
	text.WriteString(`"d40": {}}}`)
	result, err := Read(context.Background(), Options{Root: folder(t, map[string]string{"2020-01-01/A.json": text.String()})})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Broken) != 1 || result.Broken[0].Messages[0].Text != "references at the root of the resource copy more than 50000 schemas" {
		t.Errorf("broken: %+v", result.Broken)
	}
}
