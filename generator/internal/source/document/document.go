package document

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/syntax"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// Document is a decoded file. Its values do not change.
type Document struct {
	Path string // below the root, with slashes
	Name string // the path for opening and messages
	ID   string // the address by which others refer to it, if the front-end sets it
	File source.File

	tree   *jsontree.Tree  // of a file that [JSON] decoded
	values []*syntax.Value // of a file that [Parse] decoded
}

// JSON decodes a file of JSON. Objects may name a member twice, which [Document.Doubled] lists. The
// error is a [diag.Message].
func JSON(path, name string, data []byte, limits jsontree.Limits) (*Document, error) {
	tree, err := jsontree.Parse(data, limits)
	if err != nil {
		return nil, notJSON(name, err)
	}
	return &Document{Path: path, Name: name, File: Digest(path, data), tree: tree}, nil
}

func notJSON(name string, err error) error {
	var syntax *jsontree.SyntaxError
	if errors.As(err, &syntax) {
		return diag.Errorf(diag.At(name, syntax.Offset, syntax.Pointer), "not a JSON document: %s", syntax.Reason).WithHint("%s", syntax.Hint)
	}
	return diag.Errorf(diag.InFile(name), "not a JSON document: %v", err)
}

// Parse decodes a file as [syntax.Parse] does, by the extension of its name. The error is a
// [diag.Message].
func Parse(path, name string, data []byte, limits syntax.Limits) (*Document, error) {
	values, err := syntax.Parse(name, data, limits)
	if err != nil {
		return nil, undecodable(name, err)
	}
	return &Document{Path: path, Name: name, File: Digest(path, data), values: values}, nil
}

func undecodable(name string, err error) error {
	var syntax *syntax.SyntaxError
	if errors.As(err, &syntax) && syntax.Offset >= 0 {
		return diag.Errorf(diag.At(name, syntax.Offset, ""), "%s", syntax.Reason)
	}
	return diag.Errorf(diag.InFile(name), "%v", err)
}

// Digest identifies the bytes of a file.
func Digest(path string, data []byte) source.File {
	sum := sha256.Sum256(data)
	return source.File{Path: path, Size: len(data), Digest: hex.EncodeToString(sum[:])}
}

// Root returns the value of the file, or that of its first YAML document. It does not exist if the
// file is empty.
func (d *Document) Root() Location {
	switch {
	case d.tree != nil:
		return Location{doc: d}.in(d.tree.Root())
	case len(d.values) > 0:
		return Location{doc: d, value: d.values[0]}
	}
	return Location{doc: d}
}

// Values returns the values of all YAML documents of a file that [Parse] decoded.
func (d *Document) Values() []*syntax.Value { return d.values }

// Doubled returns the members whose name an earlier member of the same object has.
func (d *Document) Doubled() []Location {
	if d.tree == nil {
		return nil
	}
	var out []Location
	for _, n := range d.tree.Doubled() {
		out = append(out, Location{doc: d}.in(n))
	}
	return out
}

// Stem returns the file's name without folders and extension.
func (d *Document) Stem() string {
	return strings.TrimSuffix(path.Base(d.Path), path.Ext(d.Path))
}

// Where returns an offset in the file as a position of messages.
func (d *Document) Where(offset int) diag.Pos {
	if d.tree != nil {
		return diag.At(d.Name, offset, d.tree.Pointer(offset))
	}
	return diag.At(d.Name, offset, syntax.Pointer(d.values, offset))
}

// Pos returns an offset in the file as a position of models.
func (d *Document) Pos(offset int) model.Pos { return model.Pos{File: d.Name, Offset: offset} }

// Forget releases the values of the document, once all positions are known. Its path, name and
// digest stay.
func (d *Document) Forget() { d.tree, d.values = nil, nil }
