package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// ReadDefinitions reads the definitions of an output folder, in order of their files.
func ReadDefinitions(output string) ([]*v1.CustomResourceDefinition, error) {
	files, err := filepath.Glob(filepath.Join(output, "crds", "*.yaml"))
	if err != nil {
		return nil, fmt.Errorf("find definitions: %w", err)
	}
	slices.Sort(files)
	var all []*v1.CustomResourceDefinition
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read definition: %w", err)
		}
		d := new(v1.CustomResourceDefinition)
		if err := yaml.UnmarshalStrict(body, d); err != nil {
			return nil, fmt.Errorf("read definition %s: %w", filepath.Base(file), err)
		}
		all = append(all, d)
	}
	return all, nil
}

// Declared returns the schemas of the members that a schema declares, by their paths below its
// root. A path has [] for the elements of a list, and {} for further members.
func Declared(root *v1.JSONSchemaProps) map[string]*v1.JSONSchemaProps {
	all := map[string]*v1.JSONSchemaProps{}
	declare(all, "", root)
	return all
}

func declare(all map[string]*v1.JSONSchemaProps, path string, s *v1.JSONSchemaProps) {
	all[path] = s
	for name, p := range s.Properties {
		declare(all, path+"."+name, &p)
	}
	if s.Items != nil && s.Items.Schema != nil {
		declare(all, path+"[]", s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		declare(all, path+"{}", s.AdditionalProperties.Schema)
	}
}

// Preserves reports whether a schema keeps members that it does not declare.
func Preserves(s *v1.JSONSchemaProps) bool {
	return s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
}
