package conversion_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/conversion"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/golden"
	"github.com/stratakube/strata/generator/internal/syntax"
	"github.com/stratakube/strata/runtime"
)

// plansOf reads a plan file of testdata.
func plansOf(t testing.TB, name string) *conversion.Plans {
	t.Helper()
	plans := new(conversion.Plans)
	if err := plans.Add(textOf(t, name)); err != nil {
		t.Fatal(err)
	}
	return plans
}

// textOf reads a file of testdata.
func textOf(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestConvert converts manifests. The file options has words: the plan file, the version, and keep.
func TestConvert(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", "want", func(t *testing.T, files golden.Files) string {
		words := strings.Fields(files["options"])
		plans := plansOf(t, words[0])
		o := conversion.Options{To: words[1], Keep: len(words) > 2}
		file := conversion.File{Name: "manifest.yaml", Text: unix(files)}
		if _, has := files["kustomization.yaml"]; has {
			file.Targets, file.IsPatch = conversion.Patched(conversion.File{Name: "kustomization.yaml", Text: files["kustomization.yaml"]})["manifest.yaml"]
		}
		r := plans.Convert(t.Context(), file, o)
		var out strings.Builder
		if err := (diag.Printer{}).Text(&out, r.Messages); err != nil {
			t.Fatal(err)
		}
		if r.After == file.Text {
			out.WriteString("(unchanged)\n")
		} else {
			out.WriteString(strings.ReplaceAll(r.After, "\r", "\\r"))
			isDone(t, plans, r, o)
		}
		return out.String()
	})
}

// unix returns the manifest, in which \r stands for a carriage return.
func unix(files golden.Files) string { return strings.ReplaceAll(files["manifest"], "\\r", "\r") }

// isDone checks that a second conversion changes nothing.
func isDone(t *testing.T, plans *conversion.Plans, r *conversion.Result, o conversion.Options) {
	t.Helper()
	again := plans.Convert(t.Context(), conversion.File{Name: r.Name, Text: r.After, Targets: converted(r.Targets, o.To)}, o)
	if again.After != r.After || again.Failed() {
		t.Errorf("a second conversion changes the text to %s, %v", again.After, again.Messages)
	}
}

func converted(targets []conversion.Target, version string) []conversion.Target {
	var out []conversion.Target
	for _, target := range targets {
		target.Version = version
		out = append(out, target)
	}
	return out
}

// TestOtherBytesStay converts an object between others, and wants all other bytes as they were.
func TestOtherBytesStay(t *testing.T) {
	plans := plansOf(t, "shop.json")
	const object = "apiVersion: shop.example.com/v1\nkind: Store\nspec: {size: 1}\n"
	for _, around := range []string{
		"", "# c\n", "\n\n", "---\n", "%YAML 1.1\n---\n", "a: |\n  --- no end\n---\n", "a: 'x\n\n  y'\n---\n", "- {a: \"\\u0041\"}\n---\n", "a: b # c\n...\n---\n", "ä: ü\n---\n",
	} {
		text := around + object + "---\nkind: other # d\nx:   [1,   2]\n"
		r := plans.Convert(t.Context(), conversion.File{Name: "a.yaml", Text: text}, conversion.Options{To: "v2"})
		want := around + "apiVersion: shop.example.com/v2\nkind: Store\nspec: {size: {value: 1}}\n---\nkind: other # d\nx:   [1,   2]\n"
		if r.After != want || r.Failed() {
			t.Errorf("%q becomes %q, %v", text, r.After, r.Messages)
		}
	}
}

// FuzzConvert wants no panic, no change of a manifest that has the version already, and the same
// values after a conversion there and back.
func FuzzConvert(f *testing.F) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range archives {
		f.Add(unix(golden.Read(f, name)))
	}
	plans := []*conversion.Plans{plansOf(f, "shop.json"), plansOf(f, "work.json"), plansOf(f, "desk.json")}
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range plans {
			there := p.Convert(t.Context(), conversion.File{Name: "m.yaml", Text: text}, conversion.Options{To: "v2"})
			if there.Failed() {
				if there.After != text {
					t.Fatalf("a file with errors changes to %q", there.After)
				}
				continue
			}
			same := p.Convert(t.Context(), conversion.File{Name: "m.yaml", Text: there.After}, conversion.Options{To: "v2"})
			if same.After != there.After || same.Failed() {
				t.Fatalf("%q\nhas the version, but changes to\n%q\n%v", there.After, same.After, same.Messages)
			}
			versions := map[string]bool{}
			for _, o := range there.Objects {
				versions[o.From] = true
			}
			if there.After == text || len(versions) != 1 || !versions["v1"] {
				continue
			}
			// What a bag of v1 hid has to be hidden again.
			hides := strings.Contains(text, runtime.BagAnnotation) || strings.Contains(text, "propertyBag")
			back := p.Convert(t.Context(), conversion.File{Name: "m.yaml", Text: there.After}, conversion.Options{To: "v1", Keep: hides})
			if back.Failed() {
				t.Fatalf("%q\nbecomes\n%q\nand does not come back: %v", text, there.After, back.Messages)
			}
			if hides {
				again := p.Convert(t.Context(), conversion.File{Name: "m.yaml", Text: back.After}, conversion.Options{To: "v2"})
				sameObjects(t, there.Objects, again.Objects)
				continue
			}
			for i, o := range back.Objects {
				if i < len(there.Objects) && valueOf(t, o.After) != valueOf(t, there.Objects[i].Before) {
					t.Fatalf("%s\ncomes back as\n%s\nthrough\n%s", there.Objects[i].Before, o.After, o.Before)
				}
			}
		}
	})
}

// sameObjects requires that two conversions have the same results.
func sameObjects(t *testing.T, want, got []conversion.Object) {
	t.Helper()
	if len(want) != len(got) {
		t.Fatalf("%d objects become %d", len(want), len(got))
	}
	for i, o := range got {
		if valueOf(t, o.After) != valueOf(t, want[i].After) {
			t.Fatalf("%s\ncomes again as\n%s\nthrough\n%s", want[i].After, o.After, o.Before)
		}
	}
}

// valueOf returns JSON with sorted members and without objects that have no members. A conversion
// removes an object whose members all move to other objects.
func valueOf(t *testing.T, text string) string {
	t.Helper()
	all, err := syntax.Parse("a.json", []byte(text), syntax.Default)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(sorted(all[0]))
}

func sorted(v *syntax.Value) any {
	switch v.Kind() {
	case syntax.Object:
		out := map[string]any{}
		for _, m := range v.All() {
			value := sorted(m)
			if inner, isObject := value.(map[string]any); !isObject || len(inner) > 0 {
				out[m.Name()] = value
			}
		}
		return out
	case syntax.List:
		out := []any{}
		for _, item := range v.All() {
			out = append(out, sorted(item))
		}
		return out
	case syntax.Number:
		var f float64
		if _, err := fmt.Sscan(v.Number(), &f); err == nil {
			return f
		}
	}
	return v.JSON()
}
