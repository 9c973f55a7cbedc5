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

// partial is an archive on its way: a file that grows, and beside it a note of what
// it is a part of. The note is written before the first byte, so that bytes are never
// taken for those of another archive.
type partial struct {
	path string
	note note
}

// note identifies the representation that a partial file is the beginning of.
type note struct {
	URL string `json:"url"`
	// Validator goes into If-Range: a strong entity tag or a date that serves as one.
	// Empty means that the server named neither: such a part cannot be resumed.
	Validator string `json:"validator"`
}

// openPartial finds what is left at path of an earlier download of url.
func openPartial(path, url string) *partial {
	p := &partial{path: path}
	if data, err := os.ReadFile(p.notePath()); err == nil {
		_ = json.Unmarshal(data, &p.note) // an unreadable note is no note
	}
	if p.note.URL != url {
		p.note = note{URL: url}
	}
	return p
}

func (p *partial) notePath() string { return p.path + ".json" }

// size is the number of bytes that can be resumed from.
func (p *partial) size() int64 {
	info, err := os.Stat(p.path)
	if err != nil || p.note.Validator == "" {
		return 0
	}
	return info.Size()
}

// restart empties the file; what follows is from the answer with this header.
func (p *partial) restart(header http.Header) error {
	if err := p.remove(); err != nil {
		return err
	}
	p.note.Validator = validator(header)
	data, err := json.Marshal(p.note)
	if err != nil {
		return err
	}
	staged := p.notePath() + ".new"
	if err := os.MkdirAll(filepath.Dir(staged), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(staged, data, 0o600); err != nil {
		return err
	}
	return os.Rename(staged, p.notePath())
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

// remove leaves nothing to resume from.
func (p *partial) remove() error {
	p.note.Validator = ""
	for _, path := range []string{p.path, p.notePath()} {
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
