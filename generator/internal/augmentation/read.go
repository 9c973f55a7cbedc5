package augmentation

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// Fault is a hand-written file that cannot be read as Go.
type Fault struct {
	File   string
	Offset int
	Text   string
}

// assign is the prefix of the methods' names.
const assign = "Assign"

// Read finds the steps in Go files of an output folder whose import path is module. files are slash
// paths below the folder. It ignores tests.
func Read(output, module string, files []string) ([]Method, []Fault, error) {
	r := reader{module: module}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file := filepath.Join(output, filepath.FromSlash(name))
		body, err := os.ReadFile(file)
		if err != nil {
			return nil, nil, err
		}
		if bytes.Contains(body, []byte(assign)) {
			r.file(path.Dir(name), file, body)
		}
	}
	return r.steps, r.faults, nil
}

type reader struct {
	module string
	steps  []Method
	faults []Fault
}

func (r *reader) file(folder, file string, body []byte) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, body, parser.SkipObjectResolution)
	if err != nil {
		fault := Fault{File: file, Text: err.Error()}
		var list scanner.ErrorList
		if errors.As(err, &list) && len(list) > 0 {
			fault.Offset, fault.Text = list[0].Pos.Offset, list[0].Msg
		}
		r.faults = append(r.faults, fault)
		return
	}
	imports := importsOf(parsed)
	for _, d := range parsed.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil || !isStep(f.Name.Name) {
			continue
		}
		s := Method{
			Folder: folder, Receiver: typeName(f.Recv.List[0].Type), Method: f.Name.Name,
			Pos: model.Pos{File: file, Offset: set.Position(f.Name.Pos()).Offset},
		}
		s.ParamFolder, s.Param = r.param(folder, f.Type.Params, imports)
		r.steps = append(r.steps, s)
	}
}

// param returns the folder and the name of the only parameter's type, behind a pointer. Both are
// empty if there is no such type.
func (r *reader) param(folder string, params *ast.FieldList, imports map[string]string) (string, string) {
	if params.NumFields() != 1 {
		return "", ""
	}
	star, ok := params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return "", ""
	}
	switch t := star.X.(type) {
	case *ast.Ident:
		return folder, t.Name
	case *ast.SelectorExpr:
		if pkg, ok := t.X.(*ast.Ident); ok {
			below, found := strings.CutPrefix(imports[pkg.Name], r.module+"/")
			if found {
				return below, t.Sel.Name
			}
		}
	}
	return "", ""
}

// importsOf returns a file's imports by the names in its code. An import without a name is assumed
// to have the name of its last element.
func importsOf(f *ast.File) map[string]string {
	out := map[string]string{}
	for _, i := range f.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			continue
		}
		name := path.Base(p)
		if i.Name != nil {
			name = i.Name.Name
		}
		out[name] = p
	}
	return out
}

// isStep reports whether a method's name is that of a step.
func isStep(name string) bool {
	return strings.HasPrefix(name, To) || strings.HasPrefix(name, From)
}

func typeName(t ast.Expr) string {
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}
