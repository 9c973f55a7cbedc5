package pack

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/zip"
)

// file is one file of a module, in memory, in the form that x/mod/zip reads.
type file struct {
	name string // below the module, with slashes
	data []byte
}

// read returns a module's files as a published zip contains them: without nested modules,
// vendored packages and files that the go command refuses.
func read(dir string) ([]file, error) {
	checked, err := zip.CheckDir(dir)
	if err != nil {
		return nil, fmt.Errorf("list files of %s: %w", dir, err)
	}
	var files []file
	for _, path := range checked.Valid {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read module: %w", err)
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return nil, fmt.Errorf("read module: %w", err)
		}
		files = append(files, file{name: filepath.ToSlash(name), data: data})
	}
	return files, nil
}

func (f file) Path() string                 { return f.name }
func (f file) Lstat() (os.FileInfo, error)  { return info{f}, nil }
func (f file) Open() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(f.data)), nil }

type info struct{ file }

func (i info) Name() string     { return filepath.Base(i.name) }
func (i info) Size() int64      { return int64(len(i.data)) }
func (info) Mode() fs.FileMode  { return 0o644 }
func (info) ModTime() time.Time { return time.Time{} }
func (info) IsDir() bool        { return false }
func (info) Sys() any           { return nil }
