package source

import (
	"os"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/jsontree"
	"github.com/stratakube/strata/generator/internal/model"
)

// Places turns positions of models into those of messages. The zero value is
// ready. It keeps the file that was asked for last: ask in sorted order.
type Places struct {
	file string
	tree *jsontree.Tree
}

// At gives a position with the JSON pointer of the value that stands there. The
// pointer is empty if the file cannot be decoded any more.
func (p *Places) At(pos model.Pos) diag.Pos {
	if pos == (model.Pos{}) {
		return diag.Pos{}
	}
	if p.file != pos.File {
		p.file, p.tree = pos.File, decoded(pos.File)
	}
	if p.tree == nil {
		return diag.At(pos.File, pos.Offset, "")
	}
	return diag.At(pos.File, pos.Offset, p.tree.Pointer(pos.Offset))
}

func decoded(file string) *jsontree.Tree {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	tree, err := jsontree.Parse(data, jsontree.Limits{})
	if err != nil {
		return nil
	}
	return tree
}
