package review

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/stratakube/strata/webhook/internal/scan"
)

// fields are the members of a review that the webhook reads, except for its objects.
type fields struct {
	uid                                     []byte
	version, kind, desired                  string
	hasRequest, hasObjects                  bool
	hasUID, hasVersion, hasKind, hasDesired bool
}

// check returns an error if a member is missing, or if the review is of another kind or version.
func (f *fields) check() error {
	switch {
	case f.kind != Kind:
		return fmt.Errorf("the kind is %.100q, want %s", f.kind, Kind)
	case f.version != APIVersion:
		return fmt.Errorf("the apiVersion is %.100q, and the webhook supports only %s: list v1 in spec.conversion.webhook.conversionReviewVersions", f.version, APIVersion)
	case !f.hasRequest:
		return errors.New("request: is missing")
	case len(f.uid) <= len(`""`):
		return errors.New("request.uid: is missing")
	case f.desired == "":
		return errors.New("request.desiredAPIVersion: is missing")
	}
	return nil
}

// errObjects ends the reading of members, because the objects are next.
var errObjects = errors.New("the objects are next")

// members reads members of an object with read, which receives their names, or "" for unknown
// names. first reports that no member was read before.
func (r *Reader) members(first bool, read func(name string) error) error {
	for ; ; first = false {
		more, err := r.text.Next(first)
		if err != nil || !more {
			return err
		}
		name, err := r.name()
		if err != nil {
			return err
		}
		if err := read(name); err != nil {
			return err
		}
	}
}

var names = []string{"kind", "apiVersion", "request", "uid", "desiredAPIVersion", "objects"}

func (r *Reader) name() (string, error) {
	r.text.Peek()
	r.text.Hold()
	defer r.text.Release()
	if err := r.text.Name(); err != nil || r.text.Lost() {
		return "", err
	}
	raw := r.text.Since(0)
	raw = raw[:bytes.LastIndexByte(raw, '"')+1]
	for _, name := range names {
		if scan.Is(raw, name) {
			return name, nil
		}
	}
	return "", nil
}

func (r *Reader) ofReview(name string) error {
	switch name {
	case "kind":
		return r.readText(name, &r.fields.hasKind, &r.fields.kind)
	case "apiVersion":
		return r.readText(name, &r.fields.hasVersion, &r.fields.version)
	case "request":
		return r.request()
	default:
		return r.text.Skip()
	}
}

func (r *Reader) request() error {
	if err := once(&r.fields.hasRequest, "request"); err != nil {
		return err
	}
	if err := r.text.Enter('{'); err != nil {
		return fmt.Errorf("request: %w", err)
	}
	return r.members(true, r.ofRequest)
}

func (r *Reader) ofRequest(name string) error {
	switch name {
	case "uid":
		return r.uid()
	case "desiredAPIVersion":
		return r.readText("request."+name, &r.fields.hasDesired, &r.fields.desired)
	case "objects":
		return r.list()
	default:
		return r.text.Skip()
	}
}

func once(has *bool, name string) error {
	if *has {
		return fmt.Errorf("%s: appears twice", name)
	}
	*has = true
	return nil
}

func (r *Reader) readText(name string, has *bool, into *string) error {
	raw, err := r.raw(name, has)
	*into = scan.Unquote(raw)
	return err
}

func (r *Reader) uid() error {
	raw, err := r.raw("request.uid", &r.fields.hasUID)
	r.fields.uid = append(r.fields.uid[:0], raw...)
	return err
}

// raw reads a string that may appear only once.
func (r *Reader) raw(name string, has *bool) ([]byte, error) {
	if err := once(has, name); err != nil {
		return nil, err
	}
	if c := r.text.Peek(); c != '"' && c != 0 {
		return nil, fmt.Errorf("%s: is not a string", name)
	}
	value, err := r.value(name)
	if len(value) > maxWord {
		return nil, fmt.Errorf("%s: is longer than %d bytes", name, maxWord)
	}
	return value, err
}

func (r *Reader) value(name string) ([]byte, error) {
	r.text.Peek()
	r.text.Hold()
	defer r.text.Release()
	if err := r.text.Skip(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if r.text.Lost() {
		return nil, fmt.Errorf("%s: is longer than %d bytes", name, r.limits.ObjectBytes)
	}
	return r.text.Since(0), nil
}

// list begins the list of objects. If all other members are known, objects are read while they
// arrive. Otherwise the list is stored for later.
func (r *Reader) list() error {
	if err := once(&r.fields.hasObjects, "request.objects"); err != nil {
		return err
	}
	switch r.text.Peek() {
	case '[', 0:
	case 'n':
		return r.text.Skip()
	default:
		return errors.New("request.objects: is not a list")
	}
	if r.fields.check() == nil {
		r.objects = &r.text
		if err := r.text.Enter('['); err != nil {
			return err
		}
		return errObjects
	}
	raw, err := r.value("request.objects")
	if err != nil {
		return err
	}
	kept, err := r.keep(raw)
	if err != nil {
		return err
	}
	// The list is at depth two of the review, so that no separate limit is needed here.
	r.late.Reset(kept, nil, 0)
	r.objects = &r.late
	return r.late.Enter('[')
}

// keep copies a list for later use.
func (r *Reader) keep(list []byte) ([]byte, error) {
	if r.memory == nil {
		return bytes.Clone(list), nil
	}
	buf, err := r.memory.Get(len(list))
	if err != nil {
		return nil, fmt.Errorf("request.objects: %w", err)
	}
	return append(buf, list...), nil
}
