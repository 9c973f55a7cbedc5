package protobuf

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// sums lists the protobuf files, their templates and the generated code of a module with their
// SHA-256, by path.
func sums(module string) (string, error) {
	var out strings.Builder
	err := each(module, func(name string, data []byte) error {
		fmt.Fprintf(&out, "%x  %s\n", sha256.Sum256(data), name)
		return nil
	})
	return out.String(), err
}

func each(module string, f func(name string, data []byte) error) error {
	err := filepath.WalkDir(module, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !matters(entry.Name()) {
			return err
		}
		name, err := filepath.Rel(module, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return f(filepath.ToSlash(name), data)
	})
	if err != nil {
		return fmt.Errorf("read protobuf files: %w", err)
	}
	return nil
}

func matters(name string) bool {
	return strings.HasSuffix(name, ".proto") || strings.HasSuffix(name, ".pb.go") || name == "buf.gen.yaml"
}

// compare finds generated code that differs in two folders, or is in one of them only.
func compare(fresh, committed string) error {
	code := func(folder string) (map[string][]byte, error) {
		files := map[string][]byte{}
		return files, each(folder, func(name string, data []byte) error {
			if strings.HasSuffix(name, ".pb.go") {
				files[name] = data
			}
			return nil
		})
	}
	want, err := code(fresh)
	if err != nil {
		return err
	}
	got, err := code(committed)
	if err != nil {
		return err
	}
	var wrong []error
	for name, data := range want {
		if !bytes.Equal(got[name], data) {
			wrong = append(wrong, fmt.Errorf("%s is not what its files give: run go tool mage proto", name))
		}
	}
	for name := range got {
		if want[name] == nil {
			wrong = append(wrong, fmt.Errorf("%s is generated from no file", name))
		}
	}
	return errors.Join(wrong...)
}
