package output

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/stratakube/strata/generator/internal/diag"
)

// ReadManifest reads the manifest of an output folder; nil when there is none.
// It adds the file to sources, which may be nil.
func ReadManifest(dir string, sources *diag.Sources) (*Manifest, error) {
	file := filepath.Join(dir, ManifestFile)
	body, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, diag.Errorf(diag.InFile(file), "read manifest: %v", err)
	}
	if sources != nil {
		sources.Add(file, body)
	}
	return ParseManifest(file, body)
}

// ParseManifest reads a manifest strictly. An error is a diag.Message with its
// place. Paths in what it returns are below the output folder.
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
		path := diag.Index("files", i)
		if err := checkPath(row.Path); err != nil {
			return nil, diag.Errorf(diag.At(file, diag.NoOffset, path), "%v", err)
		}
		if i > 0 && row.Path <= m.Files[i-1].Path {
			return nil, diag.Errorf(diag.At(file, diag.NoOffset, path), "%q stands twice or out of order", row.Path).
				WithHint("%s", restoreHint)
		}
	}
	return m, nil
}

const restoreHint = "the manifest is generated: restore it from version control, then run strata generate"

func manifestError(file string, body []byte, err error) diag.Message {
	offset, pointer, cause := int64(0), jsontext.Pointer(""), err
	if syntactic := (*jsontext.SyntacticError)(nil); errors.As(err, &syntactic) {
		offset, pointer, cause = syntactic.ByteOffset, syntactic.JSONPointer, syntactic.Err
	} else if semantic := (*json.SemanticError)(nil); errors.As(err, &semantic) {
		offset, pointer, cause = semantic.ByteOffset, semantic.JSONPointer, semantic.Err
		if cause == nil {
			cause = errors.New("wants another type of value")
		}
	}
	at := diag.At(file, int(min(offset, int64(len(body)))), pointerPath(pointer))
	m := diag.Errorf(at, "not a manifest: %v", strings.TrimPrefix(cause.Error(), "jsontext: "))
	if bytes.HasPrefix(body, []byte("<<<<<<<")) || bytes.Contains(body, []byte("\n<<<<<<< ")) {
		return m.WithHint("it has merge conflicts: take either side, then run strata generate")
	}
	return m.WithHint("%s", restoreHint)
}

// pointerPath turns a JSON pointer into a path as messages have them.
func pointerPath(pointer jsontext.Pointer) string {
	path := ""
	for token := range pointer.Tokens() {
		if token != "" && strings.Trim(token, "0123456789") == "" {
			path += "[" + token + "]"
			continue
		}
		path = diag.Key(path, token)
	}
	return path
}
