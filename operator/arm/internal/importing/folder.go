package importing

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// YAML is all objects as one text, owners first.
func (r *Result) YAML() []byte {
	var all [][]byte
	for _, o := range r.Objects {
		all = append(all, o.YAML)
	}
	return bytes.Join(all, []byte("---\n"))
}

// CheckFolder reports why a folder cannot be written: there is something in it. An empty name is no
// folder.
func CheckFolder(dir string) error {
	if dir == "" {
		return nil
	}
	found, err := os.ReadDir(dir)
	switch {
	case err == nil && len(found) > 0:
		return fmt.Errorf("%s is not empty; hint: name a new folder", dir)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("write %s: %w", dir, err)
	}
	return nil
}

// WriteFolder writes a folder of Kustomize packages, whole or not at all: one package for each
// level of ownership, with a file for each object, and one of them all, which applies owners first.
func (r *Result) WriteFolder(dir string) error {
	if err := CheckFolder(dir); err != nil {
		return err
	}
	dir = filepath.Clean(dir)
	temp, err := os.MkdirTemp(filepath.Dir(dir), ".strata-arm-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", dir, err)
	}
	defer os.RemoveAll(temp) // no longer there when all went well
	if err := errors.Join(os.Chmod(temp, 0o755), r.write(temp)); err != nil {
		return fmt.Errorf("write %s: %w", dir, err)
	}
	_ = os.Remove(dir) // one that is empty
	if err := os.Rename(temp, dir); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

func (r *Result) write(dir string) error {
	var levels []string
	files := map[string][]string{}
	for _, o := range r.Objects {
		level, file := fmt.Sprintf("level-%d", o.Level), strings.ToLower(o.Kind)+"-"+o.Name+".yaml"
		if slices.Contains(files[level], file) { // of another group
			file = o.Group + "-" + file
		}
		if files[level] == nil {
			levels = append(levels, level)
		}
		files[level] = append(files[level], file)
		if err := put(filepath.Join(dir, level, file), o.YAML); err != nil {
			return err
		}
	}
	for _, level := range levels {
		if err := kustomization(filepath.Join(dir, level), files[level], nil); err != nil {
			return err
		}
	}
	return kustomization(dir, levels, map[string]any{"order": "fifo"})
}

func kustomization(dir string, resources []string, sort map[string]any) error {
	content := map[string]any{"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "resources": resources}
	if sort != nil {
		content["sortOptions"] = sort
	}
	data, err := yaml.Marshal(content)
	if err != nil {
		return err
	}
	return put(filepath.Join(dir, "kustomization.yaml"), data)
}

func put(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}
