package releases

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// Example is the plugin in the archive of a release, below the module's folder.
const Example = "example/files"

// Framework archives what the example is built from: the module's own packages, and its
// requirements.
func Framework(module string) ([]byte, error) {
	names, err := sources(module)
	if err != nil {
		return nil, fmt.Errorf("archive framework: %w", err)
	}
	archive := &txtar.Archive{}
	for _, name := range append([]string{"go.mod", "go.sum"}, names...) {
		data, err := os.ReadFile(filepath.Join(module, filepath.FromSlash(name)))
		if err != nil {
			return nil, fmt.Errorf("archive framework: %w", err)
		}
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: data})
	}
	return txtar.Format(archive), nil
}

// listed is the go command's description of a package.
type listed struct {
	Dir            string
	GoFiles        []string
	IgnoredGoFiles []string // of other systems
	Module         *struct{ Main bool }
}

func sources(module string) ([]string, error) {
	cmd := exec.Command("go", "list", "-deps", "-json=Dir,GoFiles,IgnoredGoFiles,Module", "./"+Example)
	cmd.Dir = module
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list packages: %w", err)
	}
	var names []string
	for packages := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := packages.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("list packages: %w", err)
		}
		if p.Module == nil || !p.Module.Main {
			continue
		}
		for _, file := range append(p.GoFiles, p.IgnoredGoFiles...) {
			name, err := filepath.Rel(module, filepath.Join(p.Dir, file))
			if err != nil {
				return nil, err
			}
			names = append(names, filepath.ToSlash(name))
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(names, func(name string) bool { return strings.HasSuffix(name, "_test.go") }), nil
}
