package conformance

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// altered returns JSON of the same kind that differs in one value. Of an object, it alters,
// removes or adds one member.
func (d *drawer) altered(value any) any {
	switch v := value.(type) {
	case map[string]any:
		return d.alteredObject(v)
	case []any:
		if len(v) > 0 {
			i := d.below(len(v))
			v[i] = d.altered(v[i])
		}
		return v
	case string:
		return d.unique("s-")
	case json.Number:
		return json.Number(strconv.Itoa(d.below(1000)))
	case bool:
		return !v
	default:
		return value
	}
}

func (d *drawer) alteredObject(object map[string]any) any {
	names := slices.Sorted(maps.Keys(object))
	switch op := d.below(4); {
	case len(names) == 0 || op == 0:
		object[d.unique("m-")] = d.below(9)
	case op == 1:
		delete(object, names[d.below(len(names))])
	default:
		name := names[d.below(len(names))]
		object[name] = d.altered(object[name])
	}
	return object
}
