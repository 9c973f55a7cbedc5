package fetch

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// partial is an unfinished download: a file that grows, and beside it metadata of the archive. The
// metadata is written before the first byte, so that bytes never count as those of another archive.
type partial struct {
	path     string
	metadata metadata
}

// metadata identifies the archive that a partial file is the beginning of.
type metadata struct {
	URL string `json:"url"`
	// Validator goes into If-Range: a strong entity tag or a date that serves as one.
	// Empty means that the server named neither: such a download cannot be resumed.
	Validator string `json:"validator"`
}

// openPartial finds the file of an earlier download of url at path.
func openPartial(path, url string) *partial {
	p := &partial{path: path}
	if data, err := os.ReadFile(p.metadataPath()); err == nil {
		_ = json.Unmarshal(data, &p.metadata) // unreadable metadata counts as none
	}
	if p.metadata.URL != url {
		p.metadata = metadata{URL: url}
	}
	return p
}

func (p *partial) metadataPath() string { return p.path + ".json" }

// size is the number of bytes that can be resumed from.
func (p *partial) size() int64 {
	info, err := os.Stat(p.path)
	if err != nil || p.metadata.Validator == "" {
		return 0
	}
	return info.Size()
}

// restart empties the file; what follows is from the answer with this header.
func (p *partial) restart(header http.Header) error {
	if err := p.remove(); err != nil {
		return err
	}
	p.metadata.Validator = validator(header)
	data, err := json.Marshal(p.metadata)
	if err != nil {
		return err
	}
	staged := p.metadataPath() + ".new"
	if err := os.MkdirAll(filepath.Dir(staged), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(staged, data, 0o600); err != nil {
		return err
	}
	return os.Rename(staged, p.metadataPath())
}

// grow appends body, until the file has limit bytes.
func (p *partial) grow(body io.Reader, limit int64) error {
	out, err := os.OpenFile(p.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	info, err := out.Stat()
	if err != nil {
		return errors.Join(err, out.Close())
	}
	n, err := io.Copy(out, io.LimitReader(body, limit-info.Size()+1))
	if err == nil && info.Size()+n > limit {
		err = tooLarge(limit)
	}
	return errors.Join(err, out.Close())
}

func tooLarge(limit int64) error {
	return refuse("the archive is larger than the %s that are allowed", size(limit))
}

// remove removes the file and its metadata.
func (p *partial) remove() error {
	p.metadata.Validator = ""
	for _, path := range []string{p.path, p.metadataPath()} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// validator picks what If-Range may hold (RFC 9110, 13.1.5): an entity tag that is not
// weak, or a date that was a minute old when it was sent (8.8.2.2).
func validator(header http.Header) string {
	if tag := header.Get("ETag"); tag != "" {
		if strings.HasPrefix(tag, `"`) {
			return tag
		}
		return ""
	}
	changed, err := http.ParseTime(header.Get("Last-Modified"))
	if err != nil {
		return ""
	}
	sent, err := http.ParseTime(header.Get("Date"))
	if err != nil || sent.Sub(changed) < time.Minute {
		return ""
	}
	return header.Get("Last-Modified")
}
