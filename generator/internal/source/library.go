package source

import (
	"errors"
	"io/fs"
	"sync"
)

// Referred keeps files that others refer to, decoded once each, for many goroutines. The zero value has none.
type Referred[T any] struct {
	mu    sync.Mutex
	files map[string]*once[T]
}

type once[T any] struct {
	sync.Once
	file *T
	err  error
}

// File gives a file by its path, which the first to ask reads.
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

// Cause is what the system says of a file, without its name.
func Cause(err error) error {
	var failed *fs.PathError
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}
