package packed

import (
	"bytes"
	"compress/flate"
	"io"
	"strings"
	"sync"
)

// maxSample is the most bytes of a sample. Each use of a sample reads all of it.
const maxSample = 4 << 10

// sample is the text of an object. Texts of one kind are much alike, so that one of them is the
// dictionary of others. Its texts take about an eighth of their bytes.
type sample []byte

func sampleOf(text []byte) sample { return bytes.Clone(text[:min(len(text), maxSample)]) }

// level is the fastest level of compression that finds what a text has in common with a sample.
const level = 2

// codec compresses texts.
type codec struct {
	writers sync.Pool // *flate.Writer, of which each takes more than half a megabyte
	readers sync.Pool // io.Reader that is a flate.Resetter
}

// compress returns a text without what it has in common with a sample. A writer that begins with
// the sample serves all samples, and one that flate makes for a dictionary does not.
func (c *codec) compress(text []byte, like sample) (string, error) {
	var out bytes.Buffer
	w, isKept := c.writers.Get().(*flate.Writer)
	if !isKept {
		var err error
		if w, err = flate.NewWriter(nil, level); err != nil {
			return "", err
		}
	}
	defer c.writers.Put(w)
	w.Reset(&out)
	if _, err := w.Write(like); err != nil {
		return "", err
	}
	if err := w.Flush(); err != nil {
		return "", err
	}
	out.Reset()
	if _, err := w.Write(text); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return out.String(), nil
}

// expand returns a text of a length that compress has compressed with a sample.
func (c *codec) expand(data string, length int, like sample) ([]byte, error) {
	from := strings.NewReader(data)
	r, isKept := c.readers.Get().(io.Reader)
	if !isKept {
		r = flate.NewReaderDict(from, like)
	} else if err := r.(flate.Resetter).Reset(from, like); err != nil {
		return nil, err
	}
	defer c.readers.Put(r)
	text := make([]byte, length)
	_, err := io.ReadFull(r, text)
	return text, err
}
