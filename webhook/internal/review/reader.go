package review

import (
	"errors"
	"fmt"
	"io"

	"github.com/stratakube/strata/webhook/internal/scan"
)

// APIVersion and Kind identify the only reviews that this package reads and writes.
const (
	APIVersion = "apiextensions.k8s.io/v1"
	Kind       = "ConversionReview"
)

// ErrTooMany reports that a review has more objects than allowed.
var ErrTooMany = errors.New("too many objects in one review")

// Head is the request of a review without its objects.
type Head struct {
	// UID is the uid of the request as JSON text, with its quotes. It is valid until the next
	// Reset.
	UID []byte
	// Desired is the requested version of objects, such as crm.example.com/v20190909.
	Desired string
}

// Limits bound a review. Zero means no limit.
type Limits struct {
	// Depth is the largest depth of the JSON, review and objects together. Its maximum and its
	// default are scan.MaxDepth.
	Depth int
	// Objects is the largest number of objects.
	Objects int
	// ObjectBytes is the largest size of an object, and of the whole list if other members follow
	// it.
	ObjectBytes int
}

// Reader reads a review. The zero value is ready for Reset.
type Reader struct {
	text   scan.Text
	limits Limits
	fields fields
	// objects is the text that objects are read from: text while they arrive, or late; nil for
	// none.
	objects *scan.Text
	late    scan.Text
	first   bool
	read    int
	ended   error
	memory  scan.Memory
	piece   piece
	onLoss  func(prefix []byte) // lose, as a function value that is allocated once
}

// Reset prepares the reader for another review, which starts with data and continues with src. The
// reader also uses data as a buffer. If src is nil, data must not change while the reader is in
// use.
func (r *Reader) Reset(data []byte, src io.Reader, limits Limits) {
	r.text.Reset(data, src, limits.Depth)
	r.limits = limits
	r.fields = fields{uid: r.fields.uid[:0]}
	r.objects, r.first, r.read, r.ended = nil, true, 0, nil
	if r.memory != nil {
		r.memory.Put(r.late.Buffer())
	}
	r.late.Reset(nil, nil, 0)
	r.memory, r.piece = nil, piece{}
	r.bound()
}

// Use makes the reader take its buffers from memory, until the next Reset.
func (r *Reader) Use(memory scan.Memory) {
	r.memory = memory
	r.bound()
}

func (r *Reader) bound() {
	if r.onLoss == nil {
		r.onLoss = r.lose
	}
	r.text.Bound(r.memory, r.limits.ObjectBytes, r.onLoss)
}

// Buffer returns the buffer, for another Reset.
func (r *Reader) Buffer() []byte { return r.text.Buffer() }

// Offset returns how many bytes of the review were read.
func (r *Reader) Offset() int64 { return r.text.Offset() }

// Head reads up to the first object, and returns all errors before the objects. If the objects are
// not last, unlike in reviews of the API server, it returns all errors of the review.
func (r *Reader) Head() (Head, error) {
	err := r.text.Enter('{')
	if err == nil {
		err = r.members(true, r.ofReview)
	}
	if err == nil {
		err = errors.Join(r.fields.check(), r.text.End())
	}
	if err != nil && !errors.Is(err, errObjects) {
		return Head{}, fmt.Errorf("read the review: %w", err)
	}
	return Head{UID: r.fields.uid, Desired: r.fields.desired}, nil
}

// More moves to the next object, which [Reader.Object] or Take reads. After the last object, it
// checks the rest of the review and returns io.EOF.
func (r *Reader) More() error {
	if r.ended == nil {
		r.ended = r.more()
	}
	return r.ended
}

func (r *Reader) more() error {
	if r.objects == nil {
		return io.EOF
	}
	more, err := r.objects.Next(r.first)
	switch r.first = false; {
	case err != nil:
		return fmt.Errorf("read the review: request.objects[%d]: %w", r.read, err)
	case !more:
		return r.rest()
	case r.limits.Objects > 0 && r.read == r.limits.Objects:
		return fmt.Errorf("read the review: %w: more than %d", ErrTooMany, r.read)
	}
	return nil
}

// Object reads and checks the next object. A value that is not an object is no error.
func (r *Reader) Object() (Object, error) {
	object, err := r.object()
	if err != nil {
		r.ended = r.at(err)
		return Object{}, r.ended
	}
	r.read++
	return object, nil
}

// at adds the position to an error of reading an object. An error of size is about the object, and
// not about the text.
func (r *Reader) at(err error) error {
	var large *TooLargeError
	if errors.As(err, &large) {
		return err
	}
	return fmt.Errorf("read the review: request.objects[%d]: %w", r.read, err)
}

// Ahead returns the text that starts with the next object, as far as it has arrived. It has at
// least the given number of bytes if the review does. Nothing of it has been checked. It is valid
// until the next byte is read.
func (r *Reader) Ahead(bytes int) []byte { return r.objects.Ahead(bytes) }

// Room returns how deep the next object may be nested.
func (r *Reader) Room() int { return r.objects.Room() }

// Take skips the next object, which the caller has read and fully checked.
func (r *Reader) Take(bytes int) {
	r.objects.Advance(bytes)
	r.read++
}

// rest reads the rest of the review behind the objects.
func (r *Reader) rest() error {
	if r.objects == &r.late {
		return io.EOF
	}
	err := r.members(false, r.ofRequest)
	if err == nil {
		err = r.members(false, r.ofReview)
	}
	if err == nil {
		err = r.text.End()
	}
	if err != nil {
		return fmt.Errorf("read the review: %w", err)
	}
	return io.EOF
}
