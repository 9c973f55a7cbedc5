package output

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
)

// worker has the buffer that one goroutine reuses.
type worker struct{ buffer []byte }

// each runs work for 0 to n-1 on several goroutines. It returns the error of the smallest index
// that failed before all stopped, or the context's.
func each(ctx context.Context, n int, work func(w *worker, i int) error) error {
	var next atomic.Int64
	var failed atomic.Bool
	var all sync.WaitGroup
	errs := make([]error, n)
	for range min(n, max(4, 2*runtime.GOMAXPROCS(0))) {
		all.Go(func() {
			var w worker
			for !failed.Load() && ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if errs[i] = work(&w, i); errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// read returns a file's bytes, which are valid until the worker reads again.
func (w *worker) read(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, &os.PathError{Op: "read", Path: name, Err: errIsFolder}
	}
	size := int(info.Size())
	if cap(w.buffer) < size {
		w.buffer = make([]byte, max(size, 64<<10))
	}
	n, err := io.ReadFull(file, w.buffer[:size])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return w.buffer[:n], nil
}

// sum returns the digest of what a file contains.
func (w *worker) sum(name string) (Digest, error) {
	body, err := w.read(name)
	if err != nil {
		return Digest{}, err
	}
	return sha256.Sum256(body), nil
}

var errIsFolder = errors.New("is a folder")
