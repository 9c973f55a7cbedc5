package config

import (
	"errors"
	"io/fs"
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
		return nil, unreadable(file, err)
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

// unreadable returns the message for a file that cannot be read.
func unreadable(file string, err error) diag.Message {
	target, linkErr := os.Readlink(file)
	switch info, statErr := os.Stat(file); {
	case statErr == nil && info.IsDir():
		return diag.Errorf(diag.Pos{}, "%s is a folder, not a configuration", file).WithHint("name the file, such as %s", filepath.Join(file, usualName))
	case !errors.Is(err, fs.ErrNotExist):
		return diag.Errorf(diag.Pos{}, "read the configuration: %v", err).WithHint("name another file with --config")
	case linkErr == nil:
		return diag.Errorf(diag.Pos{}, "%s is a symbolic link to %s, which does not exist", file, target).WithHint("restore that file, or name another one with --config")
	}
	m := diag.Errorf(diag.Pos{}, "there is no %s", file)
	if above := above(file); above != "" {
		return m.WithHint("use the one above: --config %s", above)
	}
	return m.WithHint("strata init finds what is in a folder, and writes %s; --config names a file elsewhere", usualName)
}

// usualName is the default name of the configuration.
const usualName = "strata.yaml"

// mostAbove is the number of parent folders that are searched.
const mostAbove = 8

// above returns the path of a file with the same name in a parent folder, within the repository;
// "" if there is none.
func above(file string) string {
	if file != filepath.Base(file) {
		return ""
	}
	dir, err := filepath.Abs(".")
	if err != nil {
		return ""
	}
	root := repository(dir)
	for out, n := filepath.Join("..", file), 0; n < mostAbove && dir != root && dir != filepath.Dir(dir); n++ {
		if dir = filepath.Dir(dir); isFile(filepath.Join(dir, file)) {
			return out
		}
		out = filepath.Join("..", out)
	}
	return ""
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
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
