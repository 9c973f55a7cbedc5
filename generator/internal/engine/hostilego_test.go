package engine_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/cli"
)

// hostileGo is a package whose comments, markers and values have each hostile text, as far as Go
// lets them.
func hostileGo(text string) string {
	comment := "/*\n" + strings.NewReplacer("*/", "* /", "\x00", "", "\ufeff", "", "+", "plus ").Replace(text) + "\n*/\n"
	return `// +groupName=shop.example.com
// +strata:version:name=v1alpha1
// +strata:version:name=v1
package shop

` + comment + `// +strata:resource:status=OrderStatus
type OrderSpec struct {
	` + comment + `	Size string ` + "`json:\"size\"`" + `

	` + comment + `	// +strata:removed:since=v1
	Gone string ` + "`json:\"gone,omitempty\"`" + `

	Mode Mode ` + "`json:\"mode,omitempty\"`" + `
}

` + comment + `type OrderStatus struct {
	State string ` + "`json:\"state,omitempty\"`" + `
}

` + comment + `type Mode string

const (
	` + comment + `	Fast Mode = ` + quotedGo("fast"+text) + `
	Slow Mode = "slow"
)
`
}

func quotedGo(text string) string { return strings.ReplaceAll(quoted(text), `\/`, "/") }

// TestHostileGo puts hostile texts into the comments and values of a Go package: what is generated
// has the syntax that plain text gives.
func TestHostileGo(t *testing.T) {
	run := func(t *testing.T, text string) map[string]string {
		t.Helper()
		dir := t.TempDir()
		t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
		t.Setenv("GOWORK", "off")
		t.Setenv("GOFLAGS", "-mod=mod")
		write(t, dir, "go.mod", "module example.com/shop\n\ngo 1.26\n")
		write(t, dir, "shop/shop.go", hostileGo(text))
		write(t, dir, "strata.yaml", strings.ReplaceAll(strings.Replace(hostileConfig, "%s", `go: {packages: ["./shop"]}`, 1), "groups: {suffix: example.com}\n", ""))
		code, out, errs := generate(t.Context(), filepath.Join(dir, "strata.yaml"))
		isPlain(t, out, errs)
		if code != cli.Done {
			t.Fatalf("exit code %d: %s", code, errs)
		}
		files, err := contents(filepath.Join(dir, "api"))
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	plain := run(t, "plain")
	for _, text := range []string{
		"x\n//go:generate touch pwned\n//line evil.go:1\nfunc Evil() {}\nnolint:all",
		"go:build ignore\u2028//export Evil\u2029optional\u0085#cgo LDFLAGS: -levil",
		"{{ .Values.evil }} <script> [x](y) https://evil.example | a | b\n```\n\x1b[2J\u202e\u009b31m",
	} {
		t.Run("", func(t *testing.T) { hasForm(t, plain, run(t, text)) })
	}
}

// markedGo are the texts of markers and names of a Go package, by their places, and what stands
// there otherwise.
var markedGo = map[string]string{
	"group": "shop.example.com", "version": "v1", "short": "or", "kind": "Order", "column": "Size", "path": ".spec.size",
	"pattern": "a*", "default": "a", "enum": "a", "rule": "self.size != 'x'", "message": "no", "json": "size", "file": "shop",
}

// markedSource is a Go package with a text at every place. A marker is a line, so that it has no
// line breaks.
func markedSource(at func(place string) string) string {
	line := func(place string) string {
		return strings.NewReplacer("\n", " ", "\r", " ", "\x00", "", "\ufeff", "").Replace(at(place))
	}
	q := func(place string) string { return quotedGo(line(place)) }
	return `// +groupName=` + line("group") + `
// +strata:version:name=` + line("version") + `
package shop

// +strata:resource:kind=` + line("kind") + `,shortNames=` + line("short") + `
// +kubebuilder:printcolumn:name=` + q("column") + `,type=string,JSONPath=` + q("path") + `
// +kubebuilder:validation:XValidation:rule=` + q("rule") + `,message=` + q("message") + `
type OrderSpec struct {
	// +kubebuilder:validation:Pattern=` + q("pattern") + `
	// +kubebuilder:default=` + q("default") + `
	Size string ` + strings.ReplaceAll(quotedGo(`json:`+quotedGo(line("json"))), `\/`, "/") + `

	// +kubebuilder:validation:Enum=` + q("enum") + `;b
	Mode string ` + "`json:\"mode,omitempty\"`" + `
}
`
}

// TestHostileMarkers puts texts into markers of a Go package, the names of its members and of its
// file: each is refused, or does no harm.
func TestHostileMarkers(t *testing.T) {
	if testing.Short() {
		t.Skip("short: lists packages often")
	}
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	run := func(t *testing.T, place, text string) {
		t.Helper()
		dir := t.TempDir()
		t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
		at := func(p string) string {
			if p == place {
				return text
			}
			return markedGo[p]
		}
		file := at("file")
		if strings.ContainsAny(file, "/\x00") || len(file) > 200 {
			t.Skip("not this case: no file can be called so")
		}
		write(t, dir, "go.mod", "module example.com/shop\n\ngo 1.26\n")
		write(t, dir, "shop/"+file+".go", markedSource(at))
		write(t, dir, "shop/doc.go", "package shop\n")
		write(t, dir, "strata.yaml", strings.ReplaceAll(strings.Replace(hostileConfig, "%s", `go: {packages: ["./shop"]}`, 1), "groups: {suffix: example.com}\n", ""))
		code, out, errs := generate(t.Context(), filepath.Join(dir, "strata.yaml"))
		isPlain(t, out, errs)
		files, err := contents(filepath.Join(dir, "api"))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if place == "" && (code != cli.Done || len(files) < 10) {
			t.Fatalf("exit code %d, %d files: %s", code, len(files), errs)
		}
		if code != cli.Done && (code != cli.Failed || len(files) > 0) {
			t.Errorf("exit code %d, %d files, %s", code, len(files), errs)
		}
		for file, body := range files {
			harmless(t, file, body)
		}
	}
	run(t, "", "")
	for at, place := range slices.Sorted(maps.Keys(markedGo)) {
		for i, text := range hostileTexts {
			if (i+at)%6 == 0 || os.Getenv("STRATA_SOAK") != "" {
				t.Run(fmt.Sprintf("%s/%d", place, i), func(t *testing.T) { run(t, place, text) })
			}
		}
	}
}
