package emit_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/model"
)

// asking are the selectors by which code determines the kind of a resource's source, or the
// outputs that its source skips. The plan makes the decisions that depend on these, so that all
// printers agree.
var asking = []string{"IsNative", "Sources", "Skips", "SkipCRD", "SkipTests", "SkipHelpers"}

// TestPrintersAskNoSource finds printers that decide something by the kind of a source.
func TestPrintersAskNoSource(t *testing.T) {
	each(t, ".", func(file *ast.File, at func(ast.Node) string) {
		ast.Inspect(file, func(n ast.Node) bool {
			s, is := n.(*ast.SelectorExpr)
			if !is {
				return true
			}
			inner, isInner := s.X.(*ast.SelectorExpr)
			if slices.Contains(asking, s.Sel.Name) || s.Sel.Name == "Group" && isInner && inner.Sel.Name == "Model" {
				t.Errorf("%s asks for %s: decide in package plan what follows from it", at(s), s.Sel.Name)
			}
			return true
		})
	})
}

// TestEngineAsksNoKindWhetherItIsNative finds code outside of the stages that asks whether a
// resource is native. The model and the stages make the decisions that depend on it.
func TestEngineAsksNoKindWhetherItIsNative(t *testing.T) {
	deciding := []string{"model", "refine", "ledger", "secret", "plan"}
	count := 0
	each(t, "..", func(file *ast.File, at func(ast.Node) string) {
		folder := strings.Split(filepath.ToSlash(at(file)), "/")[1]
		ast.Inspect(file, func(n ast.Node) bool {
			if s, is := n.(*ast.SelectorExpr); is && s.Sel.Name == "IsNative" {
				if count++; !slices.Contains(deciding, folder) {
					t.Errorf("%s asks for IsNative: ask the model for what follows from it", at(s))
				}
			}
			return true
		})
	})
	if count == 0 {
		t.Error("no code asks for IsNative")
	}
}

// TestMembersAreNamedOnce finds code that contains the name of a member of Strata. All stages and
// printers must use the table of package model.
func TestMembersAreNamedOnce(t *testing.T) {
	ours := []string{
		model.AzureName, model.SecretRefs, model.ConfigMapRefs, model.Outputs, model.OriginalVersion, model.Conditions, model.PropertyBag,
		model.StoredBag,
	}
	count := 0
	each(t, "..", func(file *ast.File, at func(ast.Node) string) {
		if strings.HasPrefix(at(file), filepath.Join("..", "chain", "chaintest")) {
			return // its random models have properties of such names
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if l, is := n.(*ast.BasicLit); is && l.Kind == token.STRING {
				if text, err := strconv.Unquote(l.Value); err == nil && slices.Contains(ours, text) {
					if count++; !strings.HasPrefix(at(l), filepath.Join("..", "model", "member.go")) {
						t.Errorf("%s names %q: take the constant of package model", at(l), text)
					}
				}
			}
			return true
		})
	})
	if count < len(ours) {
		t.Errorf("found %d names, want %d at least", count, len(ours))
	}
}

// each parses the files of a folder, and of those below it, except tests.
func each(t *testing.T, folder string, visit func(*ast.File, func(ast.Node) string)) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err == nil {
			visit(file, func(n ast.Node) string { return fmt.Sprintf("%s:%d", path, set.Position(n.Pos()).Line) })
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
