package fetch

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"path"
	"strings"
)

// visit takes one selected file; content is valid until it returns.
type visit func(path string, content io.Reader) error

// origin passes the files that a selection matches to a function, each once, in any order. It
// refuses untrusted entries, and stops at the first error.
type origin interface {
	read(ctx context.Context, want *selection, limits Limits, visit visit) error
}

// archive is a gzipped tar of a repository at a commit, as code hosts and
// git archive --prefix=<any>/ make it: one top folder, which is taken off.
type archive struct{ packed io.Reader }

func (a archive) read(ctx context.Context, want *selection, limits Limits, visit visit) error {
	unzipped, err := gzip.NewReader(guarded{ctx, a.packed})
	if err != nil {
		return blame(ctx, err)
	}
	stream := &bounded{unzipped, limits.UnpackedBytes}
	if err := readTar(ctx, tar.NewReader(stream), want, newEntries(limits.Files), visit); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, stream) // gzip checks its sum at the end
	return blame(ctx, err)
}

func readTar(ctx context.Context, in *tar.Reader, want *selection, known *entries, visit visit) error {
	for {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return blame(ctx, err)
		}
		path, kind, err := known.admit(header)
		if err != nil {
			return err
		}
		if kind == folderEntry || !want.match(path) {
			continue
		}
		if kind != fileEntry {
			return refuse("%s is a link; only plain files are taken", path)
		}
		if err := visit(path, blaming{ctx, in}); err != nil {
			return err
		}
	}
}

// kind is the kind of an entry of an archive.
type kind int

const (
	impliedEntry kind = iota // a folder known from the paths below it
	folderEntry
	fileEntry
	linkEntry
)

// entries remembers the paths of an archive, so that no two of them can collide.
type entries struct {
	max  int
	read int
	top  string
	seen map[string]kind
}

func newEntries(limit int) *entries {
	return &entries{max: limit, seen: map[string]kind{}}
}

// admit returns an entry's path below the top folder, and its kind. The top folder and git's
// comment count as folders.
func (e *entries) admit(h *tar.Header) (string, kind, error) {
	if e.read++; e.read > e.max {
		return "", 0, refuse("more than %d entries", e.max)
	}
	kind, err := kindOf(h)
	if err != nil || h.Typeflag == tar.TypeXGlobalHeader {
		return "", folderEntry, err
	}
	name := strings.TrimSuffix(h.Name, "/")
	if err := checkPath(name); err != nil {
		return "", 0, err
	}
	top, below, inside := strings.Cut(name, "/")
	if e.top == "" {
		e.top = top
	}
	if top != e.top || !inside && kind != folderEntry {
		return "", 0, hint(refuse("%q does not stand in the top folder %q", name, e.top),
			"make the archive with git archive --format=tar.gz --prefix=<any>/ <commit>")
	}
	if !inside {
		return "", folderEntry, nil
	}
	return below, kind, e.record(below, kind)
}

// kindOf returns the kind of an entry, for those that git writes: files, folders, links and its
// comment.
func kindOf(h *tar.Header) (kind, error) {
	switch h.Typeflag {
	case tar.TypeReg:
		return fileEntry, nil
	case tar.TypeDir, tar.TypeXGlobalHeader:
		return folderEntry, nil
	case tar.TypeSymlink, tar.TypeLink:
		return linkEntry, nil
	}
	return 0, refuse("%q is neither a file, a folder nor a link (tar type %q)", h.Name, h.Typeflag)
}

// record adds name, which must be new, and the folders above it.
func (e *entries) record(name string, is kind) error {
	if was, ok := e.seen[name]; ok && (was != impliedEntry || is != folderEntry) {
		return refuse("%s stands twice", name)
	}
	e.seen[name] = is
	for above := path.Dir(name); above != "."; above = path.Dir(above) {
		switch was, ok := e.seen[above]; {
		case !ok:
			e.seen[above] = impliedEntry
		case was == fileEntry || was == linkEntry:
			return refuse("%s stands below %s, which is no folder", name, above)
		default:
			return nil
		}
	}
	return nil
}
