package mutation

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// switched is a package with its mutants in it, each behind a switch that is set when a program
// starts.
type switched struct {
	texts   map[string][]byte // of changed files and of one more, by path
	numbers map[Name]int      // of the mutants that are in it, from 1
	never   map[Name]bool     // the mutants that cannot compile
}

// switches is the file that is put into the package.
//
//go:embed switches.go.txt
var switches string

const (
	switchesFile = "strata_mutants.go"

	endless = 97      // exits a program that takes too much time or memory
	memory  = 4 << 20 // KiB, that a program may take
)

// switchAll rewrites a package. Mutants whose rewritten form does not compile, as in the length of
// an array, are left out.
func switchAll(ctx context.Context, folder string, mutants []Mutant) (switched, error) {
	p, err := load(ctx, folder, nil)
	if err != nil {
		return switched{}, err
	}
	if len(p.Errors) > 0 {
		return switched{}, fmt.Errorf("load %s: %w", folder, p.Errors[0])
	}
	rewriters, never, err := rewritersOf(p, mutants)
	if err != nil {
		return switched{}, err
	}
	helpers := filepath.Join(folder, switchesFile)
	for {
		s := switched{texts: map[string][]byte{helpers: switchesOf(p.Name)}, numbers: map[Name]int{}, never: never}
		for _, r := range rewriters {
			s.texts[r.path] = r.rewrite(s.numbers)
		}
		changed, err := load(ctx, folder, s.texts)
		if err != nil || len(changed.Errors) == 0 {
			return s, err
		}
		if err := leaveOut(rewriters, changed.Errors); err != nil {
			return switched{}, err
		}
	}
}

func load(ctx context.Context, folder string, overlay map[string][]byte) (*packages.Package, error) {
	mode := packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo
	loaded, err := packages.Load(&packages.Config{Context: ctx, Dir: folder, Mode: mode, Overlay: overlay}, ".")
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", folder, err)
	}
	if len(loaded) != 1 {
		return nil, fmt.Errorf("load %s: %d packages", folder, len(loaded))
	}
	return loaded[0], nil
}

// switchesOf is the further file of a package.
func switchesOf(name string) []byte {
	limit := memory
	if runtime.GOOS == "darwin" {
		limit <<= 10 // which counts bytes
	}
	r := strings.NewReplacer("package PACKAGE", "package "+name, "MEMORY", strconv.Itoa(limit), "EXIT", strconv.Itoa(endless))
	return []byte(r.Replace(switches))
}

// rewritersOf are those of the files that the package is built of on this machine. The mutants of
// other files never compile.
func rewritersOf(p *packages.Package, mutants []Mutant) (all []*rewriter, never map[Name]bool, err error) {
	never = map[Name]bool{}
	byFile := map[string]map[int][]Mutant{}
	for _, m := range mutants {
		never[m.Name] = true
		if byFile[m.path] == nil {
			byFile[m.path] = map[int][]Mutant{}
		}
		byFile[m.path][m.offset] = append(byFile[m.path][m.offset], m)
	}
	for _, tree := range p.Syntax {
		file := p.Fset.File(tree.FileStart)
		at := byFile[file.Name()]
		if at == nil {
			continue
		}
		text, err := os.ReadFile(file.Name())
		if err != nil {
			return nil, nil, fmt.Errorf("switch mutants: %w", err)
		}
		for _, mutants := range at {
			for _, m := range mutants {
				delete(never, m.Name)
			}
		}
		r := &rewriter{path: file.Name(), text: text, file: file, info: p.TypesInfo, left: map[Name]bool{}}
		r.collect(tree, at, never)
		all = append(all, r)
	}
	return all, never, nil
}

// leaveOut takes mutants out whose rewritten form does not compile: those of the line of an error
// or else, since an error may be reported at the end of a function, those of the function.
func leaveOut(rewriters []*rewriter, errs []packages.Error) error {
	left := 0
	for _, e := range errs {
		path, line := position(e.Pos)
		for _, r := range rewriters {
			if r.path == path {
				left += r.leaveOut(line)
			}
		}
	}
	if left == 0 {
		return fmt.Errorf("the package with all mutants does not compile: %w", errs[0])
	}
	return nil
}

// position takes file:line:column apart.
func position(pos string) (path string, line int) {
	words := strings.Split(pos, ":")
	if len(words) < 3 {
		return pos, 0
	}
	line, _ = strconv.Atoi(words[len(words)-2])
	return strings.Join(words[:len(words)-2], ":"), line
}
