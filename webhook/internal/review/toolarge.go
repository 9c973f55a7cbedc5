package review

import (
	"bytes"
	"fmt"

	"github.com/stratakube/strata/webhook/internal/scan"
)

// TooLargeError reports an object that is larger than allowed. It names the object as far as the
// name could be read.
type TooLargeError struct {
	// Bytes is the largest allowed size.
	Bytes int
	// APIVersion and Kind are JSON; nil if they are not known.
	APIVersion, Kind []byte
	Namespace, Name  string
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the object is larger than %d bytes, the limit of the webhook for one object", e.Bytes)
}

// maxWord is the largest length of an object's apiVersion or kind, and of its name and namespace
// together. Longer ones are not stored.
const maxWord = 1 << 10

func tooLarge(limit int, o Object) *TooLargeError {
	e := &TooLargeError{Bytes: limit}
	e.learn(apiVersion, o.APIVersion)
	e.learn(kind, o.Kind)
	e.learn(metadata, o.Metadata)
	return e
}

// learn takes the name of the object from a member.
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

// beginning returns the members of an object whose text ends anywhere. The last member may be
// incomplete.
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
		case err != nil: // an incomplete string is another string
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
