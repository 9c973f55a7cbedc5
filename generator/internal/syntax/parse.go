package syntax

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// Limits bound a file.
type Limits struct {
	Size   int // bytes of a file
	Depth  int // the nesting of objects and lists
	Values int // in a file; those of anchors count wherever they are used
}

// Default is many times what published files need.
var Default = Limits{Size: 32 << 20, Depth: 200, Values: 4 << 20}

// SyntaxError explains why a file is not a document, and where.
type SyntaxError struct {
	Offset int // in bytes; negative if it is not known
	Reason string
}

func (e *SyntaxError) Error() string { return e.Reason }

// Parse decodes a file into its documents, and omits empty ones. A name that ends in .json means
// JSON, and any other YAML. An error is a *SyntaxError.
func Parse(name string, body []byte, limits Limits) ([]*Value, error) {
	if len(body) > limits.Size {
		return nil, &SyntaxError{-1, fmt.Sprintf("the file has %d bytes, more than the limit of %d", len(body), limits.Size)}
	}
	if strings.EqualFold(path.Ext(name), ".json") {
		return parseJSON(body, limits)
	}
	return parseYAML(body, limits)
}

func parseJSON(body []byte, limits Limits) ([]*Value, error) {
	tree, err := jsontree.Parse(body, jsontree.Limits{Size: limits.Size, Depth: limits.Depth})
	if err != nil {
		var syntax *jsontree.SyntaxError
		if errors.As(err, &syntax) {
			return nil, &SyntaxError{syntax.Offset, syntax.Reason}
		}
		return nil, &SyntaxError{-1, err.Error()}
	}
	for _, m := range tree.Doubled() {
		return nil, &SyntaxError{m.NameOffset(), fmt.Sprintf("the member %q appears twice in one object", m.Name())}
	}
	return []*Value{ofJSON(tree.Root())}, nil
}

func ofJSON(n jsontree.Node) *Value {
	v := &Value{kind: n.Kind(), name: n.Name(), offset: n.Offset(), nameAt: n.NameOffset()}
	switch v.kind {
	case String:
		v.text = n.Text()
	case Bool, Number:
		v.text = n.Raw()
	}
	for c := range n.All() {
		v.children = append(v.children, ofJSON(c))
	}
	v.index()
	return v
}
