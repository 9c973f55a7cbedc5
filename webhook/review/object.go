package review

import (
	"bytes"

	"github.com/stratakube/strata/webhook/scan"
)

// Object is one object of a review. What its slices hold is good until the next object is read. Where a name stands
// twice, the last counts.
type Object struct {
	// Raw is the object as it arrived.
	Raw []byte
	// APIVersion, Kind and Metadata are the values of these members, as JSON; nil where there are none. All three are
	// nil where the value is not an object at all.
	APIVersion, Kind, Metadata []byte
}

// IsObject tells whether the value is a JSON object.
func (o Object) IsObject() bool { return o.Raw[0] == '{' }

// Name returns the namespace and the name, as far as there are any.
func (o Object) Name() (namespace, name string) {
	if len(o.Metadata) == 0 || o.Metadata[0] != '{' {
		return "", ""
	}
	for member, value := range scan.Members(o.Metadata) {
		switch {
		case scan.Is(member, "name"):
			name = scan.Unquote(value)
		case scan.Is(member, "namespace"):
			namespace = scan.Unquote(value)
		}
	}
	return namespace, name
}

// Begins returns the apiVersion and the kind that an object begins with, as JSON, if it is spelled as the API server does.
func Begins(text []byte) (apiVersion, kind []byte) {
	rest, ok := bytes.CutPrefix(text, []byte(`{"apiVersion":"`))
	end := bytes.IndexByte(rest, '"')
	if !ok || end < 0 {
		return nil, nil
	}
	apiVersion = text[len(text)-len(rest)-1:][:end+len(`""`)]
	rest, ok = bytes.CutPrefix(rest[end:], []byte(`","kind":"`))
	if end = bytes.IndexByte(rest, '"'); !ok || end < 0 {
		return nil, nil
	}
	return apiVersion, text[len(text)-len(rest)-1:][:end+len(`""`)]
}

// span is a piece of an object.
type span struct{ from, to int }

func (s span) of(object []byte) []byte {
	if s.to == 0 {
		return nil
	}
	return object[s.from:s.to]
}

func readObject(t *scan.Text) (Object, error) {
	isObject := t.Peek() == '{'
	t.Hold()
	defer t.Release()
	if !isObject {
		err := t.Skip()
		return Object{Raw: t.Since(0)}, err
	}
	version, kind, metadata, err := readMembers(t)
	if err != nil {
		return Object{}, err
	}
	raw := t.Since(0)
	return Object{Raw: raw, APIVersion: version.of(raw), Kind: kind.of(raw), Metadata: metadata.of(raw)}, nil
}

// readMembers reads an object, and returns where members of it are, counted from its start.
func readMembers(t *scan.Text) (version, kind, metadata span, err error) {
	if err = t.Enter('{'); err != nil {
		return
	}
	for first := true; ; first = false {
		var more bool
		if more, err = t.Next(first); err != nil || !more {
			return
		}
		t.Peek()
		from := t.Length()
		if err = t.Name(); err != nil {
			return
		}
		into := member(t.Since(from), &version, &kind, &metadata)
		t.Peek()
		from = t.Length()
		if err = t.Skip(); err != nil {
			return
		}
		if into != nil {
			*into = span{from, t.Length()}
		}
	}
}

// member returns which of the spans a name, with what stands between it and its value, is about.
func member(name []byte, version, kind, metadata *span) *span {
	name = name[:bytes.LastIndexByte(name, '"')+1]
	switch {
	case scan.Is(name, "apiVersion"):
		return version
	case scan.Is(name, "kind"):
		return kind
	case scan.Is(name, "metadata"):
		return metadata
	default:
		return nil
	}
}
