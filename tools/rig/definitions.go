package rig

import (
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// Definitions are the definitions of an API, addressed to a webhook.
type Definitions struct {
	Dir   string   // where they are written, a file each
	Names []string // as in persons.crm.example.com
}

// address copies the definitions in a folder, with an address in place of a service, to another folder.
func address(from, to, url string) (Definitions, error) {
	files, err := filepath.Glob(filepath.Join(from, "*.yaml"))
	if err != nil {
		return Definitions{}, err
	}
	d := Definitions{Dir: to}
	if len(files) == 0 {
		return d, fmt.Errorf("no definitions are in %s", from)
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return d, err
	}
	for _, file := range files {
		definition, err := readDefinition(file)
		if err != nil {
			return d, err
		}
		client := map[string]any{"url": url}
		if err := unstructured.SetNestedMap(definition.Object, client, "spec", "conversion", "webhook", "clientConfig"); err != nil {
			return d, fmt.Errorf("address %s: %w", file, err)
		}
		text, err := yaml.Marshal(definition.Object)
		if err != nil {
			return d, err
		}
		if err := os.WriteFile(filepath.Join(to, filepath.Base(file)), text, 0o600); err != nil {
			return d, err
		}
		d.Names = append(d.Names, definition.GetName())
	}
	return d, nil
}

func readDefinition(file string) (*unstructured.Unstructured, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	definition := new(unstructured.Unstructured)
	if err := yaml.Unmarshal(text, &definition.Object); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return definition, nil
}

// namesIn are the names of the definitions in a folder.
func namesIn(folder string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, file := range files {
		definition, err := readDefinition(file)
		if err != nil {
			return nil, err
		}
		names = append(names, definition.GetName())
	}
	return names, nil
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
