package crd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/stratakube/strata/generator/internal/emit/kubeyaml"
)

// Given is a CRD of a source, in JSON. Type is the type of the resource.
type Given struct{ Type, File, JSON string }

// givens are the CRDs of sources, by their types in lower case.
type givens map[string][]Given

func newGivens(all []Given) givens {
	out := givens{}
	for _, g := range all {
		key := strings.ToLower(g.Type)
		out[key] = append(out[key], g)
	}
	return out
}

// original is the source's CRD of one kind, merged from all files.
type original struct {
	*manifest
	files  []string
	united map[string]bool // the versions that several files define differently
}

// counterpart returns the source's CRD of a generated one, merged from all files and normalized:
// versions in the same order, sets sorted. It returns nil if there is none.
func (all givens) counterpart(f File) (*original, error) {
	var out *original
	for _, g := range all[strings.ToLower(f.Kind.Resource.Model.Type)] {
		d := new(manifest)
		if err := json.Unmarshal([]byte(g.JSON), d); err != nil {
			return nil, fmt.Errorf("compare %s with %s: %w", f.Name, g.File, err)
		}
		if out == nil {
			out = &original{d, []string{g.File}, map[string]bool{}}
			continue
		}
		out.unite(d, g.File)
	}
	if out != nil {
		out.likeness(f)
	}
	return out, nil
}

// unite adds the versions of another file.
func (o *original) unite(more *manifest, file string) {
	if !slices.Contains(o.files, file) {
		o.files = append(o.files, file)
	}
	for _, v := range more.Spec.Versions {
		i := slices.IndexFunc(o.Spec.Versions, func(w v1.CustomResourceDefinitionVersion) bool { return w.Name == v.Name })
		switch {
		case i < 0:
			o.Spec.Versions = append(o.Spec.Versions, v)
		case !reflect.DeepEqual(o.Spec.Versions[i], v):
			o.united[v.Name] = true
		}
	}
}

// likeness removes the members that clients and the API server write, and sorts versions as a
// generated CRD does.
func (m *manifest) likeness(f File) {
	delete(m.Annotations, "kubectl.kubernetes.io/last-applied-configuration")
	m.ManagedFields, m.ResourceVersion, m.UID, m.Generation = nil, "", "", 0
	m.CreationTimestamp.Reset()
	position := map[string]int{}
	for i, v := range f.Versions {
		position[v.Name] = i - len(f.Versions)
	}
	slices.SortStableFunc(m.Spec.Versions, func(a, b v1.CustomResourceDefinitionVersion) int { return position[a.Name] - position[b.Name] })
}

// tree returns a CRD as a JSON value.
func (m *manifest) tree() (any, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	var out any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		return nil, err
	}
	sortSets(out)
	return out, nil
}

// sortSets sorts the names of required members, whose order has no meaning.
func sortSets(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			sortSets(e)
		}
	case map[string]any:
		for name, member := range v {
			if list, ok := member.([]any); ok && name == "required" {
				slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			}
			sortSets(member)
		}
	}
}

// lines prints a value in the form of CRDs.
func lines(ctx context.Context, tree any) ([]byte, error) {
	body, err := json.Marshal(tree)
	if err != nil {
		return nil, err
	}
	return kubeyaml.FromJSON(ctx, body)
}
