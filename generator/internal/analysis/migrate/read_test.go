package migrate_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/analysis/migrate"
	"github.com/stratakube/strata/generator/internal/golden"
)

// TestRead follows conversions in common styles.
func TestRead(t *testing.T) {
	t.Setenv("GOWORK", "off")
	t.Setenv("GOPROXY", "off")
	golden.Run(t, "testdata/*.txtar", "flows", func(t *testing.T, files golden.Files) string {
		dir := t.TempDir()
		for name, body := range files {
			if name == "flows" {
				continue
			}
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(body), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		code, err := migrate.Read(t.Context(), dir, []string{"./..."})
		if err != nil {
			t.Fatal(err)
		}
		return spelled(code)
	})
}

func spelled(code *migrate.Code) string {
	var b strings.Builder
	fmt.Fprintf(&b, "hubs %q\nannotations %q\n", code.Hubs, code.Annotations)
	for _, c := range code.Conversions {
		fmt.Fprintf(&b, "%s.%s to %s\n", c.Package, c.Kind, c.Hub)
		for _, f := range c.Flows {
			direction, how := "down", "derived of"
			if f.Up {
				direction = "up"
			}
			switch {
			case f.Exact:
				how = "is"
			case f.Constant:
				how = "is a constant"
			case f.Kept:
				how = "was kept"
			}
			fmt.Fprintln(&b, strings.TrimSpace(fmt.Sprintf("  %s %d: %s %s %s", direction, f.Pos.Line, f.To, how, strings.Join(f.From, ", "))))
		}
	}
	return b.String()
}

// TestCallsAreBounded follows functions each of which calls the next one ten times, and checks that
// this ends. The result of a call that is not followed is derived from all of its inputs.
func TestCallsAreBounded(t *testing.T) {
	t.Setenv("GOWORK", "off")
	t.Setenv("GOPROXY", "off")
	dir := t.TempDir()
	var body strings.Builder
	for i := range 12 {
		fmt.Fprintf(&body, "func f%d(v string) string { return v%s }\n\n", i, strings.Repeat(fmt.Sprintf(" + f%d(v)", i+1), 10))
	}
	for name, text := range map[string]string{
		"go.mod":   "module example.com/shop\n\ngo 1.26\n",
		"v1/v1.go": "package v1\n\ntype Order struct {\n\tSize string `json:\"size\"`\n}\n",
		"v0/v0.go": "package v0\n\nimport \"example.com/shop/v1\"\n\ntype Order struct {\n\tSize string `json:\"size\"`\n}\n\n" +
			"func (o *Order) ConvertTo(hub any) error {\n\thub.(*v1.Order).Size = f0(o.Size)\n\treturn nil\n}\n\n" +
			"func (o *Order) ConvertFrom(hub any) error {\n\to.Size = f0(hub.(*v1.Order).Size)\n\treturn nil\n}\n\n" +
			"func f12(v string) string { return v }\n\n" + body.String(),
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	code, err := migrate.Read(t.Context(), dir, []string{"./..."})
	if err != nil {
		t.Fatal(err)
	}
	if got := spelled(code); !strings.Contains(got, "size derived of size") {
		t.Errorf("flows are %s", got)
	}
}
