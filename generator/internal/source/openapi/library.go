package openapi

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// limits of a file. Published ones stay below 3 MB and 40 levels.
var limits = syntax.Limits{Size: 32 << 20, Depth: 150, Values: 2 << 20}

// library knows the JSON and YAML files below the root, and stores those that others refer to.
type library struct {
	root  string
	files fs.FS
	known map[string]bool

	referred source.Referred[file]
}

// open makes the library of a folder from its paths. root is the name of the folder in messages.
func open(root string, files fs.FS, paths []string) *library {
	lib := &library{root: root, files: files, known: map[string]bool{}}
	for _, name := range paths {
		switch strings.ToLower(path.Ext(name)) {
		case ".json", ".yaml", ".yml":
			lib.known[name] = true
		}
	}
	return lib
}

// file is one decoded file.
type file struct {
	path, name string // path below the root; name for opening and messages
	all        []*syntax.Value
	root       *syntax.Value
	read       source.File
}

// read decodes a file. The error is a diag.Message.
func (l *library) read(path string) (*file, error) {
	f := &file{path: path, name: filepath.Join(l.root, filepath.FromSlash(path))}
	body, err := source.ReadFile(l.files, l.root, path, limits.Size)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(body)
	f.read = source.File{Path: path, Size: len(body), Digest: hex.EncodeToString(sum[:])}
	if f.all, err = syntax.Parse(f.name, body, limits); err != nil {
		return nil, undecodable(f.name, err)
	}
	if len(f.all) > 0 {
		f.root = f.all[0]
	}
	return f, nil
}

func undecodable(name string, err error) error {
	var syntax *syntax.SyntaxError
	if errors.As(err, &syntax) && syntax.Offset >= 0 {
		return diag.Errorf(diag.At(name, syntax.Offset, ""), "%s", syntax.Reason)
	}
	return diag.Errorf(diag.InFile(name), "%v", err)
}

// refer returns a file that another one refers to. It is decoded once.
func (l *library) refer(path string) (*file, error) { return l.referred.File(path, l.read) }

// location is a value in a file.
type location struct {
	file  *file
	value *syntax.Value
}

func (p location) exists() bool { return p.value != nil }

// at returns the location of another value of the same file.
func (p location) at(v *syntax.Value) location { return location{p.file, v} }

// member returns the location of an object's member, which may not exist.
func (p location) member(name string) location { return p.at(p.value.Member(name)) }

// pos returns the location as a position of models.
func (p location) pos() model.Pos { return model.Pos{File: p.file.name, Offset: p.value.Offset()} }

// where returns the location as a position of messages.
func (p location) where() diag.Pos {
	return diag.At(p.file.name, p.value.Offset(), syntax.Pointer(p.file.all, p.value.Offset()))
}

// named returns the position of a member's name.
func (p location) named() diag.Pos {
	return diag.At(p.file.name, p.value.NameOffset(), syntax.Pointer(p.file.all, p.value.NameOffset()))
}

func (p location) errorf(format string, args ...any) diag.Message {
	return diag.Errorf(p.where(), format, args...)
}
