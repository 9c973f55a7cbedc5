package finding

import (
	"fmt"
	"slices"
	"strings"
)

// Severity is what a finding breaks. Each severity includes those before it.
type Severity uint8

// The severities. NewWrites breaks writes of new values; stored objects stay writable. Clients
// breaks clients that use the API as it was: between versions, those that move to the later one.
// StoredData changes the shape of stored objects within a version, which Strata refuses to
// generate.
const (
	None Severity = iota
	NewWrites
	Clients
	StoredData
)

var severityNames = [...]string{"none", "new-writes", "clients", "stored-data"}

func (s Severity) String() string { return severityNames[s] }

// MarshalText writes a severity as a word in JSON.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// SeverityNames returns the words for all severities, the least first.
func SeverityNames() []string { return slices.Clone(severityNames[:]) }

// ParseSeverity reads what String writes.
func ParseSeverity(text string) (Severity, error) {
	if at := slices.Index(severityNames[:], text); at >= 0 {
		return Severity(at), nil
	}
	return None, fmt.Errorf("must be %s", strings.Join(severityNames[:], ", "))
}

// Class is what a finding is about.
type Class string

// The classes of rules.
const (
	ClassWire      Class = "wire"       // names, types and positions in the JSON of objects
	ClassStored    Class = "stored"     // objects that a cluster stores
	ClassNewWrites Class = "new-writes" // which values may be written
	ClassClients   Class = "clients"    // what an API server does for clients
	ClassDocs      Class = "docs"       // what people read
)

// Direction is who notices a change. A client that was written for the schema as it was reads and
// writes objects of the later one, or the reverse.
type Direction string

// The directions of rules.
const (
	Nobody   Direction = "nobody"
	Readers  Direction = "readers" // a client reads what it does not know
	Writers  Direction = "writers" // a client writes what is refused, or what has another effect
	Everyone Direction = "readers and writers"
)

// Conversion is what the generated conversions between two versions do about a change. It is empty
// for a change that breaks nothing.
type Conversion string

// The effects of conversions.
const (
	Harmless Conversion = "harmless" // clients of both versions go on as before
	Kept     Conversion = "kept"     // a property bag keeps the value for clients of its version
	NoHelp   Conversion = "no help"  // the change has its effect in spite of conversions
)

// Rule describes one kind of finding. It is found by its identifier, which never changes.
type Rule struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Class     Class     `json:"class"`
	Severity  Severity  `json:"breaks"` // at least: a change within a stored version may break more
	Direction Direction `json:"direction"`
	// Conversion holds for changes from one version to another.
	Conversion Conversion `json:"conversion,omitzero"`
	// Text states what has changed, Effect what it does to clients and objects, and Advice what the
	// author of the API can do.
	Text   string `json:"text"`
	Effect string `json:"effect"`
	Advice string `json:"advice"`
}

// IsOfCheck reports whether strata check reports findings of the rule. All others are of strata
// diff.
func (r Rule) IsOfCheck() bool { return strings.HasPrefix(r.ID, "ST2") }

// Rules returns all rules in the order of their identifiers.
func Rules() []Rule { return slices.Clone(rules) }

// Find returns the rule with an identifier or a name, in any letter case.
func Find(text string) (r Rule, found bool) {
	for _, r := range rules {
		if strings.EqualFold(r.ID, text) || strings.EqualFold(r.Name, text) {
			return r, true
		}
	}
	return Rule{}, false
}

// Named returns the rule with a name, which must exist.
func Named(name string) Rule {
	r, found := byName[name]
	if !found {
		panic("finding: no rule is called " + name)
	}
	return r
}

var byName = func() map[string]Rule {
	out := map[string]Rule{}
	for _, r := range rules {
		out[r.Name] = r
	}
	return out
}()

// Words returns the names and the identifiers of all rules.
func Words() (words []string) {
	for _, r := range rules {
		words = append(words, r.Name, r.ID)
	}
	return words
}
