package engine_test

import (
	"fmt"
	"maps"
	"os"
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

// hostileGoFront is a Go package, with a text in its comments and values, or at one position of its
// markers and names.
var hostileGoFront = hostileFront{name: "go", names: markedGo, write: writeHostileGo}

func writeHostileGo(t *testing.T, dir, text, position, name string) (config string) {
	t.Helper()
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	file, body := "shop", hostileGo(text)
	if position != "" {
		at := func(p string) string {
			if p == position {
				return name
			}
			return markedGo[p]
		}
		file, body = at("file"), markedSource(at)
	}
	if strings.ContainsAny(file, "/\x00") || len(file) > 200 {
		t.Skip("not this case: no file can be called so")
	}
	write(t, dir, "go.mod", "module example.com/shop\n\ngo 1.26\n")
	write(t, dir, "shop/doc.go", "package shop\n")
	write(t, dir, "shop/"+file+".go", body)
	return strings.ReplaceAll(strings.Replace(hostileConfig, "%s", `go: {packages: ["./shop"]}`, 1), "groups: {suffix: example.com}\n", "")
}

// TestHostileGo puts hostile texts into the comments and values of a Go package. The generated
// files must have the syntax that plain text gives.
func TestHostileGo(t *testing.T) {
	_, _, errs, plain := hostileGoFront.run(t, "plain", "", "")
	if len(plain) < 10 {
		t.Fatalf("%d files: %s", len(plain), errs)
	}
	for _, text := range []string{
		"x\n//go:generate touch pwned\n//line evil.go:1\nfunc Evil() {}\nnolint:all",
		"go:build ignore\u2028//export Evil\u2029optional\u0085#cgo LDFLAGS: -levil",
		"{{ .Values.evil }} <script> [x](y) https://evil.example | a | b\n```\n\x1b[2J\u202e\u009b31m",
	} {
		t.Run("", func(t *testing.T) { hostileGoFront.isText(t, plain, text) })
	}
}

// markedGo has the usual texts of markers and names in a Go package by their positions.
var markedGo = map[string]string{
	"group": "shop.example.com", "version": "v1", "short": "or", "kind": "Order", "column": "Size", "path": ".spec.size",
	"pattern": "a*", "default": "a", "enum": "a", "rule": "self.size != 'x'", "message": "no", "json": "size", "file": "shop",
}

// markedSource is a Go package with a text at every position. A marker is a line, so that it has no
// line breaks.
func markedSource(at func(position string) string) string {
	line := func(position string) string {
		return strings.NewReplacer("\n", " ", "\r", " ", "\x00", "", "\ufeff", "").Replace(at(position))
	}
	q := func(position string) string { return quotedGo(line(position)) }
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

// refusedGo are the positions of a Go package where some text is refused.
var refusedGo = []string{"group", "version", "kind", "json", "file"}

// TestHostileMarkers puts texts into markers of a Go package, the names of its members and of its
// file: each is refused, or does no harm. Each position gets the first text, the one with commands
// of a terminal, a ninth of the others, and all until one is refused where one has to be.
func TestHostileMarkers(t *testing.T) {
	long(t)
	if code, _, errs, files := hostileGoFront.run(t, "", "group", markedGo["group"]); code != cli.Done || len(files) < 10 {
		t.Fatalf("exit code %d, %d files: %s", code, len(files), errs)
	}
	for at, position := range slices.Sorted(maps.Keys(markedGo)) {
		missing := slices.Contains(refusedGo, position)
		for i, text := range hostileTexts {
			if i == 0 || missing || strings.Contains(text, "\u009b") || (i+at)%9 == 0 || os.Getenv("STRATA_SOAK") != "" {
				t.Run(fmt.Sprintf("%s/%d", position, i), func(t *testing.T) {
					if !hostileGoFront.isHarmless(t, position, text) {
						missing = false
					}
				})
			}
		}
		if missing {
			t.Errorf("every text is taken as %s", position)
		}
	}
}
