package celguard

// Presence states whether objects have a member.
type Presence uint8

const (
	// Always is a member that every object has.
	Always Presence = iota
	// Optional is a member that the schema does not require, so that rules test it.
	Optional
	// Lacking is a member that the schema requires, and that objects of other versions may lack.
	Lacking
)

// Value is what is known of a value that a rule reads.
type Value interface {
	// Member returns a member of an object by its JSON name. It returns false if the value is not
	// an object or the schema does not declare the member.
	Member(name string) (Value, Presence, bool)
	// Element returns the elements of a list. It returns false for other values.
	Element() (Value, bool)
}
