package operation

import (
	"slices"
	"strconv"
	"strings"
)

// Kind is what becomes of a property in the next version. It is the key in strata.yaml.
type Kind string

// The kinds. Each has an inverse: Singular that of Plural, UnwrappedFrom that of WrappedIn, Join
// that of Split, ListedBy that of KeyedBy. Values, Factor and MovedTo have inverses of their own
// kind.
const (
	Values        Kind = "values"        // some values have other names
	Plural        Kind = "plural"        // a value becomes the first element of a list
	Singular      Kind = "singular"      // the first element of a list becomes the value
	WrappedIn     Kind = "wrappedIn"     // a value becomes a member of an object
	UnwrappedFrom Kind = "unwrappedFrom" // a member of an object becomes the value
	Split         Kind = "split"         // a text becomes a list of its parts
	Join          Kind = "join"          // a list of parts becomes a text
	KeyedBy       Kind = "keyedBy"       // a list of objects becomes a map, by a member of each
	ListedBy      Kind = "listedBy"      // a map of objects becomes a list, with the keys in a member
	Factor        Kind = "factor"        // a number has another unit
	MovedTo       Kind = "movedTo"       // another object has the property; see [Operation.To]
)

// Operation is a declared change of a property.
type Operation struct {
	// Kind is what becomes of the value. A property that only moves has the kind [MovedTo].
	Kind Kind
	// From and To are the paths of a property that moves to another object: the JSON names from an
	// object that both versions have, separated by dots. They are empty if it does not move.
	From, To string
	// Text is the member of WrappedIn, UnwrappedFrom, KeyedBy and ListedBy, and the separator of
	// Split and Join.
	Text string
	// By and Over are the fraction of Factor, which are positive.
	By, Over int64
	// Pairs are an earlier value and its later name each, of Values.
	Pairs []string
}

var inverses = map[Kind]Kind{
	Values: Values, Factor: Factor, MovedTo: MovedTo, Plural: Singular, Singular: Plural,
	WrappedIn: UnwrappedFrom, UnwrappedFrom: WrappedIn, Split: Join, Join: Split, KeyedBy: ListedBy, ListedBy: KeyedBy,
}

// Inverse returns the change back.
func (o Operation) Inverse() Operation {
	out := Operation{Kind: inverses[o.Kind], From: o.To, To: o.From, Text: o.Text, By: o.Over, Over: o.By, Pairs: slices.Clone(o.Pairs)}
	slices.Reverse(out.Pairs)
	return out
}

// Renames returns the pairs of Values, closed to a permutation.
func (o Operation) Renames() []string {
	var from, to []string
	for pair := range slices.Chunk(o.Pairs, 2) {
		from, to = append(from, pair[0]), append(to, pair[1])
	}
	return Permutation(from, to)
}

// Renamed returns the JSON text of a value of an enum after the operation: that of its later name,
// or the same.
func (o Operation) Renamed(text string) string {
	value, err := strconv.Unquote(text)
	if err != nil || o.Kind != Values {
		return text
	}
	renames := o.Renames()
	for i := 0; i+1 < len(renames); i += 2 {
		if renames[i] == value {
			return strconv.Quote(renames[i+1])
		}
	}
	return text
}

// Moves reports whether the property moves to another object.
func (o Operation) Moves() bool { return o.To != "" }

// Last returns the name at the end of a path of names.
func Last(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// Is reports whether two operations are the same.
func (o Operation) Is(other Operation) bool {
	return o.From == other.From && o.String() == other.String()
}

// String spells the operation as strata.yaml does, with the values in their order by name. The
// ledger has this text.
func (o Operation) String() string {
	if !o.Moves() {
		return string(o.Kind) + ": " + o.value()
	}
	text := string(MovedTo) + ": " + strconv.Quote(o.To)
	if o.Kind != MovedTo {
		text += ", " + string(o.Kind) + ": " + o.value()
	}
	return text
}

func (o Operation) value() string {
	switch o.Kind {
	case WrappedIn, UnwrappedFrom, Split, Join, KeyedBy, ListedBy:
		return strconv.Quote(o.Text)
	case Factor:
		return fraction(o.By, o.Over)
	case Values:
		var pairs []string
		for pair := range slices.Chunk(o.Pairs, 2) {
			pairs = append(pairs, strconv.Quote(pair[0])+": "+strconv.Quote(pair[1]))
		}
		slices.Sort(pairs)
		return "{" + strings.Join(pairs, ", ") + "}"
	default:
		return "true"
	}
}

func fraction(by, over int64) string {
	if over == 1 {
		return strconv.FormatInt(by, 10)
	}
	return strconv.FormatInt(by, 10) + "/" + strconv.FormatInt(over, 10)
}

// ParseFactor reads a positive integer, or a fraction of two such as 1/1000, and reduces it.
func ParseFactor(text string) (by, over int64, ok bool) {
	top, bottom, isFraction := strings.Cut(text, "/")
	by, err := strconv.ParseInt(top, 10, 64)
	over = 1
	if err == nil && isFraction {
		over, err = strconv.ParseInt(bottom, 10, 64)
	}
	if err != nil || by <= 0 || over <= 0 || by == over {
		return 0, 0, false
	}
	divisor := common(by, over)
	return by / divisor, over / divisor, true
}

// common returns the greatest common divisor.
func common(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Permutation returns pairs of names and what they change to, closed to cycles, so that no value is
// lost: a value that takes the name of another gives its own away.
func Permutation(from, to []string) []string {
	var out []string
	changes, origin := map[string]bool{}, map[string]string{}
	for i, name := range from {
		out = append(out, name, to[i])
		changes[name] = true
		if _, known := origin[to[i]]; !known {
			origin[to[i]] = name
		}
	}
	for _, name := range to {
		if !changes[name] {
			out = append(out, name, start(name, origin))
		}
	}
	return out
}

// start returns the first name of the chain of changes that ends in a name. origin maps each name
// to the one before.
func start(name string, origin map[string]string) string {
	for range origin {
		before, ok := origin[name]
		if !ok {
			break
		}
		name = before
	}
	return name
}
