package runtime

import "slices"

// JSON is a JSON value that is carried verbatim: its bytes are kept as they were read. Nil is an
// absent value, and so is what a JSON null is read into.
type JSON []byte

// MarshalJSON returns the value itself, and null for an absent one.
func (j JSON) MarshalJSON() ([]byte, error) {
	if len(j) == 0 {
		return []byte("null"), nil
	}
	return j, nil
}

// UnmarshalJSON keeps a copy of data.
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

// DeepCopyInto makes out a copy that shares no memory.
func (j JSON) DeepCopyInto(out *JSON) { *out = j.DeepCopy() }
