package scaffold_test

import (
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/scaffold"
)

func TestLook(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/project.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir, want := t.TempDir(), ""
	for _, f := range archive.Files {
		if f.Name == "want" {
			want = string(f.Data)
			continue
		}
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, f.Data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	found, err := scaffold.Look(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, list(found)); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
	below, err := scaffold.Look(t.Context(), filepath.Join(dir, "apis", "shop"))
	if err != nil || below.Module != "example.com/demo/apis/shop" {
		t.Errorf("the module below is %v, %v", below, err)
	}
}

func list(found *scaffold.Found) string {
	var b strings.Builder
	fmt.Fprintln(&b, found.Module)
	for _, s := range found.Sources {
		files := "files"
		if s.Files == 1 {
			files = "file"
		}
		fmt.Fprintf(&b, "%s %s (%d %s)", s.Kind, s.Path, s.Files, files)
		if s.Include != nil {
			fmt.Fprintf(&b, ": %s", strings.Join(s.Include, " "))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestLookEndsWithItsContext checks that a search through a large folder can be stopped.
func TestLookEndsWithItsContext(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := scaffold.Look(ctx, t.TempDir()); err == nil {
		t.Error("the look went on")
	}
}

func TestComplete(t *testing.T) {
	shop, schemas := scaffold.Source{Kind: "go", Path: "shop"}, scaffold.Source{Kind: "arm", Path: "schemas"}
	in := func(sources ...scaffold.Source) *scaffold.Found {
		return &scaffold.Found{Module: "example.com/demo", Sources: sources}
	}
	for _, test := range []struct {
		reason string
		found  *scaffold.Found
		given  scaffold.Choices
		want   scaffold.Choices
		wrong  string
	}{
		{
			reason: "what is found is taken", found: in(shop),
			want: scaffold.Choices{Sources: []scaffold.Source{shop}, Output: "api", Module: "example.com/demo/api"},
		},
		{
			reason: "what is chosen stands above what is found", found: in(shop), given: scaffold.Choices{Sources: []scaffold.Source{schemas}, Output: "gen", Module: "example.com/x", Suffix: "example.org"},
			want: scaffold.Choices{Sources: []scaffold.Source{schemas}, Output: "gen", Module: "example.com/x", Suffix: "example.org"},
		},
		{
			reason: "groups of schemas need a suffix", found: in(schemas),
			want: scaffold.Choices{Sources: []scaffold.Source{schemas}, Output: "api", Module: "example.com/demo/api", Suffix: "example.com"},
		},
		{
			reason: "the output is no folder of packages that are read", found: in(scaffold.Source{Kind: "go", Path: "api/v1"}),
			want: scaffold.Choices{Sources: []scaffold.Source{{Kind: "go", Path: "api/v1"}}, Output: "versions", Module: "example.com/demo/versions"},
		},
		{reason: "without a source there is nothing to generate", found: in(), wrong: "nothing here"},
		{reason: "without a module generated code has no import path", found: &scaffold.Found{Sources: []scaffold.Source{shop}}, wrong: "no Go module"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			got, err := test.given.Complete(test.found)
			switch {
			case test.wrong != "":
				if err == nil || !strings.Contains(err.Error(), test.wrong) {
					t.Errorf("error %v, want one with %q", err, test.wrong)
				}
			case err != nil:
				t.Error(err)
			default:
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("chosen (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// TestFiles checks that strata reads the configuration with all choices, and that the program
// compiles and has at most twenty lines.
func TestFiles(t *testing.T) {
	choices := scaffold.Choices{
		Sources: []scaffold.Source{
			{Kind: "arm", Path: "schemas"}, {Kind: "bicep", Path: "odd: name"}, {Kind: "crd", Path: "config/crd", Include: []string{"a.yaml", "b/*.yaml"}},
			{Kind: "openapi", Path: "docs"}, {Kind: "go", Path: "apis/shop"}, {Kind: "go", Path: "apis/v1"},
		},
		Output: "api", Module: "example.com/demo/api", Suffix: "example.com", Webhook: "cmd/converter",
	}
	files := choices.Files([]byte("{}"))
	if len(files) != 3 || files[1].Path != scaffold.SchemaFile || files[2].Path != "cmd/converter/main.go" {
		t.Fatalf("files are %v", files)
	}
	c, err := config.Decode(files[0].Path, files[0].Body)
	if err != nil {
		t.Fatalf("%v\n%s", err, files[0].Body)
	}
	if len(c.Sources) != 5 || c.Sources[1].Bicep.Root != "odd: name" || c.Sources[2].CRD.Include[1] != "b/*.yaml" ||
		len(c.Sources[4].Go.Packages) != 2 || c.Output.Dir != "api" || c.Groups.Suffix != "example.com" {
		t.Errorf("the configuration says %+v", c)
	}
	if !strings.HasPrefix(string(files[0].Body), "# yaml-language-server: $schema=./"+scaffold.SchemaFile+"\n") {
		t.Errorf("the first line names no schema: %.80s", files[0].Body)
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "main.go", files[2].Body, parser.AllErrors); err != nil || strings.Count(string(files[2].Body), "\n") > 20 {
		t.Errorf("%v in a main of\n%s", err, files[2].Body)
	}
}

func TestParseSource(t *testing.T) {
	for text, want := range map[string]string{"go=./shop": "go=./shop", "go=shop/": "go=./shop", "go=.": "go=.", "crd=config//crd": "crd=config/crd"} {
		if got, err := scaffold.ParseSource(text); err != nil || got.String() != want {
			t.Errorf("%s is %s, %v, want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{"shop": "such as go=./shop", "go=": "such as go=./shop", "cdr=x": `did you mean "crd"?`, "tables=x": "kinds are go"} {
		var m diag.Message
		if _, err := scaffold.ParseSource(text); !errors.As(err, &m) || !strings.Contains(m.Hint, want) {
			t.Errorf("%s: %v, want a hint with %q", text, err, want)
		}
	}
}
