// Package integers gives the whole numbers of JSON that was decoded the type that Kubernetes' clients give them. Tests that compare
// and send what they have read themselves are its callers.
package integers

// Restore changes a value and returns it: each number in it that is whole becomes an int64.
func Restore(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			v[name] = Restore(member)
		}
	case []any:
		for i, element := range v {
			v[i] = Restore(element)
		}
	case float64:
		if v == float64(int64(v)) {
			return int64(v)
		}
	}
	return value
}
