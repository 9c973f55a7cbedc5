package ledger

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/stratakube/strata/generator/internal/diag"
)

// IndexFile is the name of the index in the ledger's folder.
const IndexFile = "index.json"

// indexVersion is the version of the index's format.
const indexVersion = 1

type index struct {
	Version   int        `json:"version"`
	Resources []indexRow `json:"resources"`
}

type indexRow struct {
	Type string `json:"type"`
	Kind string `json:"kind"`
	File string `json:"file"`

	at func() diag.Pos // the position of the row, after reading
}

// index formats the index, with one resource on a line.
func (l *Ledger) index() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\"version\":%d,\"resources\":[", indexVersion)
	for i, e := range l.Entries {
		if i > 0 {
			b.WriteByte(',')
		}
		row, _ := stdjson.Marshal(indexRow{Type: e.Model.Type, Kind: e.Model.Kind, File: e.File}) // strings always encode
		b.WriteString("\n")
		b.Write(row)
	}
	b.WriteString("\n]}\n")
	return b.Bytes()
}

// parseIndex reads an index strictly: unknown members are errors. The error is a diag.Message.
func parseIndex(file string, body []byte) ([]indexRow, error) {
	var ix index
	if err := json.Unmarshal(body, &ix, json.RejectUnknownMembers(true)); err != nil {
		at, text := diag.JSONError(file, body, err)
		return nil, diag.Errorf(at, "not the index of a ledger: %s", text).WithHint("%s", hintFor(string(body)))
	}
	if ix.Version != indexVersion {
		return nil, diag.Errorf(diag.JSONValue(file, body, "/version"), "version %d of the ledger is not known", ix.Version).
			WithHint("this version of strata knows version %d: use the one that wrote it, or a newer one", indexVersion)
	}
	types, files := map[string]bool{}, map[string]bool{}
	for i := range ix.Resources {
		row := &ix.Resources[i]
		row.at = func() diag.Pos {
			return diag.JSONValue(file, body, jsontext.Pointer(fmt.Sprintf("/resources/%d", i)))
		}
		typ, name := strings.ToLower(row.Type), strings.ToLower(row.File)
		if problem := row.problem(types[typ], files[name]); problem != "" {
			return nil, diag.Errorf(row.at(), "%s", problem).WithHint(restoreHint)
		}
		types[typ], files[name] = true, true
	}
	return ix.Resources, nil
}

// TypesOf returns the resource types of the ledger in a folder, without reading their entries.
// There are none if the index cannot be read.
func TypesOf(dir string) []string {
	name := filepath.Join(dir, IndexFile)
	body, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	rows, err := parseIndex(name, body)
	if err != nil {
		return nil
	}
	var out []string
	for _, r := range rows {
		out = append(out, r.Type)
	}
	return out
}

// problem returns the error in a row; empty if there is none.
func (r *indexRow) problem(sameType, sameFile bool) string {
	switch {
	case sameType:
		return fmt.Sprintf("%s stands twice in the ledger", r.Type)
	case !fs.ValidPath(r.File) || strings.Contains(r.File, `\`) || path.Ext(r.File) != ".txt":
		return fmt.Sprintf("%q is not a file of the ledger", r.File)
	case sameFile:
		return fmt.Sprintf("the file %s stands twice in the ledger", r.File)
	}
	return ""
}
