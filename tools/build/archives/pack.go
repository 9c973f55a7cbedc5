package archives

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"time"
)

// entry is a file in an archive, or one that was read from it.
type entry struct {
	name      string
	body      []byte
	isProgram bool
}

// mode is the same for everybody who builds.
func (e entry) mode() os.FileMode {
	if e.isProgram {
		return 0o755
	}
	return 0o644
}

// pack returns an archive with the files in their order: a zip for Windows, and a tar for others.
// All files have one time.
func pack(on Platform, files []entry, at time.Time) ([]byte, error) {
	if on.OS == "windows" {
		return zipped(files, at)
	}
	return tarred(files, at)
}

func tarred(files []entry, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(compressed)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: int64(f.mode()), Size: int64(len(f.body)), ModTime: at, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(h); err != nil {
			return nil, fmt.Errorf("pack %s: %w", f.name, err)
		}
		if _, err := w.Write(f.body); err != nil {
			return nil, fmt.Errorf("pack %s: %w", f.name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if err := compressed.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func zipped(files []entry, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at.UTC()}
		h.SetMode(f.mode())
		in, err := w.CreateHeader(h)
		if err != nil {
			return nil, fmt.Errorf("pack %s: %w", f.name, err)
		}
		if _, err := in.Write(f.body); err != nil {
			return nil, fmt.Errorf("pack %s: %w", f.name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// maxEntry is the size of the largest file that is unpacked.
const maxEntry = 1 << 30

// unpack reads an archive.
func unpack(on Platform, text []byte) ([]entry, error) {
	var out []entry
	if on.OS == "windows" {
		r, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			return nil, err
		}
		for _, f := range r.File {
			in, err := f.Open()
			if err != nil {
				return nil, err
			}
			body, err := io.ReadAll(io.LimitReader(in, maxEntry))
			if err != nil {
				return nil, err
			}
			out = append(out, entry{f.Name, body, f.Mode()&0o111 != 0})
		}
		return out, nil
	}
	compressed, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	for r := tar.NewReader(compressed); ; {
		h, err := r.Next()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(io.LimitReader(r, maxEntry))
		if err != nil {
			return nil, err
		}
		out = append(out, entry{h.Name, body, h.Mode&0o111 != 0})
	}
}
