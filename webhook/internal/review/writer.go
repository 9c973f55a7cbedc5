package review

import (
	"encoding/json"
	"io"
	"strings"
	"unicode/utf8"
)

// flushAt is how much of an answer is kept back. An answer that is shorter goes out as a whole, so that it can still
// become another one.
const flushAt = 256 << 10

// Writer writes the answer to a review: first Begin, then the objects in their order, then Succeed or Fail, then Close.
type Writer struct {
	out     io.Writer
	buf     []byte
	uid     []byte
	objects int
	written int64
	failed  error
}

// Reset makes the writer that of another answer. Buf is used as a buffer.
func (w *Writer) Reset(buf []byte, out io.Writer) {
	*w = Writer{out: out, buf: buf[:0]}
}

// Buffer returns the buffer, for another Reset.
func (w *Writer) Buffer() []byte { return w.buf[:0] }

// Begin begins the answer to the request with this uid, which is JSON text in its quotes.
func (w *Writer) Begin(uid []byte) {
	w.uid = uid
	w.buf = append(w.buf[:0], `{"kind":"`+Kind+`","apiVersion":"`+APIVersion+`","response":{"uid":`...)
	w.buf = append(w.buf, uid...)
	w.buf = append(w.buf, `,"convertedObjects":[`...)
}

// Gathered is how many bytes are kept back.
func (w *Writer) Gathered() int { return len(w.buf) }

// Move makes into the buffer, which must hold what has gathered, and returns the one before.
func (w *Writer) Move(into []byte) []byte {
	before := w.buf
	w.buf = append(into[:0], before...)
	return before
}

// Next returns the buffer, to which the next object is to be appended. It is then given to Add, or forgotten.
func (w *Writer) Next() []byte {
	if w.objects > 0 {
		return append(w.buf, ',')
	}
	return w.buf
}

// Add takes the buffer with an object more. It sends what has gathered when that is much; the error is that of the
// writer below.
func (w *Writer) Add(buf []byte) error {
	w.buf = buf
	w.objects++
	if len(w.buf) < flushAt {
		return nil
	}
	return w.flush()
}

func (w *Writer) flush() error {
	if w.failed != nil {
		return w.failed
	}
	n, err := w.out.Write(w.buf)
	w.written += int64(n)
	w.failed = err
	w.buf = w.buf[:0]
	return err
}

// HasSent reports whether a part of the answer is on its way, or was to be.
func (w *Writer) HasSent() bool { return w.written > 0 || w.failed != nil }

// Size is how long the answer is so far, sent or not.
func (w *Writer) Size() int64 { return w.written + int64(len(w.buf)) }

// Succeed ends an answer with all objects in it.
func (w *Writer) Succeed() {
	w.buf = append(w.buf, `],"result":{"metadata":{},"status":"Success"}}}`+"\n"...)
}

// Fail ends an answer that says why there is none. Objects that were added are left out, but for those that are on their
// way; the API server reads the result first, and does not look at them.
func (w *Writer) Fail(message string) {
	if !w.HasSent() {
		w.Begin(w.uid)
	}
	w.buf = append(w.buf, `],"result":{"metadata":{},"status":"Failure","message":`...)
	w.buf = append(w.buf, quoted(message)...)
	w.buf = append(w.buf, `}}}`+"\n"...)
}

// maxMessage is how long a message may be. Users see it on their terminals.
const maxMessage = 4 << 10

func quoted(message string) []byte {
	message = strings.ToValidUTF8(message, "\uFFFD")
	if len(message) > maxMessage {
		end := maxMessage
		for !utf8.RuneStart(message[end]) {
			end--
		}
		message = message[:end] + " ..."
	}
	text, err := json.Marshal(message)
	if err != nil {
		return []byte(`"the reason cannot be told"`)
	}
	return text
}

// Close sends what has gathered.
func (w *Writer) Close() error { return w.flush() }
