package history

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Storage is the storage type of a version.
type Storage struct {
	Version string // label, without the word storage
	Package string
	Next    string // label of the neighbour nearer to the hub; the hub has none
	step    string // the name of the function that converts to Next, if it stands beside the generated tests
}

// Storages reads the storage types of the tree, which outlive the API types of versions that were
// pruned.
func (t Tree) Storages() ([]Storage, error) {
	kind := t.Resources[0].Kind
	declared := regexp.MustCompile(`(?m)^type ` + kind + ` struct`)
	toHub := regexp.MustCompile(fmt.Sprintf(`(?m)^func Convert%sTo(V\w+)\(\s*src \*%[1]s,`, kind))
	steps, err := t.stepsBesideTests()
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(t.Output, t.Resources[0].Folder(), "*", "storage", strings.ToLower(kind)+"*.go"))
	if err != nil {
		return nil, fmt.Errorf("find storage types: %w", err)
	}
	var all []Storage
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read storage type: %w", err)
		}
		if !declared.Match(body) {
			continue
		}
		s := Storage{Version: filepath.Base(filepath.Dir(filepath.Dir(file)))}
		s.Package = path.Join(path.Dir(t.Resources[0].Package), s.Version, "storage")
		toNext := regexp.MustCompile(fmt.Sprintf(`(?m)^func (\w+?%sTo(V\w+))\(\s*src \*%sstorage\.%[1]s,`, kind, s.Version))
		if step := toNext.FindSubmatch(steps); step != nil {
			s.step, s.Next = string(step[1]), "v"+string(step[2][1:])
		} else if to := toHub.FindSubmatch(body); to != nil {
			s.Next = "v" + string(to[1][1:])
		}
		all = append(all, s)
	}
	return all, nil
}

// stepsBesideTests returns the file with the steps that no program calls; nil where there is none.
func (t Tree) stepsBesideTests() ([]byte, error) {
	file := strings.ToLower(t.Resources[0].Kind) + "_steps_test.go"
	body, err := os.ReadFile(filepath.Join(t.Output, t.Resources[0].Folder(), "conversiontest", file))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read steps: %w", err)
	}
	return body, nil
}

var packageClause = regexp.MustCompile(`(?m)^package \w+$`)

// Steps returns a Go file of a test package with the steps that the tree has beside its generated
// tests; nil if there are none. The names of its declarations begin with Variable, so that those of
// several trees do not clash.
func (t Tree) Steps(pkg string) ([]byte, error) {
	body, err := t.stepsBesideTests()
	if body == nil || err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", body, 0)
	if err != nil {
		return nil, fmt.Errorf("parse steps: %w", err)
	}
	own := map[string]bool{}
	for _, d := range file.Decls {
		for _, name := range declaredNames(d) {
			own[name.Name] = true
		}
	}
	text := packageClause.ReplaceAllString(string(body), "package "+pkg)
	return []byte(word.ReplaceAllStringFunc(text, func(name string) string {
		if own[name] {
			return t.Variable() + name
		}
		return name
	})), nil
}

// declaredNames returns the names of functions and variables that a declaration declares.
func declaredNames(d ast.Decl) (names []*ast.Ident) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return []*ast.Ident{d.Name}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if values, ok := s.(*ast.ValueSpec); ok {
				names = append(names, values.Names...)
			}
		}
	}
	return names
}

var word = regexp.MustCompile(`\w+`)

// Hub returns the storage type that all others convert to.
func Hub(storages []Storage) (Storage, error) {
	i := slices.IndexFunc(storages, func(s Storage) bool { return s.Next == "" })
	if i < 0 {
		return Storage{}, errors.New("every storage type converts to another")
	}
	return storages[i], nil
}

// hides reports whether API versions have bags for values that they cannot represent.
func (t Tree) hides() (found bool, err error) {
	dir := os.DirFS(filepath.Join(t.Output, t.Resources[0].Folder()))
	files, err := fs.Glob(dir, "*/*_conversion.go")
	if err != nil {
		return false, fmt.Errorf("find conversions: %w", err)
	}
	for _, file := range files {
		body, err := fs.ReadFile(dir, file)
		if err != nil {
			return false, fmt.Errorf("read conversions: %w", err)
		}
		found = found || strings.Contains(string(body), "genruntime.Hide(")
	}
	return found, nil
}

// Variable names the tree in Go.
func (t Tree) Variable() string {
	return strings.NewReplacer("/", "_", "-", "_", ".", "_").Replace(t.Path())
}

// united returns the pairs of properties that metadata declares to be one.
func (t Tree) united() [][2]string {
	var pairs [][2]string
	for _, r := range t.Renames {
		if r.Property != "" {
			pairs = append(pairs, [2]string{r.Property, r.To})
		}
	}
	return pairs
}

// Glue is a Go file that describes a tree to a test package. It declares a variable of type
// generation, whose name is Variable; testdata/history declares the type.
func (t Tree) Glue(pkg string) ([]byte, error) {
	storages, err := t.Storages()
	if err != nil {
		return nil, err
	}
	hub, err := Hub(storages)
	if err != nil {
		return nil, err
	}
	hides, err := t.hides()
	if err != nil {
		return nil, err
	}
	var imports, versions, kept strings.Builder
	kind := t.Resources[0].Kind
	for _, row := range t.Resources {
		v := row.Version
		fmt.Fprintf(&imports, "\t%s %q\n", v, row.Package)
		method := func(name string) string { return fmt.Sprintf("(*%s.%s).%s", v, kind, name) }
		fmt.Fprintf(&versions, "\t\t{%q, %q, draw[%[1]s.%[3]s](%[4]q, %[1]q), %[5]s, %[6]s, %[7]s, %[8]s},\n", v, row.Source.Version, kind, t.Type,
			method("ConvertTo"), method("ConvertFrom"), method("ConvertToStorage"), method("ConvertFromStorage"))
	}
	for _, s := range storages {
		v := s.Version + "storage"
		fmt.Fprintf(&imports, "\t%s %q\n", v, s.Package)
		steps := "nil, nil"
		switch {
		case s.step != "":
			up := t.Variable() + s.step
			steps = up + ", " + strings.Replace(up, kind+"ToV", kind+"FromV", 1)
		case s.Next != "":
			steps = fmt.Sprintf("%s.Convert%sToV%s, %[1]s.Convert%[2]sFromV%[3]s", v, kind, s.Next[1:])
		}
		fmt.Fprintf(&kept, "\t\t{%q, (*%s.%s)(nil), %q, %s},\n", s.Version, v, kind, s.Next, steps)
	}
	return fmt.Appendf(nil, "package %s\n\nimport (\n%s)\n\nvar %s = generation{\n\tname: %q, because: %q, hub: %q, hides: %t, gains: %t, renames: %#v, derived: %#v,\n"+
		"\tversions: []version{\n%s\t},\n\tstorages: []storage{\n%s\t},\n}\n",
		pkg, &imports, t.Variable(), t.Stage.Name, t.Because, hub.Version, hides, t.Gains, t.united(), t.Derived, &versions, &kept), nil
}
