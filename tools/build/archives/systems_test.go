package archives

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/command"
)

// TestSystemCallsOfEachPlatform requires that the files which are compiled for a platform, tests
// included, use only what package syscall has there. Building the real archives finds the same, and
// takes half an hour.
func TestSystemCallsOfEachPlatform(t *testing.T) {
	if testing.Short() {
		t.Skip("short: lists the packages of five programs")
	}
	read := 0
	for _, dir := range folders(t) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if !strings.HasSuffix(entry.Name(), ".go") {
				continue
			}
			used := systemCalls(t, filepath.Join(dir, entry.Name()))
			if len(used) == 0 {
				continue
			}
			for _, on := range Platforms {
				platform := contextOf(on)
				if match, err := platform.MatchFile(dir, entry.Name()); err != nil || !match {
					continue
				}
				read++
				known := calls(t, on)
				for name, at := range used {
					if !known[name] {
						t.Errorf("%s: syscall.%s is not there on %s; give the file a build constraint", at, name, on)
					}
				}
			}
		}
	}
	if read < 20 {
		t.Errorf("only %d files use system calls: were all packages found?", read)
	}
}

// folders are those of the packages of the programs, without packages of others.
func folders(t *testing.T) (all []string) {
	t.Helper()
	root := workspace(t)
	own := map[string]bool{}
	for _, p := range Programs {
		in := command.In{Dir: filepath.Join(root, p.Module)}
		if p.Module != "" {
			in.Env = []string{"GOWORK=off"}
		}
		printed, err := in.Output(t.Context(), "go", "list", "-deps", "-f={{if .Module}}{{.Dir}}{{end}}", p.Package)
		if err != nil {
			t.Fatal(err)
		}
		for dir := range strings.Lines(printed) {
			dir = strings.TrimSpace(dir)
			if strings.HasPrefix(dir, root+string(filepath.Separator)) && !own[dir] {
				own[dir], all = true, append(all, dir)
			}
		}
	}
	return all
}

func contextOf(on Platform) build.Context {
	c := build.Default
	c.GOOS, c.GOARCH, c.CgoEnabled = on.OS, on.Arch, false
	return c
}

// known has the names of package syscall by platform.
var known = map[Platform]map[string]bool{}

// calls returns the names that package syscall exports on a platform.
func calls(t *testing.T, on Platform) map[string]bool {
	t.Helper()
	if known[on] != nil {
		return known[on]
	}
	root, err := command.In{}.Output(t.Context(), "go", "env", "GOROOT")
	if err != nil {
		t.Fatal(err)
	}
	platform := contextOf(on)
	p, err := platform.ImportDir(filepath.Join(strings.TrimSpace(root), "src", "syscall"), 0)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, name := range p.GoFiles {
		for _, d := range parsed(t, token.NewFileSet(), filepath.Join(p.Dir, name)).Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				names[d.Name.Name] = true
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						names[spec.Name.Name] = true
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							names[name.Name] = true
						}
					}
				}
			}
		}
	}
	known[on] = names
	return names
}

func parsed(t *testing.T, files *token.FileSet, name string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// systemCalls returns where a file uses names of package syscall.
func systemCalls(t *testing.T, name string) map[string]token.Position {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil || !strings.Contains(string(text), strconv.Quote("syscall")) {
		return nil
	}
	files, used := token.NewFileSet(), map[string]token.Position{}
	ast.Inspect(parsed(t, files, name), func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if of, ok := s.X.(*ast.Ident); ok && of.Name == "syscall" {
				used[s.Sel.Name] = files.Position(s.Pos())
			}
		}
		return true
	})
	return used
}
