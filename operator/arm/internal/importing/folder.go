package importing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Write writes all objects to out as one text, owners first. Once the context ends it writes no
// further object, and returns the context's error.
func (r *Result) Write(ctx context.Context, out io.Writer, progress Progress) error {
	for i, o := range r.Objects {
		if err := r.next(ctx, i, progress); err != nil {
			return err
		}
		text := o.YAML
		if i > 0 {
			text = slices.Concat(separator, text)
		}
		if _, err := out.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// separator separates two objects of one text.
var separator = []byte("---\n")

// next returns the context's error, or reports progress: the objects before the given one are
// written.
func (r *Result) next(ctx context.Context, written int, progress Progress) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	progress.call(State{Read: len(r.Objects), Encoded: len(r.Objects), Written: written})
	return nil
}

// CheckFolder returns an error if a folder is not empty. An empty name is not checked.
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

// WriteFolder writes a folder of Kustomize packages, completely or not at all. It has one package
// for each level of ownership, with a file for each object, and one that applies all levels,
// owners first. Once the context ends it writes no further object, removes what it wrote, and
// returns the context's error.
func (r *Result) WriteFolder(ctx context.Context, dir string, progress Progress) error {
	if err := CheckFolder(dir); err != nil {
		return err
	}
	dir = filepath.Clean(dir)
	temp, err := os.MkdirTemp(filepath.Dir(dir), ".strata-arm-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", dir, err)
	}
	defer os.RemoveAll(temp) // does nothing after success
	if err := errors.Join(os.Chmod(temp, 0o755), r.write(ctx, temp, progress)); err != nil {
		return fmt.Errorf("write %s: %w", dir, err)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	_ = os.Remove(dir) // an empty folder
	if err := os.Rename(temp, dir); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

func (r *Result) write(ctx context.Context, dir string, progress Progress) error {
	var levels []string
	files, used := map[string][]string{}, map[string]bool{}
	for i, o := range r.Objects {
		if err := r.next(ctx, i, progress); err != nil {
			return err
		}
		level, file := fmt.Sprintf("level-%d", o.Level), strings.ToLower(o.Kind)+"-"+o.Name+".yaml"
		if used[level+"/"+file] { // of another group
			file = o.Group + "-" + file
		}
		used[level+"/"+file] = true
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
