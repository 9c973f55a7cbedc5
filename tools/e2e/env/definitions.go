package env

import (
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// Definitions are the definitions of an API.
type Definitions []*unstructured.Unstructured

// readDefinitions reads those in a folder.
func readDefinitions(folder string) (Definitions, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no definitions are in %s", folder)
	}
	var all Definitions
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		definition := new(unstructured.Unstructured)
		if err := yaml.Unmarshal(text, &definition.Object); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, definition)
	}
	return all, nil
}

// names are as in persons.crm.example.com.
func (d Definitions) names() []string {
	var names []string
	for _, definition := range d {
		names = append(names, definition.GetName())
	}
	return names
}

// write writes them to a folder, a file each, with the address of a webhook in place of a service.
func (d Definitions) write(folder, url string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	for _, definition := range d {
		client := map[string]any{"url": url}
		if err := unstructured.SetNestedMap(definition.Object, client, "spec", "conversion", "webhook", "clientConfig"); err != nil {
			return fmt.Errorf("address %s: %w", definition.GetName(), err)
		}
		text, err := yaml.Marshal(definition.Object)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, definition.GetName()+".yaml"), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// servedBy are the versions that a definition serves.
func servedBy(definition *unstructured.Unstructured) []string {
	versions, _, _ := unstructured.NestedSlice(definition.Object, "spec", "versions")
	var served []string
	for _, v := range versions {
		version, _ := v.(map[string]any)
		if on, _, _ := unstructured.NestedBool(version, "served"); on {
			name, _, _ := unstructured.NestedString(version, "name")
			served = append(served, name)
		}
	}
	return served
}
