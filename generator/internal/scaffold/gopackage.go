package scaffold

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/stratakube/strata/generator/internal/goedit"
)

// Package is a Go package with types of resources.
type Package struct {
	// Dir is its folder, relative to the project's, with slashes.
	Dir string
	// Group is the API group that a marker or a literal names; empty if none does.
	Group string
	// Kinds are the types with metadata of an object.
	Kinds []string
	// Conversions are the kinds with methods ConvertTo, ConvertFrom or Hub that an author wrote.
	Conversions []string
	// Converted are those of them whose methods convert more than metadata.
	Converted []string
	// Statuses are the types of statuses that have no field for hidden values.
	Statuses []Status
}

// Status is a type of a status, and its file.
type Status struct{ File, Type string }

// Resource returns the group and the kind of a type, such as shop.example.com/Order; the kind alone
// if nothing names the group of the package.
func (p Package) Resource(kind string) string { return path.Join(p.Group, kind) }

// Declares reports whether a type is the one of a resource. Where nothing names the group of one of
// them, the kind decides.
func (p Package) Declares(kind, resource string) bool {
	return path.Base(resource) == kind && (p.Group == "" || resource == kind || resource == p.Resource(kind))
}

var groupName = regexp.MustCompile(`(?m)^//\s*\+groupName=(\S+)|\bGroupVersion\{\s*Group:\s*"([^"]+)"`)

// readPackages reads the packages that have markers of resources. Files that do not parse are
// ignored: the front-end reports them, with their position.
func (l *looking) readPackages(ctx context.Context) error {
	slices.Sort(l.goSources)
	for _, dir := range l.goSources {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, err := readPackage(l.dir, dir)
		if err != nil {
			return err
		}
		l.packages = append(l.packages, p)
	}
	return nil
}

func readPackage(root, dir string) (Package, error) {
	p := packageReader{Package: Package{Dir: dir}, structs: map[string]declared{}}
	entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(dir)))
	if err != nil {
		return Package{}, err
	}
	for _, entry := range entries {
		if !entry.Type().IsRegular() || path.Ext(entry.Name()) != ".go" {
			continue
		}
		name := path.Join(dir, entry.Name())
		text, err := beginning(filepath.Join(root, filepath.FromSlash(name)), maxBytes)
		if err != nil {
			return Package{}, err
		}
		if isWritten(name, text) {
			p.file(name, text)
		}
	}
	p.statuses()
	isNoKind := func(name string) bool { return !slices.Contains(p.Kinds, name) }
	p.Conversions, p.Converted = slices.DeleteFunc(p.Conversions, isNoKind), slices.DeleteFunc(p.Converted, isNoKind)
	return p.Package, nil
}

// packageReader reads one package from its syntax, without its imports.
type packageReader struct {
	Package
	structs map[string]declared
	order   []string // names of structs, in the order of files
}

// declared is a struct, and the file that declares it.
type declared struct {
	file string
	*ast.StructType
}

func (p *packageReader) file(name string, text []byte) {
	if m := groupName.FindSubmatch(text); m != nil && p.Group == "" {
		p.Group = string(m[1]) + string(m[2])
	}
	f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		return
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if !goedit.IsConversion(d) {
				continue
			}
			p.Conversions = appendNew(p.Conversions, goedit.Receiver(d))
			if !goedit.IsStub(d) {
				p.Converted = appendNew(p.Converted, goedit.Receiver(d))
			}
		case *ast.GenDecl:
			p.types(name, d)
		}
	}
}

func (p *packageReader) types(file string, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		t, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		if s, ok := t.Type.(*ast.StructType); ok {
			p.structs[t.Name.Name] = declared{file, s}
			p.order = append(p.order, t.Name.Name)
		}
	}
}

// statuses finds the kinds, and their statuses without a field for hidden values.
func (p *packageReader) statuses() {
	for _, name := range p.order {
		root := p.structs[name]
		if !embeds(root.StructType, "ObjectMeta") {
			continue
		}
		p.Kinds = append(p.Kinds, name)
		for _, f := range root.Fields.List {
			fieldType := f.Type
			if pointer, ok := fieldType.(*ast.StarExpr); ok {
				fieldType = pointer.X
			}
			ident, ok := fieldType.(*ast.Ident)
			if !ok || len(f.Names) != 1 || f.Names[0].Name != "Status" {
				continue
			}
			status, ok := p.structs[ident.Name]
			if s := (Status{status.file, ident.Name}); ok && !embeds(status.StructType, "VersionedStatus") && !slices.Contains(p.Statuses, s) {
				p.Statuses = append(p.Statuses, s)
			}
		}
	}
}

// embeds reports whether a struct embeds a type of a name, of any package.
func embeds(s *ast.StructType, name string) bool {
	return slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool {
		if len(f.Names) > 0 {
			return false
		}
		switch t := f.Type.(type) {
		case *ast.SelectorExpr:
			return t.Sel.Name == name
		case *ast.Ident:
			return t.Name == name
		}
		return false
	})
}

// has reports whether a package declares a kind. Where nothing names the group of the package, the
// name of the kind decides.
func (p Package) has(k GroupKind) bool {
	return slices.Contains(p.Kinds, k.Kind) && (p.Group == k.Group || p.Group == "")
}
