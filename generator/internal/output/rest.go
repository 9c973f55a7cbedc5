package output

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/stratakube/strata/generator/internal/diag"
)

// Rest has the rows of a manifest that a run is not about, as text. They stay as they are.
type Rest struct{ resources, files []keyed }

// keyed is the text of a row, with the group of a resource, or the path of a file.
type keyed struct {
	key  string
	text []byte
}

// ReadPart reads the rows of a manifest of which ofType accepts the resource's type, and ofPath the
// file's path. The manifest must have the form of [Manifest.Marshal], and no omissions. Otherwise
// ReadPart returns false. It adds the file to sources, which may be nil.
func ReadPart(dir string, sources *diag.Sources, ofType, ofPath func(string) bool) (*Manifest, *Rest, bool) {
	_, body, err := readManifest(dir, sources)
	if err != nil || body == nil {
		return nil, nil, false
	}
	text, ok := split(body)
	if !ok || len(text.omitted) > 0 {
		return nil, nil, false
	}
	m, rest := &Manifest{Version: ManifestVersion}, &Rest{}
	for _, row := range text.resources {
		typ, known := typeOf(row)
		switch short, ok := outlineOf(row); {
		case !known || !ok:
			return nil, nil, false
		case !ofType(typ):
			rest.resources = append(rest.resources, keyed{short.Group, row})
		default:
			var r Resource
			if json.Unmarshal(row, &r, json.RejectUnknownMembers(true)) != nil {
				return nil, nil, false
			}
			m.Resources = append(m.Resources, r)
		}
	}
	last := ""
	for i, row := range text.files {
		name, ok := pathOf(row)
		if !ok || i > 0 && name <= last {
			return nil, nil, false
		}
		last = name
		if !ofPath(name) {
			rest.files = append(rest.files, keyed{name, row})
			continue
		}
		f, ok := sumOf(row)
		if !ok {
			return nil, nil, false
		}
		m.Files = append(m.Files, f)
	}
	return m, rest, true
}

// typeOf returns the resource type of a row of resources, or false if it is spelled with escapes.
func typeOf(row []byte) (string, bool) {
	_, rest, ok := bytes.Cut(row, []byte(`"type":"`))
	typ, _, closed := bytes.Cut(rest, []byte(`"`))
	return string(typ), ok && closed && bytes.IndexByte(typ, '\\') < 0
}

var errSharedGroup = errors.New("resources of one group are in both parts of the manifest")

// marshal returns the text of a manifest with the rows of rest. A nil rest has no rows.
func (rest *Rest) marshal(m *Manifest) ([]byte, error) {
	if rest == nil {
		return m.Marshal()
	}
	resources, err := texts(slices.SortedFunc(slices.Values(m.Resources), Resource.compare), func(r *Resource) string { return r.Group })
	if err != nil {
		return nil, err
	}
	files, err := texts(slices.SortedFunc(slices.Values(m.Files), FileSum.compare), func(f *FileSum) string { return f.Path })
	if err != nil {
		return nil, err
	}
	allResources, ok := merge(rest.resources, resources)
	allFiles, distinct := merge(rest.files, files)
	if !ok || !distinct || len(m.Omitted) > 0 || m.Ejected {
		return nil, errSharedGroup
	}
	var out bytes.Buffer
	out.Grow(sizeOf(allResources) + sizeOf(allFiles) + 1<<10)
	fmt.Fprintf(&out, "{\n  \"version\": %d", ManifestVersion)
	for _, list := range []struct {
		name string
		rows []keyed
	}{{"resources", allResources}, {"omitted", nil}, {"files", allFiles}} {
		fmt.Fprintf(&out, ",\n  %q: [", list.name)
		for i, row := range list.rows {
			if i > 0 {
				out.WriteByte(',')
			}
			out.WriteString("\n    ")
			out.Write(row.text)
		}
		if len(list.rows) > 0 {
			out.WriteString("\n  ")
		}
		out.WriteByte(']')
	}
	out.WriteString("\n}\n")
	return out.Bytes(), nil
}

// sizeOf returns at least the size of rows in a manifest, so that its text is not copied while it
// grows.
func sizeOf(rows []keyed) int {
	size := 0
	for _, row := range rows {
		size += len(",\n    ") + len(row.text)
	}
	return size
}

func texts[T any](rows []T, key func(*T) string) ([]keyed, error) {
	out := make([]keyed, len(rows))
	for i := range rows {
		text, err := json.Marshal(&rows[i], json.Deterministic(true))
		if err != nil {
			return nil, fmt.Errorf("marshal the manifest: %w", err)
		}
		out[i] = keyed{key(&rows[i]), text}
	}
	return out, nil
}

// merge merges sorted rows. It returns false if both lists have a key, or if one is not sorted.
func merge(a, b []keyed) ([]keyed, bool) {
	inOrder := func(x, y keyed) int { return strings.Compare(x.key, y.key) }
	if !slices.IsSortedFunc(a, inOrder) || !slices.IsSortedFunc(b, inOrder) {
		return nil, false
	}
	out := make([]keyed, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch order := inOrder(a[0], b[0]); {
		case order == 0:
			return nil, false
		case order < 0:
			out, a = append(out, a[0]), a[1:]
		default:
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...), true
}
