package fetch

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
)

// sum is one file of a tree.
type sum struct {
	path   string
	sha256 [sha256.Size]byte
}

// digest is the sha256 of the listing that sha256sum prints for the files, sorted by
// the bytes of their paths: a line "<hex>  <path>" for each. It covers names and
// contents; modes, times and empty folders are not part of it.
func digest(sums []sum) string {
	slices.SortFunc(sums, func(a, b sum) int { return cmp.Compare(a.path, b.path) })
	listing := sha256.New()
	for _, s := range sums {
		fmt.Fprintf(listing, "%x  %s\n", s.sha256, s.path)
	}
	return hex.EncodeToString(listing.Sum(nil))
}

// tree takes the files of one source, hashes them and, when it has a root, writes
// them below it. It never takes more than maxFiles and maxBytes.
type tree struct {
	root     *os.Root
	maxFiles int
	maxBytes int64
	maxRule  string // what makes the two so: "pinned" or "allowed"

	sums  []sum
	bytes int64
}

// pinnedTree writes below root what s pins, and no more.
func pinnedTree(root *os.Root, s Source) *tree {
	return &tree{root: root, maxFiles: s.Files, maxBytes: s.Bytes, maxRule: "pinned"}
}

// anyTree returns a tree that accepts all files within the limits.
func anyTree(limits Limits) *tree {
	return &tree{maxFiles: limits.Files, maxBytes: limits.UnpackedBytes, maxRule: "allowed"}
}

func (t *tree) files() int     { return len(t.sums) }
func (t *tree) digest() string { return digest(t.sums) }

// add takes a file. An error of content is the origin's, any other is ours.
func (t *tree) add(name string, content io.Reader) error {
	if len(t.sums) == t.maxFiles {
		return refuse("more than the %d files that are %s", t.maxFiles, t.maxRule)
	}
	out, err := t.create(name)
	if err != nil {
		return err
	}
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(hash, out), io.LimitReader(content, t.maxBytes-t.bytes+1))
	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	if t.bytes += n; t.bytes > t.maxBytes {
		return refuse("more than the %s that are %s", size(t.maxBytes), t.maxRule)
	}
	t.sums = append(t.sums, sum{name, [sha256.Size]byte(hash.Sum(nil))})
	return nil
}

func (t *tree) create(name string) (io.WriteCloser, error) {
	if t.root == nil {
		return nowhere{}, nil
	}
	if err := t.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return nil, err
	}
	return t.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
}

// nowhere is the file of a tree that is only hashed.
type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (nowhere) Close() error                { return nil }
