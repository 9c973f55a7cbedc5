package pack

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const definition = `spec:
  group: a.b
  scope: Namespaced
  names: {kind: Note, plural: notes}
  versions: [{name: v1storage, served: true, storage: true}, {name: v1, served: true}]
`

// folder writes a package with files in the folder crds.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "crds"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, "crds", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestRead checks that the digest depends on names and contents of CRDs alone.
func TestRead(t *testing.T) {
	one, err := Read(folder(t, map[string]string{"notes.yaml": definition}))
	if err != nil || len(one.CRDs) != 1 || one.CRDs[0].Name() != "notes.a.b" || one.CRDs[0].Hub() != "v1storage" {
		t.Fatalf("%+v, %v", one, err)
	}
	for reason, test := range map[string]struct {
		files map[string]string
		same  bool
	}{
		"again":        {map[string]string{"notes.yaml": definition}, true},
		"other files":  {map[string]string{"notes.yaml": definition, "README.md": "r"}, true},
		"a separator":  {map[string]string{"notes.yaml": "# comment\n---\n" + definition + "---\n"}, false},
		"another name": {map[string]string{"other.yaml": definition}, false},
		"another text": {map[string]string{"notes.yaml": definition + "# new\n"}, false},
	} {
		got, err := Read(folder(t, test.files))
		if err != nil || (got.Digest == one.Digest) != test.same {
			t.Errorf("%s: %+v, %v; the digest was %s", reason, got, err, one.Digest)
		}
	}
}

// TestReadRefuses checks that the error names all files that are wrong.
func TestReadRefuses(t *testing.T) {
	for reason, test := range map[string]struct {
		files map[string]string
		err   []string
	}{
		"no CRDs":     {nil, []string{"has no CRDs: name the folder that strata generate writes"}},
		"two errors":  {map[string]string{"a.yaml": "[", "b.yaml": "{}"}, []string{"a.yaml", "b.yaml"}},
		"a CRD twice": {map[string]string{"a.yaml": definition, "b.yaml": definition}, []string{"b.yaml: the package has another CRD notes.a.b"}},
		"two CRDs":    {map[string]string{"a.yaml": definition + "---\n" + strings.ReplaceAll(definition, "notes", "others")}, []string{"a.yaml: it has several documents"}},
		"nothing":     {map[string]string{"a.yaml": "# nothing\n"}, []string{"a.yaml: it is empty"}},
		"a long file": {map[string]string{"a.yaml": strings.Repeat("#", maxFile+1)}, []string{"longer than 8388608 bytes"}},
	} {
		_, err := Read(folder(t, test.files))
		for _, want := range test.err {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", reason, err, want)
			}
		}
	}
}

// TestGenerated has packages with kinds of Strata and without.
func TestGenerated(t *testing.T) {
	for text, want := range map[string]string{definition: "notes.a.b", strings.ReplaceAll(definition, "storage,", ","): ""} {
		p, err := Read(folder(t, map[string]string{"a.yaml": text}))
		if err != nil || p.Generated() != want {
			t.Errorf("%q, %v, want %q", p.Generated(), err, want)
		}
	}
}
