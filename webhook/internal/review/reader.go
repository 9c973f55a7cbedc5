package review

import (
	"errors"
	"fmt"
	"io"

	"github.com/stratakube/strata/webhook/internal/scan"
)

// APIVersion and Kind are those of the only reviews that are read and written.
const (
	APIVersion = "apiextensions.k8s.io/v1"
	Kind       = "ConversionReview"
)

// ErrTooMany says that a review has more objects than it may have.
var ErrTooMany = errors.New("too many objects in one review")

// Head is what a review asks for.
type Head struct {
	// UID is the uid of the request as JSON text, in its quotes. It is good until the next Reset.
	UID []byte
	// Desired is the version that objects are wanted in, as in crm.example.com/v20190909.
	Desired string
}

// Limits are what a review may take. Zero is no limit of ours.
type Limits struct {
	// Depth is how deep the JSON may be, review and objects together; at most, and if zero, scan.MaxDepth.
	Depth int
	// Objects is how many there may be.
	Objects int
	// ObjectBytes is how large each may be, and the list of them where it does not stand last.
	ObjectBytes int
}

// Reader reads a review. The zero value is ready for Reset.
type Reader struct {
	text   scan.Text
	limits Limits
	fields fields
	// objects is where objects are read from: the text, while they arrive, or late; nil for none.
	objects *scan.Text
	late    scan.Text
	first   bool
	read    int
	ended   error
	memory  scan.Memory
	piece   piece
	onLoss  func(prefix []byte) // lose, as a value that is made once
}

// Reset makes the reader that of another review, which starts with data and goes on with src. Data is also used as a
// buffer; if src is nil, it must not change while the reader is in use.
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

// Use makes the reader take its buffers from memory, until Reset.
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

// Offset is how many bytes of the review were read.
func (r *Reader) Offset() int64 { return r.text.Offset() }

// Head reads up to the first object. All that is wrong with a review before its objects is an error here; if they do not
// stand last, as the API server writes them, all that is wrong with it.
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

// More goes to the next object, which [Reader.Object] reads, or Take. After the last it returns io.EOF, if what stands
// behind is right.
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

// Object reads the object that is next, and checks all of it. One that is no object is no error.
func (r *Reader) Object() (Object, error) {
	object, err := r.object()
	if err != nil {
		r.ended = r.at(err)
		return Object{}, r.ended
	}
	r.read++
	return object, nil
}

// at says where an error of an object is. One of its size is about the object, not about the text.
func (r *Reader) at(err error) error {
	var large *TooLargeError
	if errors.As(err, &large) {
		return err
	}
	return fmt.Errorf("read the review: request.objects[%d]: %w", r.read, err)
}

// Ahead returns the text that starts with the object that is next, as far as it has arrived, but at least so many bytes
// if there are as many. Nothing of it has been checked. It is good until the next byte is read.
func (r *Reader) Ahead(bytes int) []byte { return r.objects.Ahead(bytes) }

// Room is how deep the object that is next may be nested.
func (r *Reader) Room() int { return r.objects.Room() }

// Take steps over the object that is next, which the caller has read, with all that was to be checked.
func (r *Reader) Take(bytes int) {
	r.objects.Advance(bytes)
	r.read++
}

// rest reads what stands behind the objects.
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
