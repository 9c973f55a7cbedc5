package runtime

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	kjson "sigs.k8s.io/json"
)

// MarshalOpen writes an object that keeps members its schema does not name: those of fixed, which has no
// MarshalJSON of its own, and behind them the additional ones, sorted. An additional member whose name fixed
// writes is left out.
func MarshalOpen[T, V any](fixed T, additional map[string]V) ([]byte, error) {
	data, err := marshal(fixed)
	if err != nil || len(additional) == 0 {
		return data, err
	}
	var written map[string]json.RawMessage
	if err := json.Unmarshal(data, &written); err != nil || written == nil {
		return nil, fmt.Errorf("%T is not written as an object", fixed)
	}
	out := bytes.TrimSuffix(data, []byte("}"))
	for _, name := range slices.Sorted(maps.Keys(additional)) {
		if _, found := written[name]; found {
			continue
		}
		if out, err = appendMember(out, name, additional[name]); err != nil {
			return nil, err
		}
	}
	return append(out, '}'), nil
}

func appendMember(out []byte, name string, value any) ([]byte, error) {
	key, err := marshal(name)
	if err != nil {
		return nil, err
	}
	data, err := marshal(value)
	if err != nil {
		return nil, fmt.Errorf("member %q: %w", name, err)
	}
	if len(out) > len("{") {
		out = append(out, ',')
	}
	out = append(out, key...)
	out = append(out, ':')
	return append(out, data...), nil
}

// UnmarshalOpen reads an object that keeps members its schema does not name: known members go to fixed, which has
// no UnmarshalJSON of its own, the others to additional, which is nil when there are none. Names must match
// exactly. A null is an absent member, except where V is JSON.
func UnmarshalOpen[T, V any](data []byte, fixed *T, additional *map[string]V, known ...string) error {
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, fixed); err != nil {
		return err
	}
	var members map[string]JSON
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &members); err != nil {
		return err
	}
	*additional = nil
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if slices.Contains(known, name) {
			continue
		}
		if err := addMember(additional, name, members[name]); err != nil {
			return fmt.Errorf("member %q: %w", name, err)
		}
	}
	return nil
}

func addMember[V any](additional *map[string]V, name string, data JSON) error {
	var value V
	if free, ok := any(&value).(*JSON); ok {
		*free = data
	} else if data == nil {
		return nil
	} else if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &value); err != nil {
		return err
	}
	if *additional == nil {
		*additional = make(map[string]V)
	}
	(*additional)[name] = value
	return nil
}
