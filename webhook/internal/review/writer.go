package review

import (
	"encoding/json"
	"io"
	"strings"
	"unicode/utf8"
)

// flushAt is the number of bytes from which an answer is sent. A shorter answer is sent whole, so
// that it can still be replaced by a failure.
const flushAt = 256 << 10

// Writer writes the answer to a review. Call Begin, then Add for each object in order, then Succeed
// or Fail, and then Close.
type Writer struct {
	out     io.Writer
	buf     []byte
	uid     []byte
	objects int
	written int64
	failed  error
}

// Reset prepares the writer for another answer. It uses buf as a buffer.
func (w *Writer) Reset(buf []byte, out io.Writer) {
	*w = Writer{out: out, buf: buf[:0]}
}

// Buffer returns the buffer, for another Reset.
func (w *Writer) Buffer() []byte { return w.buf[:0] }

// Begin begins the answer to the request with this uid, which is JSON text with its quotes.
func (w *Writer) Begin(uid []byte) {
	w.uid = uid
	w.buf = append(w.buf[:0], `{"kind":"`+Kind+`","apiVersion":"`+APIVersion+`","response":{"uid":`...)
	w.buf = append(w.buf, uid...)
	w.buf = append(w.buf, `,"convertedObjects":[`...)
}

// Gathered returns how many bytes have not been sent.
func (w *Writer) Gathered() int { return len(w.buf) }

// Move moves the unsent bytes to another buffer, which must be large enough, and returns the buffer
// before.
func (w *Writer) Move(into []byte) []byte {
	before := w.buf
	w.buf = append(into[:0], before...)
	return before
}

// Next returns the buffer to append the next object to. The caller passes it to Add, or forgets it.
func (w *Writer) Next() []byte {
	if w.objects > 0 {
		return append(w.buf, ',')
	}
	return w.buf
}

// Add takes the buffer with one more object. It sends the buffer if it is large, and returns the
// error of that.
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

// HasSent reports whether a part of the answer was sent, or its sending failed.
func (w *Writer) HasSent() bool { return w.written > 0 || w.failed != nil }

// Size returns the length of the answer so far, sent or not.
func (w *Writer) Size() int64 { return w.written + int64(len(w.buf)) }

// Succeed ends an answer that has all objects.
func (w *Writer) Succeed() {
	w.buf = append(w.buf, `],"result":{"metadata":{},"status":"Success"}}}`+"\n"...)
}

// Fail ends an answer with a failure. It drops objects that have not been sent. The API server
// reads the result first, and ignores objects that were sent.
func (w *Writer) Fail(message string) {
	if !w.HasSent() {
		w.Begin(w.uid)
	}
	w.buf = append(w.buf, `],"result":{"metadata":{},"status":"Failure","message":`...)
	w.buf = append(w.buf, quoted(message)...)
	w.buf = append(w.buf, `}}}`+"\n"...)
}

// maxMessage is the largest length of a message. Users see it on their terminals.
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
		return []byte(`"the reason cannot be shown"`)
	}
	return text
}

// Close sends the remaining bytes.
func (w *Writer) Close() error { return w.flush() }
