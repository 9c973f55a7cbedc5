package crd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/stratakube/strata/generator/internal/emit/kubeyaml"
)

// Given is a definition as a source has it, in JSON. Type is that of the resource.
type Given struct{ Type, File, JSON string }

// counterpart is what was given of the kind of a generated definition, from however many files, spelled as that is: the
// versions in its order, members that are sets sorted. It is nil for nothing.
func counterpart(f File, given []Given) (*manifest, []string, error) {
	var out *manifest
	var files []string
	for _, g := range given {
		if !strings.EqualFold(g.Type, f.Kind.Resource.Model.Type) {
			continue
		}
		d := new(manifest)
		if err := json.Unmarshal([]byte(g.JSON), d); err != nil {
			return nil, nil, fmt.Errorf("compare %s with %s: %w", f.Name, g.File, err)
		}
		if !slices.Contains(files, g.File) {
			files = append(files, g.File)
		}
		if out == nil {
			out = d
			continue
		}
		for _, v := range d.Spec.Versions {
			if !slices.ContainsFunc(out.Spec.Versions, func(w v1.CustomResourceDefinitionVersion) bool { return w.Name == v.Name }) {
				out.Spec.Versions = append(out.Spec.Versions, v)
			}
		}
	}
	if out != nil {
		out.likeness(f)
	}
	return out, files, nil
}

// likeness leaves out what clients write, and orders versions as a generated definition does.
func (m *manifest) likeness(f File) {
	delete(m.Annotations, "kubectl.kubernetes.io/last-applied-configuration")
	m.ManagedFields, m.ResourceVersion, m.UID, m.Generation = nil, "", "", 0
	m.CreationTimestamp.Reset()
	place := map[string]int{}
	for i, v := range f.Versions {
		place[v.Name] = i - len(f.Versions)
	}
	slices.SortStableFunc(m.Spec.Versions, func(a, b v1.CustomResourceDefinitionVersion) int { return place[a.Name] - place[b.Name] })
}

// tree is a definition as a JSON value.
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

// sortSets sorts the names of members that are required, whose order means nothing.
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

// lines prints a value as definitions are printed.
func lines(ctx context.Context, tree any) ([]byte, error) {
	body, err := json.Marshal(tree)
	if err != nil {
		return nil, err
	}
	return kubeyaml.FromJSON(ctx, body)
}
