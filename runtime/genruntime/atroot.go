package genruntime

import (
	"bytes"
	"fmt"
	"reflect"

	kjson "sigs.k8s.io/json"

	"github.com/stratakube/strata/runtime"
)

// Rooted is an API root in whose JSON the members of the spec stand at the root, beside metadata and status, with no
// spec around them. In Go the spec is a member like that of other roots. It is never absent in what was read: what has
// no member there has an empty spec.
type Rooted interface {
	// SpecAtRoot marks the type.
	SpecAtRoot()
}

var rooted = reflect.TypeFor[Rooted]()

// beside are the members of a root that are not the spec's.
var beside = map[string]bool{"apiVersion": true, "kind": true, "metadata": true, "status": true}

// MarshalAtRoot writes a root whose spec's members stand at the root. Fixed has its members, the spec among them, and no
// MarshalJSON of its own.
func MarshalAtRoot[T any](fixed T) ([]byte, error) {
	data, err := marshal(fixed)
	if err != nil {
		return nil, err
	}
	return spreadSpec(data), nil
}

// UnmarshalAtRoot reads what [MarshalAtRoot] writes. Fixed has no UnmarshalJSON of its own. Names must match exactly.
func UnmarshalAtRoot[T any](data []byte, fixed *T) error {
	gathered, ok := gatherSpec(data)
	if !ok {
		return fmt.Errorf("read %T: not an object", fixed)
	}
	return kjson.UnmarshalCaseSensitivePreserveInts(gathered, fixed)
}

// gatherSpec puts the members of a spec at the root into a member of that name. It is false for what is no object.
func gatherSpec(data []byte) (gathered []byte, ok bool) {
	root, spec := []byte{'{'}, []byte{'{'}
	ok = eachMember(bytes.TrimSpace(data), func(name []byte, value runtime.JSON) {
		if beside[string(name)] {
			root = addText(root, string(name), value)
		} else {
			spec = addText(spec, string(name), value)
		}
	})
	return append(addText(root, "spec", append(spec, '}')), '}'), ok
}

// spreadSpec is the way back of gatherSpec.
func spreadSpec(data []byte) []byte {
	out := []byte{'{'}
	eachMember(data, func(name []byte, value runtime.JSON) {
		if string(name) != "spec" {
			out = addText(out, string(name), value)
			return
		}
		eachMember(value, func(name []byte, value runtime.JSON) { out = addText(out, string(name), value) })
	})
	return append(out, '}')
}

// addText adds a member to an object whose end is not written yet.
func addText(out []byte, name string, value []byte) []byte {
	if len(out) > 1 {
		out = append(out, ',')
	}
	return append(append(appendText(out, name), ':'), value...)
}
