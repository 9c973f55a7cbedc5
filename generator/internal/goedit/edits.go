package goedit

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"slices"
	"strconv"
)

// edits are replacements of text, by offsets.
type edits []edit

type edit struct {
	start, end int
	text       string
}

func (e *edits) replace(start, end int, text string) { *e = append(*e, edit{start, end, text}) }

// apply returns a file with all replacements, which must not overlap. What was formatted as gofmt
// does stays so. Text that would not be Go is an error.
func (e edits) apply(file string, src []byte) ([]byte, error) {
	slices.SortStableFunc(e, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var out bytes.Buffer
	at := 0
	for _, edit := range e {
		out.Write(src[at:edit.start])
		out.WriteString(edit.text)
		at = edit.end
	}
	out.Write(src[at:])
	formatted, err := format.Source(append(bytes.TrimRight(out.Bytes(), "\n"), '\n'))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be edited: %w", file, err)
	}
	if was, err := format.Source(src); err != nil || !bytes.Equal(was, src) {
		return out.Bytes(), nil
	}
	return formatted, nil
}

// addImport adds an import behind the others of the file.
func (e *edits) addImport(f *ast.File, fset *token.FileSet, name, importPath string) {
	line := name + " " + strconv.Quote(importPath)
	for _, d := range slices.Backward(f.Decls) {
		g, ok := d.(*ast.GenDecl)
		switch {
		case !ok || g.Tok != token.IMPORT:
		case g.Rparen.IsValid():
			at := fset.Position(g.Rparen).Offset
			e.replace(at, at, "\n\t"+line+"\n")
			return
		default:
			at := fset.Position(g.End()).Offset
			e.replace(at, at, "\nimport "+line)
			return
		}
	}
	at := fset.Position(f.Name.End()).Offset
	e.replace(at, at, "\n\nimport "+line)
}
