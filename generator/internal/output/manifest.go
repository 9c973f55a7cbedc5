package output

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
)

// ManifestVersion is the version of the format that Marshal writes.
const ManifestVersion = 1

// Manifest lists everything that was generated. It is in the output folder and committed with it.
type Manifest struct {
	Version int `json:"version"`
	// Ejected reports that the generated files are the author's own now.
	Ejected   bool       `json:"ejected,omitempty"`
	Resources []Resource `json:"resources"`
	Omitted   []Omitted  `json:"omitted"`
	// Files has all generated files below the output folder, except for the manifest itself, the
	// ledger and golden files.
	Files []FileSum `json:"files"`
}

// Source is the origin of a resource version.
type Source struct {
	Kind    string `json:"kind"` // of the source: "arm"
	Type    string `json:"type"` // "Microsoft.Batch/batchAccounts"
	Version string `json:"version"`
	File    string `json:"file"` // relative to the source's root, with slashes
}

// Resource is one resource in one version.
type Resource struct {
	// Source is the first that declares the spec. Sources lists all.
	Source  Source   `json:"source"`
	Sources []Source `json:"sources,omitempty"`
	Group   string   `json:"group"`
	Version string   `json:"version"`
	Kind    string   `json:"kind"`
	Plural  string   `json:"plural"`
	Hub     bool     `json:"hub"`
	Storage string   `json:"storage"` // version label of the storage type
	Served  bool     `json:"served"`
	Package string   `json:"package"` // import path of the API type
	// ExternalNames maps properties at the root that have another name here to their names in the
	// external API.
	ExternalNames map[string]string `json:"outside,omitempty"`
	// Secrets are the paths of secrets in spec and status.
	Secrets []string `json:"secrets,omitempty"`
	// ReadOnly are the paths in the spec that only the external API writes.
	ReadOnly []string `json:"readOnly,omitempty"`
	// Defaults are the external API's values for properties that the spec does not set: JSON, by
	// path in the spec.
	Defaults map[string]string `json:"defaults,omitempty"`
}

// Omitted is a resource version that was not generated, with the reason.
type Omitted struct {
	Source Source `json:"source"`
	Reason string `json:"reason"`
}

// FileSum is a path below the output folder and the digest of the file.
type FileSum struct {
	Path   string `json:"path"`
	SHA256 Digest `json:"sha256"`
}

// Digest is a SHA-256 sum. Its text is lower-case hexadecimal.
type Digest [sha256.Size]byte

// String returns the digest in hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText returns the digest in hexadecimal.
func (d Digest) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d[:]), nil }

// UnmarshalText reads what MarshalText writes.
func (d *Digest) UnmarshalText(text []byte) error {
	var sum Digest
	if len(text) != hex.EncodedLen(len(sum)) {
		return fmt.Errorf("%q is not a SHA-256 sum", text)
	}
	if _, err := hex.Decode(sum[:], text); err != nil {
		return fmt.Errorf("%q is not a SHA-256 sum", text)
	}
	*d = sum
	return nil
}

// Marshal returns the manifest as sorted JSON with one resource and one file on each line, so that
// version control merges and compares it line by line.
func (m *Manifest) Marshal() ([]byte, error) {
	resources := slices.SortedFunc(slices.Values(m.Resources), Resource.compare)
	omitted := slices.SortedFunc(slices.Values(m.Omitted), Omitted.compare)
	files := slices.SortedFunc(slices.Values(m.Files), FileSum.compare)
	var out bytes.Buffer
	fmt.Fprintf(&out, "{\n  \"version\": %d", ManifestVersion)
	if m.Ejected {
		out.WriteString(",\n  \"ejected\": true")
	}
	if err := rows(&out, "resources", resources); err != nil {
		return nil, err
	}
	if err := rows(&out, "omitted", omitted); err != nil {
		return nil, err
	}
	if err := rows(&out, "files", files); err != nil {
		return nil, err
	}
	out.WriteString("\n}\n")
	return out.Bytes(), nil
}

func rows[T any](out *bytes.Buffer, name string, list []T) error {
	fmt.Fprintf(out, ",\n  %q: [", name)
	for i := range list {
		row, err := json.Marshal(&list[i], json.Deterministic(true))
		if err != nil {
			return fmt.Errorf("marshal %s of the manifest: %w", name, err)
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n    ")
		out.Write(row)
	}
	if len(list) > 0 {
		out.WriteString("\n  ")
	}
	out.WriteByte(']')
	return nil
}

func (r Resource) compare(s Resource) int {
	return cmp.Or(
		cmp.Compare(r.Group, s.Group),
		cmp.Compare(r.Kind, s.Kind),
		cmp.Compare(r.Version, s.Version),
		r.Source.compare(s.Source),
	)
}

func (o Omitted) compare(p Omitted) int {
	return cmp.Or(o.Source.compare(p.Source), cmp.Compare(o.Reason, p.Reason))
}

func (s Source) compare(t Source) int {
	return cmp.Or(
		cmp.Compare(s.Kind, t.Kind),
		cmp.Compare(s.Type, t.Type),
		cmp.Compare(s.Version, t.Version),
		cmp.Compare(s.File, t.File),
	)
}

func (f FileSum) compare(g FileSum) int { return cmp.Compare(f.Path, g.Path) }
