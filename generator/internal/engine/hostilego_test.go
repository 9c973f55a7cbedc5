package engine_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/generator/internal/cli"
)

// hostileGo is a package whose comments, markers and values have each hostile text, as far as Go lets them.
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

// TestHostileGo puts hostile texts into the comments and values of a Go package: what is generated has the syntax that
// plain text gives.
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
