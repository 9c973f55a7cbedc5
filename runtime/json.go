package runtime

import "slices"

// JSON is a JSON value that is stored verbatim, byte by byte. Nil is an absent value. A JSON null
// is read as nil.
type JSON []byte

// MarshalJSON returns the value itself, and null for an absent value.
func (j JSON) MarshalJSON() ([]byte, error) {
	if len(j) == 0 {
		return []byte("null"), nil
	}
	return j, nil
}

// UnmarshalJSON stores a copy of data, or nil if data is null.
func (j *JSON) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*j = nil
		return nil
	}
	*j = slices.Clone(data)
	return nil
}

// String returns the value as text.
func (j JSON) String() string { return string(j) }

// DeepCopy returns a copy that shares no memory.
func (j JSON) DeepCopy() JSON { return slices.Clone(j) }

// DeepCopyInto sets out to a copy that shares no memory.
func (j JSON) DeepCopyInto(out *JSON) { *out = j.DeepCopy() }
