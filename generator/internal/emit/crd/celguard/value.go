package celguard

// Presence is whether an object has a member.
type Presence uint8

const (
	// Always is a member that every object has.
	Always Presence = iota
	// Optional is a member that the schema does not require: rules test it.
	Optional
	// Lacking is a member that the schema requires, and that objects of other versions may lack.
	Lacking
)

// Value is a value that a rule reads, as far as it is known.
type Value interface {
	// Member returns a member of an object by its name in JSON. It returns false for values that are
	// no objects, and for members that the schema does not name.
	Member(name string) (Value, Presence, bool)
	// Element returns what the elements of a list are. It returns false for other values.
	Element() (Value, bool)
}
