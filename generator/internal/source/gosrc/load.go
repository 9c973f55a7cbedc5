package gosrc

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/stratakube/strata/generator/internal/diag"
)

// reader reads the packages of one source.
type reader struct {
	opts     Options
	fset     *token.FileSet
	registry *markers.Registry
	roots    []*loader.Package
	own      map[string]bool // the files of roots that people write, by name
	packages map[string]*loader.Package
	known    map[*loader.Package]*notes
	said     diag.List
}

// notes are what the comments of a package say, by the place of what is declared.
type notes struct {
	byIdent map[token.Pos]remark
	pkg     marks
}

// load loads the packages with their types, and those of all that they import. Function
// bodies are not looked at.
func (o Options) load() (*reader, error) {
	registry, err := newRegistry()
	if err != nil {
		return nil, err
	}
	r := &reader{
		opts: o, fset: token.NewFileSet(), registry: registry,
		own: map[string]bool{}, packages: map[string]*loader.Package{}, known: map[*loader.Package]*notes{},
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	r.roots, err = loader.LoadRootsWithConfig(&packages.Config{Dir: dir, Fset: r.fset}, o.Packages...)
	if err != nil {
		return nil, fmt.Errorf("load Go packages: %w", err)
	}
	r.roots = slices.DeleteFunc(r.roots, func(p *loader.Package) bool { return o.isOutput(p.PkgPath) })
	slices.SortFunc(r.roots, func(a, b *loader.Package) int { return strings.Compare(a.PkgPath, b.PkgPath) })
	for _, p := range r.roots {
		r.need(p)
	}
	for _, p := range r.roots {
		r.complain(p)
	}
	return r, nil
}

// isOutput tells whether a package is one that is generated.
func (o Options) isOutput(path string) bool {
	return o.Output != "" && (path == o.Output || strings.HasPrefix(path, o.Output+"/"))
}

// need makes the types of a package known, those of its imports first.
func (r *reader) need(p *loader.Package) {
	if r.packages[p.PkgPath] != nil {
		return
	}
	r.packages[p.PkgPath] = p
	for _, imported := range p.Imports() {
		r.need(imported)
	}
	p.NeedTypesInfo()
}

// complain reports what the compiler finds in a package, and marks the files that
// people write.
func (r *reader) complain(p *loader.Package) {
	generated := map[string]bool{}
	for _, f := range p.Syntax {
		name := r.fset.Position(f.FileStart).Filename
		generated[name] = ast.IsGenerated(f)
		r.own[name] = !ast.IsGenerated(f)
	}
	for _, e := range errorsOf(p) {
		if file, _, _ := cutPosition(e.Pos); !generated[file] && !r.forgives(e) {
			r.said.Add(diag.Errorf(r.place(e.Pos), "%s", e.Msg))
		}
	}
}

// errorsOf are the errors of a package, and why its imports cannot be found: the go command says
// it better than the compiler.
func errorsOf(p *loader.Package) []packages.Error {
	out := slices.DeleteFunc(slices.Clone(p.Errors), func(e packages.Error) bool { return strings.HasPrefix(e.Msg, "could not import ") })
	for _, imported := range p.Imports() {
		for _, e := range imported.Errors {
			if e.Kind == packages.ListError {
				out = append(out, e)
			}
		}
	}
	return out
}

// forgives tells whether an error is about what this run is there to generate.
func (r *reader) forgives(e packages.Error) bool {
	if strings.Contains(e.Msg, "(missing method ") {
		return true
	}
	return r.opts.Output != "" && strings.Contains(e.Msg, r.opts.Output)
}

// place reads a position as the go command spells it: file, line and column.
func (r *reader) place(pos string) diag.Pos {
	file, line, column := cutPosition(pos)
	if file == "" {
		return diag.Pos{}
	}
	body, err := os.ReadFile(file)
	if err != nil || line == 0 {
		return diag.InFile(r.opts.display(file))
	}
	return diag.At(r.opts.display(file), diag.NewLines(body).Offset(line, max(1, column)), "")
}

func cutPosition(pos string) (file string, line, column int) {
	parts := strings.Split(pos, ":")
	for n := len(parts); n > 1 && column == 0; n = len(parts) {
		number, err := strconv.Atoi(parts[n-1])
		if err != nil {
			break
		}
		parts = parts[:n-1]
		if line == 0 {
			line = number
			continue
		}
		line, column = number, line
	}
	file = strings.Join(parts, ":")
	if file == "-" {
		return "", 0, 0
	}
	return file, line, column
}

// display is the name of a file as messages spell it: joined to the folder that was named.
func (o Options) display(file string) string {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return file
	}
	below, err := filepath.Rel(dir, file)
	if err != nil || strings.HasPrefix(below, "..") {
		return file
	}
	return filepath.Join(o.Dir, below)
}

// at is a place in messages.
func (r *reader) at(pos token.Pos) diag.Pos {
	p := r.fset.Position(pos)
	if !p.IsValid() {
		return diag.Pos{}
	}
	return diag.At(r.opts.display(p.Filename), p.Offset, "")
}

// errorf reports an error with a hint, which may be empty.
func (r *reader) errorf(pos token.Pos, hint, format string, args ...any) {
	m := diag.Errorf(r.at(pos), format, args...)
	m.Hint = hint
	r.said.Add(m)
}

func (r *reader) isOwn(f *ast.File) bool { return r.own[r.fset.Position(f.FileStart).Filename] }

// notes reads the comments of a package, once.
func (r *reader) notes(p *loader.Package) *notes {
	if n := r.known[p]; n != nil {
		return n
	}
	n := &notes{byIdent: map[token.Pos]remark{}}
	r.known[p] = n
	p.NeedSyntax()
	for _, f := range p.Syntax {
		c := r.remarks(f)
		for pos, remark := range c.byIdent {
			n.byIdent[pos] = remark
		}
		n.pkg = append(n.pkg, c.pkg...)
	}
	return n
}
