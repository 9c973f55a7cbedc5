package output

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/stratakube/strata/generator/internal/diag"
)

// ReadManifest reads the manifest of an output folder; nil if there is none. That of a folder whose
// files were ejected is an error. ReadManifest adds the file to sources, which may be nil.
func ReadManifest(dir string, sources *diag.Sources) (*Manifest, error) {
	file, body, err := readManifest(dir, sources)
	if err != nil || body == nil {
		return nil, err
	}
	return parseManifest(dir, file, body)
}

// readManifest reads the text of a manifest; nil if there is none.
func readManifest(dir string, sources *diag.Sources) (file string, body []byte, err error) {
	file = filepath.Join(dir, ManifestFile)
	body, err = os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return file, nil, nil
	}
	if err != nil {
		return file, nil, diag.Errorf(diag.InFile(file), "read manifest: %v", err)
	}
	if sources != nil {
		sources.Add(file, body)
	}
	return file, body, nil
}

// parseManifest parses the manifest of a folder whose files were not ejected.
func parseManifest(dir, file string, body []byte) (*Manifest, error) {
	m, err := ParseManifest(file, body)
	if err == nil && m.Ejected {
		return nil, ejected(dir)
	}
	return m, err
}

// ReadOutline is like [ReadManifest], but Resources may have only groups, versions and kinds.
func ReadOutline(dir string, sources *diag.Sources) (*Manifest, error) {
	file, body, err := readManifest(dir, sources)
	if err != nil || body == nil {
		return nil, err
	}
	if m, ok := outline(body); ok {
		return m, nil
	}
	return parseManifest(dir, file, body)
}

// outline parses omissions and files of a text that has the form of [Manifest.Marshal].
func outline(body []byte) (*Manifest, bool) {
	text, ok := split(body)
	if !ok {
		return nil, false
	}
	m := &Manifest{
		Version: ManifestVersion, Resources: make([]Resource, len(text.resources)),
		Omitted: make([]Omitted, len(text.omitted)), Files: make([]FileSum, len(text.files)),
	}
	for i, row := range text.resources {
		if m.Resources[i], ok = outlineOf(row); !ok {
			return nil, false
		}
	}
	for i, row := range text.omitted {
		if json.Unmarshal(row, &m.Omitted[i], json.RejectUnknownMembers(true)) != nil {
			return nil, false
		}
	}
	for i, row := range text.files {
		if m.Files[i], ok = sumOf(row); !ok || i > 0 && m.Files[i].Path <= m.Files[i-1].Path {
			return nil, false
		}
	}
	return m, true
}

// ParseManifest parses a manifest strictly. An error is a diag.Message with its position. Paths in
// the result are below the output folder.
func ParseManifest(file string, body []byte) (*Manifest, error) {
	m := new(Manifest)
	if err := json.Unmarshal(body, m, json.RejectUnknownMembers(true)); err != nil {
		return nil, manifestError(file, body, err)
	}
	if m.Version != ManifestVersion {
		return nil, diag.Errorf(diag.At(file, max(0, bytes.Index(body, []byte(`"version"`))), "version"),
			"version %d of the manifest is not known", m.Version).
			WithHint("this version of strata knows version %d: use the one that wrote it, or a newer one", ManifestVersion)
	}
	for i, row := range m.Files {
		problem := checkPath(row.Path)
		if problem == nil && i > 0 && row.Path <= m.Files[i-1].Path {
			problem = fmt.Errorf("%q appears twice or out of order", row.Path)
		}
		if problem != nil {
			at := diag.JSONValue(file, body, jsontext.Pointer(fmt.Sprintf("/files/%d", i)))
			return nil, diag.Errorf(at, "%v", problem).WithHint("%s", restoreHint)
		}
	}
	return m, nil
}

const restoreHint = "the manifest is generated: restore it from version control, then run strata generate"

func manifestError(file string, body []byte, err error) diag.Message {
	at, text := diag.JSONError(file, body, err)
	m := diag.Errorf(at, "not a manifest: %s", text)
	if bytes.HasPrefix(body, []byte("<<<<<<<")) || bytes.Contains(body, []byte("\n<<<<<<< ")) {
		return m.WithHint("it has merge conflicts: take the side from which you take the ledger, then run strata generate")
	}
	return m.WithHint("%s", restoreHint)
}
