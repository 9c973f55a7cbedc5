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

// limits of a file. The published ones stay below 3 MB and 40 levels.
var limits = syntax.Limits{Size: 32 << 20, Depth: 150, Values: 2 << 20}

// library knows the files of JSON and YAML below the root, and keeps those that others
// refer to.
type library struct {
	root  string
	files fs.FS
	known map[string]bool

	referred source.Referred[file]
}

// open knows the files of a folder by their paths. The root is how files are called.
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
	path, name string // below the root; to open and to print
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

// refer gives a file that another one refers to; it is decoded once.
func (l *library) refer(path string) (*file, error) { return l.referred.File(path, l.read) }

// place is a value in a file.
type place struct {
	file  *file
	value *syntax.Value
}

func (p place) exists() bool { return p.value != nil }

// at is the same file at another value.
func (p place) at(v *syntax.Value) place { return place{p.file, v} }

// member is the place of an object's member; it may not exist.
func (p place) member(name string) place { return p.at(p.value.Member(name)) }

// pos is the place as models keep it.
func (p place) pos() model.Pos { return model.Pos{File: p.file.name, Offset: p.value.Offset()} }

// where is the place as messages show it.
func (p place) where() diag.Pos {
	return diag.At(p.file.name, p.value.Offset(), syntax.Pointer(p.file.all, p.value.Offset()))
}

// named is the place of a member's name.
func (p place) named() diag.Pos {
	return diag.At(p.file.name, p.value.NameOffset(), syntax.Pointer(p.file.all, p.value.NameOffset()))
}

func (p place) errorf(format string, args ...any) diag.Message {
	return diag.Errorf(p.where(), format, args...)
}
