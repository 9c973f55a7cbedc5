package genruntime

import (
	"fmt"

	kjson "sigs.k8s.io/json"

	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// MarshalAtRoot writes a root that has the members of its spec at the root of its JSON. Fixed has
// all members, including the spec, and must have no MarshalJSON method.
func MarshalAtRoot[T any](fixed T) ([]byte, error) {
	data, err := jsontext.Marshal(fixed)
	if err != nil {
		return nil, err
	}
	return jsontext.SpreadSpec(data), nil
}

// UnmarshalAtRoot reads the JSON that [MarshalAtRoot] writes. Fixed must have no UnmarshalJSON
// method. Names must match exactly.
func UnmarshalAtRoot[T any](data []byte, fixed *T) error {
	gathered, ok := jsontext.GatherSpec(data)
	if !ok {
		return fmt.Errorf("read %T: not an object", fixed)
	}
	return kjson.UnmarshalCaseSensitivePreserveInts(gathered, fixed)
}
