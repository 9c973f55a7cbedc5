package openapi

import (
	"encoding/json"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/generator/internal/source/sourcetest"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// TestIdiomsAreDocuments validates the documents of this package's tests, and those that the
// example is generated from, with a widely used library. A test with an invalid document would show
// nothing.
func TestIdiomsAreDocuments(t *testing.T) {
	for _, pattern := range []string{"testdata/idioms/*.txtar", "../../engine/testdata/openapi/*.txtar"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("no archives at %s: %v", pattern, err)
		}
		for _, name := range names {
			judgeArchive(t, name)
		}
	}
}

func judgeArchive(t *testing.T, name string) {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, f := range archive.Files {
		files[f.Name] = f.Data
	}
	for _, f := range archive.Files {
		if f.Name == sourcetest.Want || f.Name == "strata.yaml" {
			continue
		}
		if err := judge(t, f.Name, files); err != nil {
			t.Errorf("%s: %s: %v", filepath.Base(name), f.Name, err)
		}
	}
}

// judge returns what is wrong with a document. Files that it refers to are not documents by
// themselves.
func judge(t *testing.T, name string, files map[string][]byte) error {
	t.Helper()
	all, err := syntax.Parse(name, files[name], syntax.Default)
	if err != nil || len(all) == 0 {
		return err
	}
	switch {
	case all[0].Member("swagger") != nil:
		return json.Unmarshal([]byte(all[0].JSON()), &openapi2.T{})
	case all[0].Member("openapi") == nil:
		return nil
	}
	loader := openapi3.NewLoader()
	loader.ReadFromURIFunc = func(_ *openapi3.Loader, at *url.URL) ([]byte, error) {
		return files[strings.TrimPrefix(path.Clean(at.Path), "/")], nil
	}
	doc, err := loader.LoadFromDataWithPath(files[name], &url.URL{Path: name})
	if err != nil {
		return err
	}
	return doc.Validate(t.Context(), openapi3.EnableMultiError())
}
