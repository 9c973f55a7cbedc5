package crds

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// Read reads the CRDs below a folder. Of several with one name it keeps the first.
func Read(folder string) (all []*v1.CustomResourceDefinition, err error) {
	err = filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(file)) {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
		for {
			d := new(v1.CustomResourceDefinition)
			if err := decoder.Decode(d); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return fmt.Errorf("read %s: %w", file, err)
			}
			known := slices.ContainsFunc(all, func(other *v1.CustomResourceDefinition) bool { return other.Name == d.Name })
			if d.Kind == "CustomResourceDefinition" && !known {
				d.ResourceVersion, d.Status = "", v1.CustomResourceDefinitionStatus{}
				all = append(all, d)
			}
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read CRDs: %w", err)
	}
	return all, nil
}
