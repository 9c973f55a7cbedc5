package source

import (
	"os"
	"path"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/syntax"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// Positions converts positions of models to those of messages. The zero value is ready. It caches
// the file of the last call, so call it in sorted order.
type Positions struct {
	file    string
	pointer func(offset int) string // nil if the file cannot be decoded
}

// At returns a position with the JSON pointer of the value there. The pointer is empty if the file
// can no longer be decoded.
func (p *Positions) At(pos model.Pos) diag.Pos {
	if pos == (model.Pos{}) {
		return diag.Pos{}
	}
	if p.file != pos.File {
		p.file, p.pointer = pos.File, pointers(pos.File)
	}
	if p.pointer == nil {
		return diag.At(pos.File, pos.Offset, "")
	}
	return diag.At(pos.File, pos.Offset, p.pointer(pos.Offset))
}

// pointers decodes a file, as YAML if its name ends so.
func pointers(file string) func(int) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	if ext := strings.ToLower(path.Ext(file)); ext == ".yaml" || ext == ".yml" {
		documents, err := syntax.Parse(file, data, syntax.Default)
		if err != nil {
			return nil
		}
		return func(offset int) string { return syntax.Pointer(documents, offset) }
	}
	tree, err := jsontree.Parse(data, jsontree.Limits{})
	if err != nil {
		return nil
	}
	return tree.Pointer
}
