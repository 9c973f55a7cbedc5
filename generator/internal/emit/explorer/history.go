package explorer

// History is the history of the kinds of one group.
type History struct {
	Group, Folder string
	Kinds         []*Kind
}

// Kind is a kind in all versions. Objects refer to each other by their indices. The first one is
// the spec.
type Kind struct {
	Name, Plural, Resource string
	Versions               []Version
	Objects                []*Object
	Status                 int // the object of a status of its own; zero if there is none
	Live                   *Live
}

// Live is what a cluster has of a kind: the number of its objects, and of those that were written
// in each version.
type Live struct {
	Objects   int   `json:"objects"`
	Originals []int `json:"originals"`
}

// Version is a version of a kind, in version order.
type Version struct {
	Name   string // the vendor's
	Label  string
	Doc    string
	Next   int // the neighbour towards the hub; the version itself for the hub
	Before int // the version that properties are compared with; -1 for the first one
	AtRoot bool
	Leaf   bool
	Pruned bool
	// Warning is what an API server says to clients of an outdated version.
	Warning string
	// ByHand are the names of the hand-written steps of the version: those to its neighbour, and
	// those between its API types and storage types.
	ByHand []string
}

// Object is an object of a kind in all versions that have it. A property of several other objects
// may lead to it, or one within itself.
type Object struct {
	Path       string // the first one
	Properties []*Property
}

// Property is a property of an object in all versions, including renames.
type Property struct {
	// ID is unique among the properties of the object: the first name, if no other property has it.
	ID string
	// Cells has a cell for each version.
	Cells []Cell
	// Declared are changes that the configuration declares.
	Declared []Declared
}

// Declared is a change that the configuration declares between a version and its neighbour towards
// the hub. Other is the path of the other property if the change moves values between objects.
type Declared struct {
	Version int
	Text    string
	Other   string
}

// State says what a version has of a property.
type State string

// The states of a property. The first five have a value in the version.
const (
	Added   State = "added"
	Same    State = "same"
	Changed State = "changed" // Was, WasType and Converted say what
	Back    State = "back"
	Lone    State = "lone" // the first version of all
	// Bag means that the property bag of the object stores the value, and Nowhere that no value is
	// possible.
	Bag     State = "bag"
	Nowhere State = "nowhere"
	// Absent means that the version does not have the object. If a value exists, the property bag of
	// an object around it stores it.
	Absent State = "absent"
)

// IsLive reports whether the version has the property.
func (s State) IsLive() bool { return s != Bag && s != Nowhere && s != Absent }

// Cell is a property in one version.
type Cell struct {
	State State
	Name  string
	Type  Type
	Doc   string
	// Was and WasType are the name and the type before, if they differ.
	Was, WasType string
	// Converted means that the value before is not copied: another step converts it, or it stays in
	// the bag.
	Converted bool
	// Default is JSON.
	Default                              string
	Required, ReadOnly, Secret, Outdated bool
	// Dropped means that the version before has the property.
	Dropped bool
	// Moved is the path of the property that has the value instead, by a declared change.
	Moved string
	// Child is the object in the property, within lists and maps; zero if there is none.
	Child int
	// Keys are the entries that a bag may have for the property, in other shapes than that of the
	// version itself.
	Keys []Key
}

// Type is the type of a property. Wrap has l for each list and m for each map around the value.
// Leaf is the JSON of an example of the value. Values are the JSON texts of an enum.
type Type struct {
	Text, Wrap, Leaf string
	Values           []string
}

// Key is an entry that a property bag may have.
type Key struct {
	Name  string
	Since int // the version whose shape the entry has
	Type  string
	// Old means that the entry is only read.
	Old bool
}
