package output

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"runtime"
	"sync"

	"github.com/stratakube/strata/generator/internal/parallel"
)

// worker has the buffer that one goroutine reuses.
type worker struct{ buffer []byte }

var workers = sync.Pool{New: func() any { return new(worker) }}

// each runs work for 0 to n-1 on several goroutines, as [parallel.Try] does.
func each(ctx context.Context, n int, work func(w *worker, i int) error) error {
	return parallel.Try(ctx, n, max(4, 2*runtime.GOMAXPROCS(0)), func(i int) error {
		w := workers.Get().(*worker)
		defer workers.Put(w)
		return work(w, i)
	})
}

// open opens a file, and returns its size.
func open(name string) (*os.File, int, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		err = &os.PathError{Op: "read", Path: name, Err: errIsFolder}
	}
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, int(info.Size()), nil
}

// part is how much of a file a worker reads at once, and the least size of its buffer.
const part = 64 << 10

// contains reports whether a file contains some bytes, and no more.
func (w *worker) contains(name string, body []byte) (bool, error) {
	file, size, err := open(name)
	if err != nil {
		return false, err
	}
	defer file.Close()
	if size != len(body) {
		return false, nil
	}
	buffer := w.room(part)
	for {
		n, err := file.Read(buffer)
		if !bytes.HasPrefix(body, buffer[:n]) {
			return false, nil
		}
		switch body = body[n:]; {
		case errors.Is(err, io.EOF):
			return len(body) == 0, nil
		case err != nil:
			return false, err
		}
	}
}

// read returns a file's bytes, which are valid until the worker reads again.
func (w *worker) read(name string) ([]byte, error) {
	file, size, err := open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	buffer := w.room(size)
	n, err := io.ReadFull(file, buffer)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return buffer[:n], nil
}

// room returns the buffer with some length, and makes a larger one if necessary.
func (w *worker) room(size int) []byte {
	if cap(w.buffer) < size {
		w.buffer = make([]byte, max(size, part))
	}
	return w.buffer[:size]
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
