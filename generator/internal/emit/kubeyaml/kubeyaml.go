package kubeyaml

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Marshal prints a value as a YAML document. Callers must remove members that the API server
// sets, such as status.
func Marshal(v any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, fmt.Errorf("encode manifest: %w", err)
	}
	return FromJSON(context.Background(), text.Bytes())
}

// FromJSON prints a JSON value as a YAML document. It returns an error soon after the context
// ends.
func FromJSON(ctx context.Context, text []byte) ([]byte, error) {
	value := jsontext.Value(text)
	if err := value.Format(jsontext.ReorderRawObjects(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil, fmt.Errorf("sort manifest: %w", err)
	}
	p := printer{ctx: ctx, in: jsontext.NewDecoder(bytes.NewReader(value)), out: make([]byte, 0, 2*len(value))}
	if err := p.value(0, atStart); err != nil {
		return nil, fmt.Errorf("print manifest: %w", err)
	}
	return p.out, nil
}

// printer converts JSON tokens to lines of YAML.
type printer struct {
	ctx    context.Context
	in     *jsontext.Decoder
	out    []byte
	values int
}

// seldom is the number of values that are printed between two checks of the context.
const seldom = 1 << 10

// position is the position at which a value begins.
type position uint8

const (
	atStart position = iota // of the document
	afterKey
	afterDash // of a list, on the same line
)

func (p *printer) value(depth int, at position) error {
	if p.values++; p.values%seldom == 0 && p.ctx.Err() != nil {
		return p.ctx.Err()
	}
	token, err := p.in.ReadToken()
	if err != nil {
		return err
	}
	switch token.Kind() {
	case '{':
		return p.object(depth, at)
	case '[':
		return p.array(depth, at)
	case '"':
		p.space(at)
		p.out = appendText(p.out, token.String(), depth)
	default:
		p.space(at)
		p.out = append(p.out, token.String()...)
	}
	p.out = append(p.out, '\n')
	return nil
}

func (p *printer) space(at position) {
	if at == afterKey {
		p.out = append(p.out, ' ')
	}
}

// object prints each member on its own lines. In a list, the first member follows the dash.
func (p *printer) object(depth int, at position) error {
	if p.in.PeekKind() == '}' {
		return p.empty(at, "{}\n")
	}
	if at == afterKey {
		p.out = append(p.out, '\n')
	}
	for first := true; p.in.PeekKind() != '}'; first = false {
		key, err := p.in.ReadToken()
		if err != nil {
			return err
		}
		if !first || at == afterKey {
			p.out = appendIndent(p.out, depth)
		}
		p.out = append(appendKey(p.out, key.String()), ':')
		if err := p.value(depth+1, afterKey); err != nil {
			return err
		}
	}
	_, err := p.in.ReadToken()
	return err
}

// array prints the elements with the indentation of their key.
func (p *printer) array(depth int, at position) error {
	if p.in.PeekKind() == ']' {
		return p.empty(at, "[]\n")
	}
	inner := depth
	if at == afterKey {
		inner--
		p.out = append(p.out, '\n')
	}
	for first := true; p.in.PeekKind() != ']'; first = false {
		if !first || at == afterKey {
			p.out = appendIndent(p.out, inner)
		}
		p.out = append(p.out, "- "...)
		if err := p.value(inner+1, afterDash); err != nil {
			return err
		}
	}
	_, err := p.in.ReadToken()
	return err
}

func (p *printer) empty(at position, text string) error {
	p.space(at)
	p.out = append(p.out, text...)
	_, err := p.in.ReadToken()
	return err
}

func appendIndent(out []byte, depth int) []byte {
	for range depth {
		out = append(out, "  "...)
	}
	return out
}
