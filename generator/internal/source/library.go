package source

import (
	"errors"
	"io/fs"
	"sync"
)

// Referred stores files that others refer to, each decoded once. It is safe for concurrent use. The
// zero value is empty.
type Referred[T any] struct {
	mu    sync.Mutex
	files map[string]*once[T]
}

type once[T any] struct {
	sync.Once
	file *T
	err  error
}

// File returns a file by its path. The first call for a path reads it.
func (r *Referred[T]) File(path string, read func(path string) (*T, error)) (*T, error) {
	r.mu.Lock()
	f := r.files[path]
	if f == nil {
		if r.files == nil {
			r.files = map[string]*once[T]{}
		}
		f = &once[T]{}
		r.files[path] = f
	}
	r.mu.Unlock()
	f.Do(func() { f.file, f.err = read(path) })
	return f.file, f.err
}

// Cause returns an error of the file system without the name of the file.
func Cause(err error) error {
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}
