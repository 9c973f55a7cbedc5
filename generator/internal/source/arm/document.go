package arm

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/url"
	"path"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// The limits of a file. Published schemas stay below 3 MB and 30 levels.
const (
	maxSize  = 64 << 20
	maxDepth = 200
)

// document is one decoded file.
type document struct {
	path   string // below the root, with slashes
	name   string // the path for opening and messages
	tree   *jsontree.Tree
	id     string // normalized by fold
	common bool   // the file of definitions that all templates share
	file   source.File
}

// decode decodes the bytes of a file. The error is a diag.Message.
func decode(file, name string, data []byte) (*document, error) {
	tree, err := jsontree.Parse(data, jsontree.Limits{Size: maxSize, Depth: maxDepth})
	if err != nil {
		return nil, undecodable(name, err)
	}
	sum := sha256.Sum256(data)
	doc := &document{
		path: file, name: name, tree: tree,
		file: source.File{Path: file, Size: len(data), Digest: hex.EncodeToString(sum[:])},
	}
	root := tree.Root()
	id := root.Member("$id")
	if !id.Exists() {
		id = root.Member("id")
	}
	doc.id = fold(id.Text())
	doc.common = isCommon(file) || isCommon(doc.id)
	return doc, nil
}

// stem returns the file's name without folders and extension.
func (d *document) stem() string {
	return strings.TrimSuffix(path.Base(d.path), path.Ext(d.path))
}

func undecodable(name string, err error) error {
	var syntax *jsontree.SyntaxError
	if errors.As(err, &syntax) {
		return diag.Errorf(diag.At(name, syntax.Offset, syntax.Pointer), "not a JSON document: %s", syntax.Reason)
	}
	return diag.Errorf(diag.InFile(name), "not a JSON document: %v", err)
}

// location is a value in a document.
type location struct {
	doc  *document
	node jsontree.Node
}

// at returns the location of another node of the same document.
func (p location) at(node jsontree.Node) location { return location{p.doc, node} }

// pos returns the location as a position of models.
func (p location) pos() model.Pos { return model.Pos{File: p.doc.name, Offset: p.node.Offset()} }

// where returns the location as a position of messages.
func (p location) where() diag.Pos {
	offset := p.node.Offset()
	return diag.At(p.doc.name, offset, p.doc.tree.Pointer(offset))
}

func (p location) errorf(format string, args ...any) diag.Message {
	return diag.Errorf(p.where(), format, args...)
}

// unescape decodes percent escapes, and leaves other text unchanged.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}
