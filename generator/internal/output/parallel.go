package output

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
)

// worker holds what one goroutine uses again from file to file.
type worker struct{ buffer []byte }

// each runs work for 0 to n-1 on several goroutines and returns the error of
// the smallest index that failed before all stopped, or the context's.
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

// read gives a file's bytes, valid until the worker reads again.
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
	if need := int(info.Size()) + 1; cap(w.buffer) < need {
		w.buffer = make([]byte, max(need, 64<<10))
	}
	return w.readAll(file)
}

var errIsFolder = errors.New("is a folder")

// readAll reads to the end, also of a file that grows meanwhile.
func (w *worker) readAll(file io.Reader) ([]byte, error) {
	buffer := w.buffer[:cap(w.buffer)]
	for n := 0; ; {
		got, err := file.Read(buffer[n:])
		n += got
		if err == io.EOF {
			return buffer[:n], nil
		}
		if err != nil {
			return nil, err
		}
		if n == len(buffer) {
			buffer = append(buffer, make([]byte, n)...)
			w.buffer = buffer
		}
	}
}
