package buildedit

import (
	"bytes"

	"github.com/rogpeppe/go-internal/diff"
)

// Patch returns the change of a file as a unified diff, which git apply and patch -p1 take. name is
// its path in the project, with slashes.
func Patch(name string, before, after []byte) []byte {
	out := diff.Diff("a/"+name, before, "b/"+name, after)
	_, out, _ = bytes.Cut(out, []byte("\n"))
	return out
}
