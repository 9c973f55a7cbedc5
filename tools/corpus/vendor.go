package corpus

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/bmatcuk/doublestar/v4"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	strict "sigs.k8s.io/yaml"
)

// Vendor is a folder of definitions below the corpus, but for some of its files.
type Vendor struct {
	Folder  string
	Exclude []string
	Reason  string // why those are left out
}

// Vendors are all folders of definitions.
var Vendors = []Vendor{
	{Folder: "cert-manager-v1.21.2"},
	{Folder: "cluster-api-v1.4.0"},
	{Folder: "gateway-api-v0.8.1", Exclude: []string{"**/standard/**"}, Reason: "the experimental channel defines the same kinds with more"},
	{Folder: "knative-serving-v0.51.0"},
}

// Project is a project of the vendor's definitions.
func (v Vendor) Project(c Corpora) Project {
	return Project{Native: filepath.Join(c.Definitions(), v.Folder), Include: []string{"**/*.yaml"}, Exclude: v.Exclude}
}

// Read reads the vendor's definitions, by name.
func (v Vendor) Read(c Corpora) (map[string]*v1.CustomResourceDefinition, error) {
	all, err := ReadCRDs(filepath.Join(c.Definitions(), v.Folder), v.Exclude...)
	if err != nil {
		return nil, fmt.Errorf("read CRDs of %s: %w", v.Folder, err)
	}
	return all, nil
}

// ReadCRDs reads the CRDs of a folder, by name, but for the files that globs exclude.
func ReadCRDs(root string, exclude ...string) (map[string]*v1.CustomResourceDefinition, error) {
	all := map[string]*v1.CustomResourceDefinition{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		below, err := filepath.Rel(root, path)
		excluded := func(glob string) bool { return doublestar.MatchUnvalidated(glob, filepath.ToSlash(below)) }
		if err != nil || slices.ContainsFunc(exclude, excluded) {
			return err
		}
		return readAll(path, all)
	})
	return all, err
}

// readAll reads the definitions among the documents of a file.
func readAll(path string, all map[string]*v1.CustomResourceDefinition) error {
	body, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(body)))
	for {
		text, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var head struct{ Kind string }
		if err := strict.Unmarshal(text, &head); err != nil || head.Kind != "CustomResourceDefinition" {
			continue
		}
		d := new(v1.CustomResourceDefinition)
		if err := strict.UnmarshalStrict(text, d); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		all[d.Name] = d
	}
}
