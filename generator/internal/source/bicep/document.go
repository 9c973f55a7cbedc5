package bicep

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// The limits of a file. Published ones stay below 2 MB and ten levels.
const (
	maxSize  = 64 << 20
	maxDepth = 50
)

// document is one decoded file.
type document struct {
	name  string // the path for opening and messages
	tree  *jsontree.Tree
	types []jsontree.Node // by index
	file  source.File
	// twofold reports, by index, which types differ between the spec and the status.
	twofold []bool
}

// open reads and decodes a file. The error is a diag.Message.
func open(files fs.FS, root, path string) (*document, error) {
	name := filepath.Join(root, filepath.FromSlash(path))
	data, err := source.ReadFile(files, root, path, maxSize)
	if err != nil {
		return nil, err
	}
	return decode(path, name, data)
}

func decode(path, name string, data []byte) (*document, error) {
	tree, err := jsontree.Parse(data, jsontree.Limits{Size: maxSize, Depth: maxDepth})
	if err != nil {
		return nil, undecodable(name, err)
	}
	sum := sha256.Sum256(data)
	d := &document{name: name, tree: tree, file: source.File{Path: path, Size: len(data), Digest: hex.EncodeToString(sum[:])}}
	root := tree.Root()
	if root.Kind() != jsontree.Array {
		return nil, d.errorf(root, "a file of types must be a list, not %s", root.Kind())
	}
	for _, m := range tree.Doubled() {
		return nil, d.errorf(m, "the member %q appears twice in one object", m.Name())
	}
	for n := range root.All() {
		d.types = append(d.types, n)
	}
	d.twofold = d.splitViews()
	return d, nil
}

func undecodable(name string, err error) error {
	var syntax *jsontree.SyntaxError
	if errors.As(err, &syntax) {
		return diag.Errorf(diag.At(name, syntax.Offset, syntax.Pointer), "not a JSON document: %s", syntax.Reason)
	}
	return diag.Errorf(diag.InFile(name), "not a JSON document: %v", err)
}

// pos returns the position of a value for models.
func (d *document) pos(n jsontree.Node) model.Pos { return model.Pos{File: d.name, Offset: n.Offset()} }

// where returns the position of a value for messages.
func (d *document) where(n jsontree.Node) diag.Pos {
	return diag.At(d.name, n.Offset(), d.tree.Pointer(n.Offset()))
}

func (d *document) errorf(n jsontree.Node, format string, args ...any) diag.Message {
	return diag.Errorf(d.where(n), format, args...)
}
