package arm

import (
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// The limits of a file. Published schemas stay below 3 MB and 30 levels.
const (
	maxSize  = 64 << 20
	maxDepth = 200
)

// decode decodes the bytes of a file, and normalizes its id. The error is a diag.Message.
func decode(path, name string, data []byte) (*document.Document, error) {
	doc, err := document.JSON(path, name, data, jsontree.Limits{Size: maxSize, Depth: maxDepth})
	if err != nil {
		return nil, err
	}
	id := doc.Root().Member("$id")
	if !id.Exists() {
		id = doc.Root().Member("id")
	}
	doc.ID = fold(id.Text())
	return doc, nil
}
