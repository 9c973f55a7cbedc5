package protofiles

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
	"strings"

	"github.com/stratakube/strata/operator/plugin/contract"
)

// ConfigFile is the name of the file that describes a project's kinds, in the folder of its module.
const ConfigFile = "plugin-kinds.json"

// Config is the content of ConfigFile.
type Config struct {
	// Domain is the domain of plugins whose names have none, as in example.com. Without it, all names
	// must have one.
	Domain string `json:"domain,omitempty"`
	// Proto lists the folders of the protobuf files. Imports are relative to them.
	Proto []string `json:"proto"`
	// TestProto lists folders with kinds for tests. They are generated, and not released.
	TestProto []string `json:"testProto,omitempty"`
	// Program is the package of a plugin that each release records, as in ./cmd/local.
	Program string `json:"program,omitempty"`
}

// Project is a Go module that defines kinds of plugins.
type Project struct {
	Config
	Dir    string // of the module
	Module string // its path
}

// Open reads the project in a folder.
func Open(dir string) (*Project, error) {
	p := &Project{Dir: dir}
	path := filepath.Join(dir, ConfigFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf(`%s is missing: write {"proto": ["proto"]} to it, in the folder of the module`, path)
	}
	if err != nil {
		return nil, fmt.Errorf("read project: %w", err)
	}
	if err := p.parse(data); err != nil {
		return nil, fmt.Errorf("read project: %s: %w", path, err)
	}
	if p.Module, err = modulePath(dir); err != nil {
		return nil, fmt.Errorf("read project: %w", err)
	}
	return p, nil
}

func (p *Project) parse(data []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&p.Config); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is text after the object")
	}
	var wrong []error
	if len(p.Proto) == 0 {
		wrong = append(wrong, errors.New(`"proto" lists no folder`))
	}
	for _, folder := range p.folders() {
		if !fs.ValidPath(folder) {
			wrong = append(wrong, fmt.Errorf("%q is not a folder in the module, such as proto or api/proto", folder))
		}
	}
	if p.Domain != "" {
		if _, err := contract.Name("name", p.Domain); err != nil {
			wrong = append(wrong, fmt.Errorf("%q is not a domain, such as example.com", p.Domain))
		}
	}
	if p.Program != "" && !strings.HasPrefix(p.Program, "./") {
		wrong = append(wrong, fmt.Errorf("%q is not a package of the module, such as ./cmd/local", p.Program))
	}
	return errors.Join(wrong...)
}

func (p *Project) folders() []string { return append(append([]string{}, p.Proto...), p.TestProto...) }

// modulePath returns the path of the module in a folder.
func modulePath(dir string) (string, error) {
	out, err := goCommand(dir, "mod", "edit", "-json")
	if err != nil {
		return "", err
	}
	var mod struct{ Module struct{ Path string } }
	if err := json.Unmarshal(out, &mod); err != nil {
		return "", err
	}
	return mod.Module.Path, nil
}

func goCommand(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return nil, fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(failed.Stderr))
	}
	return out, err
}
