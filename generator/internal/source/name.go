package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/plaintext"
)

// maxName is the largest length in bytes of the names of resource types and versions. Published
// ones stay below 200.
const maxName = 1000

// Fault explains why a name cannot be used, and what to do about it. The zero value is no fault.
type Fault struct{ Text, Hint string }

// Exists reports whether there is a fault.
func (f Fault) Exists() bool { return f.Text != "" }

// At returns the fault as a message at a position.
func (f Fault) At(pos diag.Pos) diag.Message {
	return diag.Errorf(pos, "%s", f.Text).WithHint("%s", f.Hint)
}

// TypeFault finds a fault in a resource type, which becomes part of code, file names and reports.
func TypeFault(name string) Fault {
	const hint = "types are letters, digits, dots and dashes, with slashes between them: Microsoft.Batch/batchAccounts"
	return nameFault("the resource's type", name, hint, func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || strings.ContainsRune("._-/$@~()+", r)
	})
}

// VersionFault finds a fault in the characters of an API version. The chain checks whether it is
// the name of a version at all.
func VersionFault(name string) Fault {
	return nameFault("the API version", name, "versions are letters, digits, dots and dashes: 2014-04-04-preview", func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-", r)
	})
}

func nameFault(what, name, hint string, allowed func(rune) bool) Fault {
	if len(name) > maxName {
		return Fault{fmt.Sprintf("%s has %d bytes, more than the limit of %d", what, len(name), maxName), hint}
	}
	if at := strings.IndexFunc(name, func(r rune) bool { return !allowed(r) || r == unicode.ReplacementChar }); at >= 0 {
		r := []rune(name[at:])[0]
		return Fault{fmt.Sprintf("%s %q has the character %U, which is not allowed", what, name, r), hint}
	}
	return Fault{}
}

// PathFault finds a fault in the path of a file, which generated files contain.
func PathFault(path string) Fault {
	at := strings.IndexFunc(path, func(r rune) bool { return !plaintext.IsPlain(r) })
	if at < 0 {
		return Fault{}
	}
	return Fault{
		fmt.Sprintf("the path %q of the file has the character %U, which no path may have", path, []rune(path[at:])[0]),
		"rename the file, or leave it out with exclude",
	}
}

// ReadFile reads a file of a tree by its path. It refuses paths with a fault, and files larger than
// limit bytes. The error is a [diag.Message].
func ReadFile(files fs.FS, root, path string, limit int) ([]byte, error) {
	name := filepath.Join(root, filepath.FromSlash(path))
	if fault := PathFault(path); fault.Exists() {
		return nil, fault.At(diag.InFile(name))
	}
	data, err := readAll(files, path, int64(limit))
	if excess := tooLarge(0); errors.As(err, &excess) {
		return nil, diag.Errorf(diag.InFile(name), "the file has %d bytes, more than the limit of %d", int64(excess), limit)
	}
	if err != nil {
		return nil, unreadable(name, err)
	}
	return data, nil
}

// unreadable returns the message for a file that cannot be read.
func unreadable(name string, err error) diag.Message {
	target, linkErr := os.Readlink(name)
	if linkErr == nil && errors.Is(err, fs.ErrNotExist) {
		return diag.Errorf(diag.InFile(name), "the file is a symbolic link to %q, which does not exist", target).
			WithHint("restore what the link names, or leave the link out with exclude")
	}
	return diag.Errorf(diag.InFile(name), "the file cannot be read: %v", Cause(err))
}

// tooLarge is the size of a file above the limit.
type tooLarge int64

// Error reports that the file is too large.
func (tooLarge) Error() string { return "too large" }

var errNotRegular = errors.New("not a regular file")

// readAll reads a regular file of at most limit bytes.
func readAll(files fs.FS, path string, limit int64) ([]byte, error) {
	info, err := fs.Stat(files, path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errNotRegular
	case info.Size() > limit:
		return nil, tooLarge(info.Size())
	}
	file, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	body := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	n, err := body.ReadFrom(io.LimitReader(file, limit+1))
	if n > limit {
		return nil, tooLarge(n)
	}
	return body.Bytes(), err
}

// MessageOf returns the message of an error, with its position if it has one.
func MessageOf(err error) diag.Message {
	var m diag.Message
	if errors.As(err, &m) {
		return m
	}
	return diag.Message{Text: err.Error()}
}
