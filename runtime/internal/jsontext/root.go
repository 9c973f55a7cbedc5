package jsontext

import (
	"bytes"

	"github.com/stratakube/strata/runtime"
)

// Beside are the members of a root that are not the spec's.
var Beside = map[string]bool{"apiVersion": true, "kind": true, "metadata": true, "status": true}

// GatherSpec puts the members of a spec at the root into a member of that name. It is false for
// what is no object.
func GatherSpec(data []byte) (gathered []byte, ok bool) {
	root, spec := []byte{'{'}, []byte{'{'}
	ok = EachMember(bytes.TrimSpace(data), func(name []byte, value runtime.JSON) {
		if Beside[string(name)] {
			root = addText(root, string(name), value)
		} else {
			spec = addText(spec, string(name), value)
		}
	})
	return append(addText(root, "spec", append(spec, '}')), '}'), ok
}

// SpreadSpec reverses GatherSpec.
func SpreadSpec(data []byte) []byte {
	out := []byte{'{'}
	EachMember(data, func(name []byte, value runtime.JSON) {
		if string(name) != "spec" {
			out = addText(out, string(name), value)
			return
		}
		EachMember(value, func(name []byte, value runtime.JSON) { out = addText(out, string(name), value) })
	})
	return append(out, '}')
}

// addText adds a member to an object whose end is not written yet.
func addText(out []byte, name string, value []byte) []byte {
	if len(out) > 1 {
		out = append(out, ',')
	}
	return append(append(AppendText(out, name), ':'), value...)
}
