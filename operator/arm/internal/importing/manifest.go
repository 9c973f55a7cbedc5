package importing

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/operator/arm/internal/armid"
)

// Manifest lists the types for which an API has been generated.
type Manifest struct {
	Resources []Entry `json:"resources"`
}

// Entry is a type in one version.
type Entry struct {
	Source struct {
		Type    string `json:"type"`
		Version string `json:"version"`
	} `json:"source"`
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
	Plural  string `json:"plural"`
	Served  bool   `json:"served"`
	// ExternalNames maps the names of members at the root to their names in Azure, if these differ.
	ExternalNames map[string]string `json:"outside"`
	// Secrets and ReadOnly are paths, and Defaults maps paths to JSON texts. In paths, [] means
	// the elements of lists, and * those of maps.
	Secrets  []string          `json:"secrets"`
	ReadOnly []string          `json:"readOnly"`
	Defaults map[string]string `json:"defaults"`
}

// ReadManifest reads the manifest.json that the generator wrote.
func ReadManifest(file string) (*Manifest, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read manifest: %w", err)
	}
	m := &Manifest{}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("read manifest %s: %w", file, err)
	}
	if len(m.Resources) == 0 {
		return nil, fmt.Errorf("read manifest %s: it lists no resources", file)
	}
	return m, nil
}

// choose returns the entry of a type in a version. If the version is empty, it returns the newest
// one that is served, and a preview only if there is no other.
func (m *Manifest) choose(kind, version string) (Entry, error) {
	var found []Entry
	for _, e := range m.Resources {
		if strings.EqualFold(e.Source.Type, kind) && e.Served {
			found = append(found, e)
		}
	}
	if len(found) == 0 {
		return Entry{}, fmt.Errorf("the manifest has no type %s", kind)
	}
	slices.SortFunc(found, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(stable(b), stable(a)), strings.Compare(b.Source.Version, a.Source.Version), strings.Compare(a.Group, b.Group))
	})
	if version == "" {
		return found[0], nil
	}
	var known []string
	for _, e := range found {
		if e.Source.Version == version {
			return e, nil
		}
		known = append(known, e.Source.Version)
	}
	return Entry{}, fmt.Errorf("the manifest has no version %s of %s; hint: it has %s", version, kind, strings.Join(known, ", "))
}

func stable(e Entry) int {
	if len(e.Source.Version) > len("2006-01-02") {
		return 0
	}
	return 1
}

// below returns the last words of the types directly below a type, sorted.
func (m *Manifest) below(kind string) []string {
	var words []string
	for _, e := range m.Resources {
		n := len(kind) + 1
		if len(e.Source.Type) > n && strings.EqualFold(e.Source.Type[:n], kind+"/") && !strings.Contains(e.Source.Type[n:], "/") {
			words = append(words, e.Source.Type[n:])
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// deeper returns an entry for each word that follows a type, if the manifest has only types below
// the type of that word. The entry is the one that choose returns for the first of them.
func (m *Manifest) deeper(kind string) (entries []Entry) {
	words := map[string]bool{}
	for _, word := range m.below(kind) {
		words[strings.ToLower(word)] = true
	}
	var types []string
	for _, e := range m.Resources {
		if n := len(kind) + 1; e.Served && len(e.Source.Type) > n && strings.EqualFold(e.Source.Type[:n], kind+"/") {
			types = append(types, e.Source.Type)
		}
	}
	slices.Sort(types)
	for _, one := range types {
		word, _, _ := strings.Cut(strings.ToLower(one[len(kind)+1:]), "/")
		if words[word] {
			continue
		}
		words[word] = true
		if entry, err := m.choose(one, ""); err == nil {
			entries = append(entries, entry)
		}
	}
	return entries
}

// Definitions has the CRDs of a folder.
type Definitions struct {
	folder string
	read   map[string]*definition
}

// OpenDefinitions returns the CRDs of a folder, which it reads later.
func OpenDefinitions(folder string) *Definitions {
	return &Definitions{folder: folder, read: map[string]*definition{}}
}

type definition struct {
	Spec struct {
		Versions []struct {
			Name   string `json:"name"`
			Schema struct {
				OpenAPI *schema `json:"openAPIV3Schema"`
			} `json:"schema"`
		} `json:"versions"`
	} `json:"spec"`
}

// spec returns the schema of the spec of an entry.
func (d *Definitions) spec(e Entry) (*schema, error) {
	name := e.Plural + "." + e.Group
	found, ok := d.read[name]
	if !ok {
		file := filepath.Join(d.folder, filepath.Base(name)+".yaml")
		data, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no CRD %s; hint: --crds names the folder", file)
		}
		if err != nil {
			return nil, fmt.Errorf("read CRD: %w", err)
		}
		found = &definition{}
		if err := yaml.Unmarshal(data, found); err != nil {
			return nil, fmt.Errorf("read CRD %s: %w", file, err)
		}
		d.read[name] = found
	}
	for _, v := range found.Spec.Versions {
		if v.Name == e.Version && v.Schema.OpenAPI != nil && v.Schema.OpenAPI.Properties["spec"] != nil {
			return v.Schema.OpenAPI.Properties["spec"], nil
		}
	}
	return nil, fmt.Errorf("CRD %s has no version %s with a spec", name, e.Version)
}

// parent returns the type of the owners that objects can name: the type without its last word, or
// resource groups.
func (e Entry) parent() string {
	kind, _, _ := cutLast(e.Source.Type)
	if !strings.Contains(kind, "/") {
		return armid.ResourceGroup
	}
	return kind
}

func cutLast(kind string) (before, last string, found bool) {
	i := strings.LastIndexByte(kind, '/')
	if i < 0 {
		return "", kind, false
	}
	return kind[:i], kind[i+1:], true
}
