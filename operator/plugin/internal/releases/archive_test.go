package releases_test

import (
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/operator/plugin/internal/releases"
)

// TestArchiveHasAllSources archives a program with a file of each language that the go command
// builds as text.
func TestArchiveHasAllSources(t *testing.T) {
	const text = `
-- go.mod --
module example.com/backup

go 1.26.0
-- cmd/a/main.go --
package main

func main() { f() }
-- cmd/a/f.go --
package main

func f()
-- cmd/a/f_amd64.s --
TEXT ·f(SB),4,$0-0
	RET
-- cmd/a/f_arm64.s --
TEXT ·f(SB),4,$0-0
	RET
-- cmd/a/f.h --
#define F 1
-- cmd/a/c.go --
package main

import "C"
-- cmd/a/main_test.go --
package main
`
	dir := t.TempDir()
	want := txtar.Parse([]byte(text))
	if err := txtar.Write(want, dir); err != nil {
		t.Fatal(err)
	}
	for _, cgo := range []string{"0", "1"} {
		t.Setenv("CGO_ENABLED", cgo)
		t.Setenv("GOWORK", "off")
		data, err := releases.Archive(dir, "./cmd/a")
		if err != nil {
			t.Fatal(err)
		}
		got := txtar.Parse(data)
		for _, file := range want.Files[:len(want.Files)-1] {
			if !slices.ContainsFunc(got.Files, func(f txtar.File) bool { return f.Name == file.Name }) {
				t.Errorf("with CGO_ENABLED=%s, the archive lacks %s", cgo, file.Name)
			}
		}
	}
}
