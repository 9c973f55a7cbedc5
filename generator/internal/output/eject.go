package output

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
)

// Eject returns the changes that make generated files the author's own: each loses the header, and
// the manifest lists none any more and says so. The ledger and golden files stay. Errors name the
// files that differ from what the manifest lists. A run that was killed is completed by the next.
func Eject(ctx context.Context, dir string, manifest *Manifest) (*Changes, error) {
	var list diag.List
	out := &Changes{Dir: dir}
	for _, row := range manifest.Files {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		at := diag.InFile(onDisk(dir, row.Path))
		body, err := os.ReadFile(onDisk(dir, row.Path))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			list.Errorf(at, "the file is missing")
		case err != nil:
			list.Errorf(at, "read a generated file: %v", err)
		case isEjected(body, row.SHA256):
			// an earlier run that was killed has done so
		case sha256.Sum256(body) != row.SHA256:
			list.Errorf(at, "the file differs from what strata generated")
		default:
			own := withoutHeader(body)
			if !bytes.Equal(own, body) {
				out.List = append(out.List, Change{Path: row.Path, Action: Update, body: own})
			}
		}
	}
	if err := list.Err(); err != nil {
		return nil, err
	}
	out.Manifest = &Manifest{Version: manifest.Version, Ejected: true, Resources: manifest.Resources, Omitted: manifest.Omitted}
	body, err := out.Manifest.Marshal()
	if err != nil {
		return nil, fmt.Errorf("eject: %w", err)
	}
	out.List = append(out.List, Change{Path: ManifestFile, Action: Update, body: body})
	slices.SortFunc(out.List, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// withoutHeader returns a file without the line that says that Strata generated it, and without the
// empty line after it.
func withoutHeader(body []byte) []byte {
	if !hasHeader(body) {
		return body
	}
	_, rest, _ := bytes.Cut(body, []byte("\n"))
	return bytes.TrimPrefix(rest, []byte("\n"))
}

// isEjected reports whether a file is the generated one without its header.
func isEjected(body []byte, generated [sha256.Size]byte) bool {
	for _, comment := range []string{"// ", "# "} {
		for _, end := range []string{"\n", "\n\n"} {
			h := sha256.New()
			h.Write([]byte(comment + marker + end))
			h.Write(body)
			if [sha256.Size]byte(h.Sum(nil)) == generated {
				return true
			}
		}
	}
	return false
}

// ejected returns the error for a folder whose files are no longer generated.
func ejected(dir string) diag.Message {
	return diag.Errorf(diag.InFile(filepath.Join(dir, ManifestFile)), "the files of this folder were ejected: strata no longer generates them").
		WithHint("edit them by hand; to generate them again, restore the folder from version control as it was before")
}
