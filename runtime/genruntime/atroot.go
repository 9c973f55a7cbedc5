package genruntime

import (
	"fmt"

	kjson "sigs.k8s.io/json"

	"github.com/stratakube/strata/runtime/internal/jsontext"
)

// MarshalAtRoot writes a root whose spec's members stand at the root. Fixed has its members, the
// spec among them, and no MarshalJSON of its own.
func MarshalAtRoot[T any](fixed T) ([]byte, error) {
	data, err := jsontext.Marshal(fixed)
	if err != nil {
		return nil, err
	}
	return jsontext.SpreadSpec(data), nil
}

// UnmarshalAtRoot reads what [MarshalAtRoot] writes. Fixed has no UnmarshalJSON of its own. Names
// must match exactly.
func UnmarshalAtRoot[T any](data []byte, fixed *T) error {
	gathered, ok := jsontext.GatherSpec(data)
	if !ok {
		return fmt.Errorf("read %T: not an object", fixed)
	}
	return kjson.UnmarshalCaseSensitivePreserveInts(gathered, fixed)
}
