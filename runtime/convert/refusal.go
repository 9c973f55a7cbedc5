package convert

// Refusal is the reason why a [Converter] does not convert an object.
type Refusal uint8

const (
	// Converted means that the object was converted, and not refused.
	Converted Refusal = iota
	// NoPlan means that one of the versions, or an object in it, has no plan, because the
	// conversion includes a hand-written step.
	NoPlan
	// Incomplete means that the text ends before its object does. The whole object may be
	// convertible.
	Incomplete
	// NotJSON means that the text does not begin with a JSON object in UTF-8.
	NotJSON
	// TooDeep means that values are nested deeper than the caller allows.
	TooDeep
	// Canceled means that the context was done.
	Canceled
	// WrongType means that a value has another type than its schema names. A null is such a value.
	WrongType
	// UnknownMember means that an object has a member that its type lacks.
	UnknownMember
	// RepeatedMember means that an object has two members of one name.
	RepeatedMember
	// MissingMember means that an object lacks a member that its type always writes.
	MissingMember
	// RareSpelling means that a Go type would write a name or a value in another form. Examples
	// are a name with escapes, an empty value that omitempty omits, and a time in another zone.
	RareSpelling
	// ReservedName means that a name has a meaning in stored objects, such as $propertyBag.
	ReservedName
	// OpenObject means that the additional members of an object change between the versions.
	OpenObject
	// UnclearBag means that a property bag is damaged or large, or that two members share a key
	// in it.
	UnclearBag
	// SeveralSteps means that a value of a property bag converts through several steps.
	SeveralSteps
	// DamagedStatusBag means that status.propertyBag, or its annotation, cannot be read.
	DamagedStatusBag
	// RawValues means that the object preserves values of the wrong type.
	RawValues
	// OriginalVersion means that a write changes the original version of an object that hides
	// values, or that the original version is undecided.
	OriginalVersion
	// Unplaced means that hidden values have keys in another order than conversions write them,
	// or that additional members may have their keys.
	Unplaced
	// TooLarge means that an object which hides values is long or deeply nested.
	TooLarge
	refusals
)

var refusalNames = [refusals]string{
	Converted: "converted", NoPlan: "no_plan", Incomplete: "incomplete", NotJSON: "not_json", TooDeep: "too_deep", Canceled: "canceled",
	WrongType: "wrong_type", UnknownMember: "unknown_member", RepeatedMember: "repeated_member", MissingMember: "missing_member",
	RareSpelling: "rare_spelling", ReservedName: "reserved_name", OpenObject: "open_object", UnclearBag: "unclear_bag",
	SeveralSteps: "several_steps", DamagedStatusBag: "damaged_status_bag", RawValues: "raw_values",
	OriginalVersion: "original_version", Unplaced: "unplaced", TooLarge: "too_large",
}

// String returns the reason as the label of a metric, such as wrong_type.
func (r Refusal) String() string { return refusalNames[r] }

// Refusals returns all reasons.
func Refusals() []Refusal {
	var all []Refusal
	for r := Converted + 1; r < refusals; r++ {
		all = append(all, r)
	}
	return all
}
