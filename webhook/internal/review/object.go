package review

import (
	"bytes"

	"github.com/stratakube/strata/webhook/internal/scan"
)

// Object is one object of a review. Its slices are valid until the next object is read. If a name
// appears twice, the last one counts.
type Object struct {
	// Raw is the object as it arrived.
	Raw []byte
	// APIVersion, Kind and Metadata are the values of these members as JSON, or nil if they are
	// missing. All three are nil if the value is not an object.
	APIVersion, Kind, Metadata []byte
}

// IsObject reports whether the value is a JSON object.
func (o Object) IsObject() bool { return o.Raw[0] == '{' }

// Name returns the namespace and the name, if there are any.
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

// Begins returns the apiVersion and the kind at the beginning of an object as JSON, if it is
// spelled as the API server writes it.
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

// piece is the object that is being read.
type piece struct {
	text *scan.Text
	// spans are the positions of known members.
	spans [metadata + 1]span
	// large is set once the object is found to be too large to be stored.
	large *TooLargeError
}

// span is a range of an object's bytes.
type span struct{ from, to int }

func (s span) of(object []byte) []byte {
	if s.to == 0 {
		return nil
	}
	return object[s.from:s.to]
}

// object reads the next object. It also reads an object that is too large to its end, to find its
// name, but does not store it.
func (r *Reader) object() (Object, error) {
	p := &r.piece
	*p = piece{text: r.objects}
	isObject := p.text.Peek() == '{'
	p.text.Hold()
	defer p.text.Release()
	if err := p.value(isObject); err != nil {
		return Object{}, err
	}
	if p.large != nil {
		return Object{}, p.large
	}
	raw := p.text.Since(0)
	o := Object{Raw: raw, APIVersion: p.spans[apiVersion].of(raw), Kind: p.spans[kind].of(raw), Metadata: p.spans[metadata].of(raw)}
	if r.limits.ObjectBytes > 0 && len(raw) > r.limits.ObjectBytes {
		return Object{}, tooLarge(r.limits.ObjectBytes, o)
	}
	return o, nil
}

// lose records the name of an object that is too large, from the bytes that were read so far.
func (r *Reader) lose(prefix []byte) {
	if r.piece.text != nil && r.piece.large == nil {
		r.piece.large = tooLarge(r.limits.ObjectBytes, beginning(prefix))
	}
}

func (p *piece) value(isObject bool) error {
	if !isObject {
		return p.text.Skip()
	}
	if err := p.text.Enter('{'); err != nil {
		return err
	}
	for first := true; ; first = false {
		more, err := p.text.Next(first)
		if err != nil || !more {
			return err
		}
		if p.large == nil {
			err = p.member()
		} else {
			err = p.memberOfLarge()
		}
		if err != nil {
			return err
		}
	}
}

// member reads a member of an object that is stored whole.
func (p *piece) member() error {
	t := p.text
	t.Peek()
	from := t.Length()
	if err := t.Name(); err != nil {
		return err
	}
	which := other
	if !t.Lost() {
		which = memberOf(t.Since(from))
	}
	t.Peek()
	from = t.Length()
	if err := t.Skip(); err != nil {
		return err
	}
	p.spans[which] = span{from, t.Length()}
	return nil
}

// memberOfLarge reads a member of an object that is not stored.
func (p *piece) memberOfLarge() error {
	which, value, err := readMember(p.text)
	if err == nil && !p.text.Lost() {
		p.large.learn(which, value)
	}
	return err
}

// readMember reads a member and returns its value, as far as it could be read.
func readMember(t *scan.Text) (which, []byte, error) {
	t.Peek()
	t.Hold()
	if err := t.Name(); err != nil {
		return other, nil, err
	}
	member := other
	if !t.Lost() {
		member = memberOf(t.Since(0))
	}
	t.Peek()
	t.Hold()
	err := t.Skip()
	if t.Lost() {
		return other, nil, err
	}
	return member, t.Since(0), err
}

// which identifies a member of an object: a known one, or any other.
type which int

const (
	other which = iota
	apiVersion
	kind
	metadata
)

// memberOf returns the member with a name. The text between the name and its value may follow.
func memberOf(name []byte) which {
	name = name[:bytes.LastIndexByte(name, '"')+1]
	switch {
	case scan.Is(name, "apiVersion"):
		return apiVersion
	case scan.Is(name, "kind"):
		return kind
	case scan.Is(name, "metadata"):
		return metadata
	default:
		return other
	}
}
