package goedit

import (
	"go/ast"
	"go/token"
	"path"
	"strconv"
	"strings"
)

// pathsField is the field in which envtest has the folders of CRDs.
const pathsField = "CRDDirectoryPaths"

// IsSuite reports whether a file starts envtest with folders of CRDs.
func IsSuite(src []byte) bool { return strings.Contains(string(src), pathsField) }

// ServesWebhooks reports whether a suite starts the webhooks of its manager, conversions too.
func ServesWebhooks(src []byte) bool { return strings.Contains(string(src), "WebhookInstallOptions") }

// CRDPaths returns a suite that reads the CRDs of the folder to instead of those of from. file is
// the path of the suite, and all three are relative to the project, with slashes. It reports the
// lines of lists of folders in which it recognizes neither of the two.
func CRDPaths(file string, src []byte, from, to string) (body []byte, unknown []int, err error) {
	f, fset, err := parse(file, src)
	if err != nil {
		return src, nil, err
	}
	var e edits
	ast.Inspect(f, func(n ast.Node) bool {
		field, ok := n.(*ast.KeyValueExpr)
		if !ok || !isIdent(field.Key) || lastName(field.Key) != pathsField {
			return true
		}
		list, ok := field.Value.(*ast.CompositeLit)
		known := false
		if ok {
			for _, element := range list.Elts {
				known = e.crdPath(fset, element, path.Dir(file), from, to) || known
			}
		}
		if !known {
			unknown = append(unknown, fset.Position(field.Pos()).Line)
		}
		return false
	})
	if len(e) == 0 {
		return src, unknown, nil
	}
	body, err = e.apply(file, src)
	return body, unknown, err
}

// crdPath replaces a folder that is a text, or a call of filepath.Join with texts. It reports
// whether the folder is one of the two.
func (e *edits) crdPath(fset *token.FileSet, element ast.Expr, dir, from, to string) bool {
	parts, ok := texts(element)
	if !ok {
		return false
	}
	call, isCall := element.(*ast.CallExpr)
	switch path.Join(append([]string{dir}, parts...)...) {
	case to:
		return true
	case from:
	default:
		return false
	}
	relative := relativeTo(dir, to)
	if !isCall {
		e.replace(fset.Position(element.Pos()).Offset, fset.Position(element.End()).Offset, strconv.Quote(relative))
		return true
	}
	var quoted []string
	for part := range strings.SplitSeq(relative, "/") {
		quoted = append(quoted, strconv.Quote(part))
	}
	e.replace(fset.Position(call.Args[0].Pos()).Offset, fset.Position(call.Args[len(call.Args)-1].End()).Offset, strings.Join(quoted, ", "))
	return true
}

// texts returns the elements of a path that an expression has.
func texts(x ast.Expr) ([]string, bool) {
	switch x := x.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(x.Value)
		return []string{strings.ReplaceAll(text, `\`, "/")}, err == nil && x.Kind == token.STRING
	case *ast.CallExpr:
		if lastName(x.Fun) != "Join" || len(x.Args) == 0 {
			return nil, false
		}
		var out []string
		for _, arg := range x.Args {
			part, ok := texts(arg)
			if _, isCall := arg.(*ast.CallExpr); !ok || isCall {
				return nil, false
			}
			out = append(out, part...)
		}
		return out, true
	}
	return nil, false
}

// relativeTo returns a path in a project, relative to a folder of it.
func relativeTo(dir, name string) string {
	if dir == "." {
		return name
	}
	return strings.Repeat("../", strings.Count(dir, "/")+1) + name
}
