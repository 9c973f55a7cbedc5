package corpus

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// GoTypes are the types of a generated API package, by name.
type GoTypes map[string]ast.Expr

// ReadGoTypes parses the types of a package.
func ReadGoTypes(dir string) (GoTypes, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_types.go"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("find the types of %s: %d files, %w", dir, len(files), err)
	}
	types := GoTypes{}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read types: %w", err)
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, body, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("read types: %w", err)
		}
		for _, d := range parsed.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				spec := g.Specs[0].(*ast.TypeSpec)
				types[spec.Name.Name] = spec.Type
			}
		}
	}
	return types, nil
}

// Members lists the JSON members of a type as paths, as Declared does. It enters a type that
// contains itself once. free has the paths of free JSON and open objects.
func (g GoTypes) Members(root string) (paths []string, free map[string]bool, err error) {
	w := typeWalk{types: g, free: map[string]bool{}}
	w.walk("", ast.NewIdent(root))
	return w.paths, w.free, w.err
}

type typeWalk struct {
	types  GoTypes
	around []string
	paths  []string
	free   map[string]bool
	err    error
}

// foreign are the members of types that are not generated.
var foreign = map[string][]string{
	"metav1.TypeMeta":      {".apiVersion", ".kind"},
	"metav1.ObjectMeta":    {""},
	"metav1.Condition":     {"", ".type", ".status", ".reason", ".message", ".lastTransitionTime", ".observedGeneration"},
	"runtime.Owner":        {"", ".name", ".armId"},
	"runtime.ConfigMapRef": {"", ".path", ".name", ".key"},
	"runtime.Outputs": {
		"", ".secrets", ".secrets[]", ".secrets[].from", ".secrets[].name", ".secrets[].key",
		".configMaps", ".configMaps[]", ".configMaps[].from", ".configMaps[].name", ".configMaps[].key",
	},
	"runtime.JSON": {""},
}

func (w *typeWalk) walk(path string, t ast.Expr) {
	switch t := t.(type) {
	case *ast.StarExpr:
		w.walk(path, t.X)
	case *ast.ArrayType:
		w.paths = append(w.paths, path)
		w.walk(path+"[]", t.Elt)
	case *ast.MapType:
		w.paths = append(w.paths, path)
		w.walk(path+"{}", t.Value)
	case *ast.SelectorExpr:
		w.foreign(path, t.X.(*ast.Ident).Name+"."+t.Sel.Name)
	case *ast.Ident:
		w.named(path, t.Name)
	default:
		w.err = fmt.Errorf("%s has a type that the generator does not write", path)
	}
}

func (w *typeWalk) foreign(path, name string) {
	members, ok := foreign[name]
	if !ok {
		w.err = fmt.Errorf("%s is of the unknown type %s", path, name)
	}
	for _, m := range members {
		w.paths = append(w.paths, path+m)
	}
	w.free[path] = w.free[path] || name == "runtime.JSON"
}

func (w *typeWalk) named(path, name string) {
	w.paths = append(w.paths, path)
	s, ok := w.types[name].(*ast.StructType)
	switch {
	case !ok:
		return
	case slices.Contains(w.around, name):
		w.free[path] = true
		return
	}
	w.around = append(w.around, name)
	defer func() { w.around = w.around[:len(w.around)-1] }()
	for _, f := range s.Fields.List {
		tag, err := strconv.Unquote(f.Tag.Value)
		if err != nil {
			w.err = err
			return
		}
		member, options, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		switch {
		case options == "inline":
			w.walk(path, f.Type)
		case member == "-":
			w.free[path] = true
		default:
			w.walk(path+"."+member, f.Type)
		}
	}
}
