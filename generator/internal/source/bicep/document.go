package bicep

import (
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/syntax"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// The limits of a file. Published ones stay below 2 MB and ten levels.
const (
	maxSize  = 64 << 20
	maxDepth = 50
)

// file is one decoded file of types.
type file struct {
	*document.Document
	types []document.Location // by index
	// twofold reports, by index, which types differ between the spec and the status.
	twofold []bool
}

// open reads and decodes a file. The error is a diag.Message.
func open(files fs.FS, root, path string) (*file, error) {
	data, err := source.ReadFile(files, root, path, maxSize)
	if err != nil {
		return nil, err
	}
	doc, err := document.JSON(path, filepath.Join(root, filepath.FromSlash(path)), data, jsontree.Limits{Size: maxSize, Depth: maxDepth})
	if err != nil {
		return nil, err
	}
	f := &file{Document: doc}
	if doc.Root().Kind() != syntax.List {
		return nil, doc.Root().Errorf("a file of types must be a list, not %s", doc.Root().Kind())
	}
	for _, m := range doc.Doubled() {
		return nil, m.Errorf("the member %q appears twice in one object", m.Name())
	}
	f.types = make([]document.Location, 0, doc.Root().Len())
	for n := range doc.Root().All() {
		f.types = append(f.types, n)
	}
	f.twofold = f.splitViews()
	return f, nil
}

// index returns the index in the text of a reference, if there is such a type.
func (f *file) index(ref document.Location) (int, bool) {
	digits, ok := strings.CutPrefix(ref.Text(), "#/")
	i, err := strconv.Atoi(digits)
	return i, ok && err == nil && i >= 0 && i < len(f.types) && strconv.Itoa(i) == digits
}
