package releases

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"
)

// Archive returns what a package of a module is built of: the module's own packages, and its
// requirements. The main package is the first of them.
func Archive(module, program string) ([]byte, error) {
	names, err := sources(module, program)
	if err != nil {
		return nil, fmt.Errorf("archive %s: %w", program, err)
	}
	archive := &txtar.Archive{Comment: []byte(programLine + program + "\n")}
	for _, name := range append([]string{"go.mod", "go.sum"}, names...) {
		data, err := os.ReadFile(filepath.Join(module, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) && name == "go.sum" {
			continue // a module of a workspace can have all sums there
		}
		if err != nil {
			return nil, fmt.Errorf("archive %s: %w", program, err)
		}
		if !utf8.Valid(data) || bytes.HasPrefix(data, []byte("-- ")) || bytes.Contains(data, []byte("\n-- ")) {
			return nil, fmt.Errorf("archive %s: %s is not text, or has a line that begins with %q", program, name, "-- ")
		}
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: data})
	}
	return txtar.Format(archive), nil
}

// programLine begins the comment of an archive, which names the package of the plugin.
const programLine = "program: "

// packageOf returns the package of the plugin in an archive.
func packageOf(archive *txtar.Archive) string {
	line, _, _ := strings.Cut(string(archive.Comment), "\n")
	program, _ := strings.CutPrefix(line, programLine)
	return program
}

// listed is the go command's description of a package.
type listed struct {
	Dir                                         string
	GoFiles, CgoFiles, EmbedFiles               []string
	CFiles, CXXFiles, HFiles, SFiles, SysoFiles []string
	IgnoredGoFiles, IgnoredOtherFiles           []string // of other systems, and those without cgo
	Module                                      *struct{ Dir string }
}

// files returns the names of all files of which the package is built, on any system.
func (p listed) files() []string {
	return slices.Concat(p.GoFiles, p.CgoFiles, p.EmbedFiles, p.CFiles, p.CXXFiles, p.HFiles, p.SFiles, p.SysoFiles,
		p.IgnoredGoFiles, p.IgnoredOtherFiles)
}

func sources(module, program string) ([]string, error) {
	cmd := exec.Command("go", "list", "-deps", "-json", program)
	cmd.Dir = module
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
		if p.Module == nil || p.Module.Dir != module {
			continue
		}
		for _, file := range p.files() {
			name, err := filepath.Rel(module, filepath.Join(p.Dir, file))
			if err != nil {
				return nil, err
			}
			names = append(names, filepath.ToSlash(name))
		}
	}
	slices.Sort(names) // a file can be embedded, too
	names = slices.Compact(names)
	return slices.DeleteFunc(names, func(name string) bool { return strings.HasSuffix(name, "_test.go") }), nil
}

// Unpack writes the archive of a release to a folder, and returns the package of the plugin in it.
func Unpack(record, release, into string) (program string, err error) {
	archive, err := txtar.ParseFile(filepath.Join(record, release, ArchiveFile))
	if err != nil {
		return "", fmt.Errorf("unpack release: %w", err)
	}
	if err := txtar.Write(archive, into); err != nil {
		return "", fmt.Errorf("unpack release: %w", err)
	}
	return packageOf(archive), nil
}
