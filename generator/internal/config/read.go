package config

import (
	"os"
	"path/filepath"

	"github.com/stratakube/strata/generator/internal/diag"
)

// Read reads and checks a file. It also checks that the source folders exist, and that the output
// folder is in the file's repository. It adds the file to sources, which may be nil. An error about
// the file's content is a *diag.Failure with all messages.
func Read(file string, sources *diag.Sources) (*Config, error) {
	body, err := os.ReadFile(file)
	if err != nil {
		return nil, diag.Errorf(diag.Pos{}, "read config: %v", err).WithHint("name the file with --config")
	}
	if sources != nil {
		sources.Add(file, body)
	}
	config, err := Decode(file, body)
	if err != nil {
		return nil, err
	}
	if err := config.checkFolders(); err != nil {
		return nil, err
	}
	return config, nil
}

// Decode checks the bytes of a file, without reading the disk.
func Decode(file string, body []byte) (*Config, error) {
	d := newDecoder(file, body)
	root, err := parse(file, body)
	switch {
	case err != nil:
		d.list.AddError(err)
	case root == nil:
		d.add(diag.Errorf(diag.InFile(file), "the file is empty").WithHint("begin with `%s`", examples["apiVersion"]))
	default:
		d.document(value{Node: root})
	}
	if err := d.list.Err(); err != nil {
		return nil, err
	}
	return &d.config, nil
}

func newDecoder(file string, body []byte) *decoder {
	return &decoder{file: file, lines: diag.NewLines(body), grammar: map[string][]string{}, config: Config{
		File: file, Dir: filepath.Dir(file), Kinds: map[string]KindRules{}, Versions: Versions{Serve: defaultServe}, Install: defaultInstall(), positions: map[string]diag.Pos{},
	}}
}
