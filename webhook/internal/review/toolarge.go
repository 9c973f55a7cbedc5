package review

import (
	"bytes"
	"fmt"

	"github.com/stratakube/strata/webhook/internal/scan"
)

// TooLargeError says that an object is larger than it may be, and names it as far as that could be read.
type TooLargeError struct {
	// Bytes is how large it may be.
	Bytes int
	// APIVersion and Kind are JSON; nil where they are not known.
	APIVersion, Kind []byte
	Namespace, Name  string
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the object is larger than %d bytes, the limit of the webhook for one object", e.Bytes)
}

// maxWord is how long what names an object may be: its version, its kind, its name and its namespace. More is not kept.
const maxWord = 1 << 10

func tooLarge(limit int, o Object) *TooLargeError {
	e := &TooLargeError{Bytes: limit}
	e.learn(apiVersion, o.APIVersion)
	e.learn(kind, o.Kind)
	e.learn(metadata, o.Metadata)
	return e
}

// learn takes from a member what names the object.
func (e *TooLargeError) learn(member which, value []byte) {
	switch {
	case member == metadata:
		namespace, name := Object{Metadata: value}.Name()
		if len(namespace)+len(name) <= maxWord && name != "" {
			e.Namespace, e.Name = namespace, name
		}
	case len(value) > maxWord:
	case member == apiVersion:
		e.APIVersion = bytes.Clone(value)
	case member == kind:
		e.Kind = bytes.Clone(value)
	}
}

// beginning returns the members of an object that is cut off somewhere. The last of them may be cut off too.
func beginning(prefix []byte) (o Object) {
	var t scan.Text
	t.Reset(prefix, nil, 0)
	if t.Enter('{') != nil {
		return o
	}
	for first := true; ; first = false {
		if more, err := t.Next(first); err != nil || !more {
			return o
		}
		member, value, err := readMember(&t)
		switch {
		case member == metadata:
			o.Metadata = value
		case err != nil: // a word that is cut off is another word
		case member == apiVersion:
			o.APIVersion = value
		case member == kind:
			o.Kind = value
		}
		if err != nil {
			return o
		}
	}
}
