package goedit_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/generator/internal/goedit"
)

const runtime = "example.com/runtime"

// TestEdits compares files before and after: the archive has pairs called NAME and NAME.want. A
// pair without NAME.want stays as it is, and one whose NAME.want is empty is removed.
func TestEdits(t *testing.T) {
	for name, edit := range map[string]func(*testing.T, *goedit.File){
		"embed": func(t *testing.T, f *goedit.File) {
			t.Helper()
			body, err := goedit.Embed(f.Name, f.Body, []string{"Status"}, runtime, "strata", "VersionedStatus")
			if err != nil {
				t.Error(err)
			}
			f.Body = body
		},
		"register": func(t *testing.T, f *goedit.File) {
			t.Helper()
			known := []string{"example.com/demo/api/v1", "example.com/demo/api/v1beta1"}
			body, has, err := goedit.Register(f.Name, f.Body, "example.com/demo/versions", known)
			if err != nil || has == bytes.Equal(body, f.Body) && !strings.HasPrefix(f.Name, "has") {
				t.Errorf("registered: %t, %v", has, err)
			}
			if again, still, err := goedit.Register(f.Name, body, "example.com/demo/versions", known); err != nil || still != has || string(again) != string(body) {
				t.Errorf("a second time changes it: %v, %v\n%s", still, err, again)
			}
			f.Body = body
		},
		"crdpaths": func(t *testing.T, f *goedit.File) {
			t.Helper()
			body, unknown, err := goedit.CRDPaths(f.Name, f.Body, "config/crd/bases", "versions/crds")
			want := []int(nil)
			if strings.HasPrefix(f.Name, "unknown") {
				want = []int{4, 5}
			}
			if err != nil || !slices.Equal(unknown, want) || !goedit.IsSuite(f.Body) {
				t.Errorf("unknown lines %v, %v", unknown, err)
			}
			if again, _, err := goedit.CRDPaths(f.Name, body, "config/crd/bases", "versions/crds"); err != nil || !bytes.Equal(again, body) {
				t.Errorf("a second time changes it: %v\n%s", err, again)
			}
			f.Body = body
		},
	} {
		t.Run(name, func(t *testing.T) {
			files, want := pairs(t, "testdata/"+name+".txtar")
			for i := range files {
				edit(t, &files[i])
				compare(t, files[i], want[files[i].Name])
			}
		})
	}
}

// TestRegistrationOf checks where a suite registers packages: a wrong line sends the user to the
// wrong place, and a suite that registers too late converts nothing.
func TestRegistrationOf(t *testing.T) {
	for body, want := range map[string]goedit.Registration{
		"run(v1.AddToScheme)":  {Known: 8},
		"other.AddToScheme(s)": {},
		"env := &envtest.Environment{}\nv1.AddToScheme(s); versions.AddToScheme(s)\nenv.Start()":                                          {Known: 9},
		"env := &envtest.Environment{}\nenv.Start()\nv1.AddToScheme(s)\nversions.AddToScheme(s)":                                          {Known: 10, Late: 10},
		"env = envtest.Environment{}\nenv.Start()\nv1.AddToScheme(s)\nversions.AddToScheme(s)":                                            {Known: 10, Late: 10},
		"env := &envtest.Environment{I: O{IgnoreSchemeConvertible: true}}\nenv.Start()\nv1.AddToScheme(s)\nversions.AddToScheme(s)":       {Known: 10},
		"env := &envtest.Environment{}\nv1.AddToScheme(s)\nenv.Start()\nversions.AddToScheme(s)":                                          {Known: 9, Late: 11},
		"clock := newClock()\nclock.Start()\nv1.AddToScheme(s)\nversions.AddToScheme(s)":                                                  {Known: 10},
		"env := &envtest.Environment{}\nenv.Start()\n}\n\nfunc add() {\nv1.AddToScheme(s); versions.AddToScheme(s)":                       {Known: 13},
		"env := &envtest.Environment{}\nenv.Start()\nv1.SchemeBuilder.AddToScheme(s)\nfor range 1 {\nerr := versions.AddToScheme(s)\n}\n": {Known: 10, Late: 10},
	} {
		src := "package x\n\nimport \"example.com/demo/api/v1\"\nimport \"example.com/demo/versions\"\nimport \"example.com/other\"\n\nfunc suite() {\n" + body + "\n}\n"
		got, err := goedit.RegistrationOf("x_test.go", []byte(src), "example.com/demo/versions", []string{"example.com/demo/api/v1"})
		if err != nil || got != want {
			t.Errorf("%s\n\t%+v, %v, and not %+v", body, got, err, want)
		}
	}
	if _, err := goedit.RegistrationOf("x_test.go", []byte("package x\n\nfunc {"), "", nil); err == nil {
		t.Error("what is no Go has registrations")
	}
}

func TestRemove(t *testing.T) {
	files, want := pairs(t, "testdata/remove.txtar")
	changed, err := goedit.Remove(files, []string{"Book", "Shelf"})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range changed {
		compare(t, f, want[f.Name])
		delete(want, f.Name)
	}
	for name, body := range want {
		for _, f := range files {
			if f.Name == name && string(f.Body) != body {
				t.Errorf("%s is not changed", name)
			}
		}
	}
}

func TestNoGo(t *testing.T) {
	broken := []byte("package x\n\nfunc {")
	if _, err := goedit.Embed("x.go", broken, nil, runtime, "strata", "V"); err == nil || !strings.Contains(err.Error(), "x.go:3:6") {
		t.Errorf("no place of the error: %v", err)
	}
	if _, _, err := goedit.Register("x.go", broken, runtime, nil); err == nil {
		t.Error("what is no Go is registered in")
	}
	misplaced := []byte("package x\n\nimport runtime \"k8s.io/apimachinery/pkg/util/runtime\"\n\n// +kubebuilder:scaffold:imports\n\n// +kubebuilder:scaffold:scheme\nvar _ = runtime.Must\n")
	if body, changed, err := goedit.Register("x.go", misplaced, runtime, nil); err == nil || changed || !bytes.Equal(body, misplaced) {
		t.Errorf("a line is inserted where it is no Go: %v\n%s", err, body)
	}
	if _, err := goedit.Remove([]goedit.File{{Name: "x.go", Body: broken}}, nil); err == nil {
		t.Error("what is no Go is removed from")
	}
}

// TestIsStub checks which bodies of conversions convert nothing: a wrong answer removes what an
// author wrote.
func TestIsStub(t *testing.T) {
	for body, want := range map[string]bool{
		"dst := to.(*v1.Book); dst.ObjectMeta = src.ObjectMeta; return nil": true,
		"log.Printf(`%s`, src.Name)":                                        true,
		"":                                                                  true,
		"dst := to.(*v1.Book); dst.ObjectMeta = src.ObjectMeta; dst.Spec = src.Spec; return nil": false,
		"dst.ObjectMeta = other(src).ObjectMeta":                                                 false,
		"dst.Spec.ObjectMeta = src.Spec.ObjectMeta":                                              false,
		"dst := to.(*v1.Book); if src.Spec.Old { return nil }; return nil":                       false,
		"log.Printf(`%s`, convert(src, to))":                                                     false,
		"return convert(src, to)":                                                                false,
		"return errors.ErrUnsupported":                                                           false,
		"dst := convert(to)":                                                                     false,
		"log.Fatal(src)":                                                                         false,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n\nfunc (src *Book) ConvertTo(to conversion.Hub) error {"+body+"}", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := goedit.IsStub(f.Decls[0].(*ast.FuncDecl)); got != want {
			t.Errorf("%s: a stub: %t", body, got)
		}
	}
}

func pairs(t *testing.T, archive string) ([]goedit.File, map[string]string) {
	t.Helper()
	a, err := txtar.ParseFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	var files []goedit.File
	want := map[string]string{}
	for _, f := range a.Files {
		if name, isWant := strings.CutSuffix(f.Name, ".want"); isWant {
			want[name] = string(f.Data)
			continue
		}
		files = append(files, goedit.File{Name: f.Name, Body: f.Data})
		want[f.Name] = string(f.Data)
	}
	return files, want
}

func compare(t *testing.T, f goedit.File, want string) {
	t.Helper()
	if diff := cmp.Diff(want, string(f.Body)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", f.Name, diff)
	}
	if f.Body == nil {
		return
	}
	if formatted, err := format.Source(f.Body); err != nil || string(formatted) != string(f.Body) && !strings.HasPrefix(f.Name, "unformatted") {
		t.Error(fmt.Errorf("%s is not as gofmt leaves it: %w", f.Name, err))
	}
}
