package output_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/golden"
	"github.com/stratakube/strata/generator/internal/output"
)

func manifest() *output.Manifest {
	source := output.Source{Kind: "arm", Type: "Microsoft.Crm/persons", Version: "2014-04-04-preview", File: "2014-04-04-preview/Microsoft.Crm.json"}
	older := output.Source{Kind: "arm", Type: "Microsoft.Crm/persons", Version: "2011-01-01", File: "2011-01-01/Microsoft.Crm.json"}
	return &output.Manifest{
		Version: output.ManifestVersion,
		Resources: []output.Resource{
			{Source: older, Sources: []output.Source{older}, Group: "crm.example.com", Version: "v20110101", Kind: "Person", Plural: "persons",
				Storage: "v20110101storage", Served: true, Package: "example.com/api/crm/v20110101"},
			{Source: source, Sources: []output.Source{source}, Group: "crm.example.com", Version: "v20140404preview", Kind: "Person", Plural: "persons",
				Hub: true, Storage: "v20140404previewstorage", Package: "example.com/api/crm/v20140404preview"},
		},
		Omitted: []output.Omitted{{Source: output.Source{Kind: "arm", Type: "Microsoft.Crm/notes", Version: "2011-01-01", File: "a<b>.json"}, Reason: `a "reason"`}},
		Files:   []output.FileSum{{Path: "crm/a.go", SHA256: output.Digest{1}}, {Path: "crm/b.go", SHA256: output.Digest{2}}},
	}
}

func TestManifestRoundTrip(t *testing.T) {
	empty := &output.Manifest{Version: output.ManifestVersion, Resources: []output.Resource{}, Omitted: []output.Omitted{}, Files: []output.FileSum{}}
	for reason, want := range map[string]*output.Manifest{"full": manifest(), "empty": empty} {
		body, err := want.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		got, err := output.ParseManifest("manifest.json", body)
		if err != nil {
			t.Fatalf("%s: %v\n%s", reason, err, body)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", reason, diff)
		}
		compareGolden(t, filepath.Join("testdata", "manifest", reason+".json"), body)
	}
}

// TestManifestIsSorted checks that the order of rows does not affect the bytes, and that the
// caller's lists do not change.
func TestManifestIsSorted(t *testing.T) {
	want, err := manifest().Marshal()
	if err != nil {
		t.Fatal(err)
	}
	turned := manifest()
	turned.Resources[0], turned.Resources[1] = turned.Resources[1], turned.Resources[0]
	turned.Files[0], turned.Files[1] = turned.Files[1], turned.Files[0]
	got, err := turned.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("order shows:\n%s", diff)
	}
	if turned.Files[0].Path != "crm/b.go" {
		t.Error("Marshal sorted the caller's list")
	}
}

// TestManifestMisuse reads damaged manifests.
func TestManifestMisuse(t *testing.T) {
	golden.Run(t, "testdata/manifest/*.txtar", "want", readManifest)
}

// readManifest reads the manifest of an archive, and returns its messages.
func readManifest(t *testing.T, files golden.Files) string {
	t.Helper()
	dir := t.TempDir()
	body := []byte(files["manifest.json"])
	if err := os.WriteFile(filepath.Join(dir, output.ManifestFile), body, 0o644); err != nil {
		t.Fatal(err)
	}
	sources := diag.NewSources(nil)
	var list diag.List
	_, err := output.ReadManifest(dir, sources)
	list.AddError(err)
	var out bytes.Buffer
	if err := (diag.Printer{Sources: sources}).Text(&out, list.Messages()); err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(out.String(), dir+string(filepath.Separator), "")
}

func TestReadManifestMissing(t *testing.T) {
	if m, err := output.ReadManifest(t.TempDir(), nil); m != nil || err != nil {
		t.Errorf("got %v, %v of a folder without a manifest", m, err)
	}
}

// FuzzParseManifest checks that no input panics, and that a parsed manifest has safe paths and
// stays the same after it is written and read.
func FuzzParseManifest(f *testing.F) {
	body, err := manifest().Marshal()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(body)
	f.Add([]byte(`{"version":1,"files":[{"path":"../x"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := output.ParseManifest("manifest.json", body)
		if err != nil {
			if message, ok := err.(diag.Message); !ok || message.Pos.Offset > len(body) {
				t.Fatalf("%T without a place: %v", err, err)
			}
			return
		}
		for _, row := range m.Files {
			if !filepath.IsLocal(row.Path) {
				t.Fatalf("a path that climbs out: %q", row.Path)
			}
		}
		first, err := m.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		again, err := output.ParseManifest("manifest.json", first)
		if err != nil {
			t.Fatalf("%v\n%s", err, first)
		}
		if second, _ := again.Marshal(); !bytes.Equal(first, second) {
			t.Fatalf("two writings differ:\n%s\n%s", first, second)
		}
	})
}

func compareGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	if golden.Updates() {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
