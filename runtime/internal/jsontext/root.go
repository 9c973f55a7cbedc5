package jsontext

import (
	"bytes"

	"github.com/stratakube/strata/runtime"
)

// Beside has the members of a root that do not belong to the spec.
var Beside = map[string]bool{"apiVersion": true, "kind": true, "metadata": true, "status": true}

// GatherSpec moves members of a spec that are at the root into the member spec. It returns false
// if data is no object.
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

// SpreadSpec is [GatherSpec] in the other direction.
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

// addText adds a member to an object without its closing bracket.
func addText(out []byte, name string, value []byte) []byte {
	if len(out) > 1 {
		out = append(out, ',')
	}
	return append(append(AppendText(out, name), ':'), value...)
}
