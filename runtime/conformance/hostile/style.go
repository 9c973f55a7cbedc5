package hostile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// style is how JSON is spelled.
type style struct {
	*drawer
	spaces, escapes, nameEscapes, shuffles bool
}

func (s style) space(out []byte) []byte {
	if s.spaces && s.one(6) {
		return append(out, pick(s.drawer, " ", "\n", "\t", "\r\n ")...)
	}
	return out
}

func (s style) string(out []byte, text string, escapes bool) []byte {
	quoted, _ := json.Marshal(text)
	if s.one(2) {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		_ = e.Encode(text)
		quoted = bytes.TrimSpace(b.Bytes())
	}
	if !escapes || !s.one(4) {
		return append(out, quoted...)
	}
	out = append(out, '"')
	for _, r := range text {
		switch {
		case r < 0x10000 && s.one(3):
			out = fmt.Appendf(out, `\u%04x`, r)
		case r == '/':
			out = append(out, `\/`...)
		default:
			q, _ := json.Marshal(string(r))
			out = append(out, q[1:len(q)-1]...)
		}
	}
	return append(out, '"')
}

func (s style) print(out []byte, n *node) []byte {
	out = s.space(out)
	switch n.kind {
	case '{', '[':
		order := s.Perm(len(n.values))
		if !s.shuffles || n.kind == '[' {
			slices.Sort(order)
		}
		out = append(out, n.kind)
		for i, j := range order {
			if i > 0 {
				out = append(s.space(out), ',')
			}
			if n.kind == '{' {
				out = s.string(s.space(out), n.names[j], s.nameEscapes)
				out = append(s.space(out), ':')
			}
			out = s.print(out, n.values[j])
		}
		out = append(s.space(out), n.kind+2)
	case '"':
		out = s.string(out, n.text, s.escapes)
	default:
		out = append(out, n.text...)
	}
	return s.space(out)
}

// style draws a style.
func (d *drawer) style() style {
	return style{drawer: d, spaces: d.one(3), escapes: d.one(3), nameEscapes: d.one(12), shuffles: d.one(3)}
}
