package jsonschema

import (
	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/source/document"
)

// Role is the relation of a schema to the schemas around it.
type Role uint8

// The roles of schemas.
const (
	Standing Role = iota // stands alone
	Joined               // holds together with others
	Branch               // one of several, which hold together with others
	Body                 // the root of a resource, or a part of it
)

// Form is a meaning of a schema that only its dialect knows, such as one without the schemas that
// inherit from it. The zero value is the usual one.
type Form uint8

// Use describes how a schema is used: in which role, for which view, and in which form. The same
// schema may become different types for different uses.
type Use struct {
	Role Role
	View View
	Form Form
}

// in returns the use of a schema in another role, in the usual form.
func (u Use) in(r Role) Use { return Use{Role: r, View: u.View} }

// Step is a part of a schema that holds together with its other parts.
type Step uint8

// The parts of a schema.
const (
	Own       Step = iota // the keywords that combine no other schemas
	Reference             // $ref
	AllOf
	OneOf
	AnyOf
)

// Vocabulary lists what a dialect has of JSON Schema.
type Vocabulary struct {
	// Types are the names of types.
	Types []string
	// Without are keywords of this package that the dialect does not have.
	Without []string
	// Steps is the order in which the parts of a schema are compiled. It determines the order of
	// properties.
	Steps []Step
}

// Dialect is what a kind of schemas adds to the rules of this package. [Plain] implements what most
// dialects do not change.
type Dialect interface {
	// Vocabulary returns the same value in each call.
	Vocabulary() *Vocabulary

	// Resolve returns the target of a $ref.
	Resolve(ref document.Location) *document.Target
	// Define returns the use for which a definition of a target is compiled, and Name a name for it
	// that no other definition of the scope has.
	Define(t *document.Target, use Use) Use
	Name(t *document.Target, use Use) string

	// Keyword handles a keyword that this package does not know, or that the vocabulary lacks.
	Keyword(m document.Location)
	// Replaces reports whether a reference replaces the keywords beside it. If so, it may add notes
	// about them.
	Replaces(schema document.Location) bool
	// Schema compiles a schema if the dialect has a rule of its own for it. Otherwise it returns
	// false.
	Schema(at document.Location, use Use) (model.Type, bool)
	// Conjunct returns the reference, and the form of its target, that is all of a part of an
	// allOf. It does not exist if the part is a schema like others.
	Conjunct(part document.Location) (ref document.Location, form Form)
	// Parts completes the parts of a schema in a form of the dialect.
	Parts(schema document.Location, use Use, parts []Compiled) []Compiled
	// Branch completes the type of a branch of a schema's union.
	Branch(schema, branch document.Location, use Use, t model.Type) model.Type
	// Placeholder returns a type for a branch that stands for no value of its own, or nil. The
	// union omits it, and has its type if no other branch is left.
	Placeholder(branch document.Location) model.Type

	// LeavesOut reports whether a member at the root of a resource is not part of its body.
	LeavesOut(schema document.Location, name string) bool
	// Access returns how a property may be used.
	Access(property document.Location) Access
	// IsSecret reports whether the values of a schema, or of one that it refers to, are secrets.
	IsSecret(schema document.Location) bool
	// Property completes a property that was made of a part.
	Property(at document.Location, p *model.Property, from Compiled)
	// Type completes an enum, a union of enums, or a list, that was made of a schema's own
	// keywords.
	Type(schema document.Location, t model.Type)
	// Own completes the type that was made of a schema's own keywords. It is not called if they make
	// none.
	Own(schema document.Location, t model.Type)
	// Mismatch reports a constant that is a list, an object, or not of the types that the schema
	// names. It returns a type to use instead of the schema's constants, or nil for that of its
	// other keywords.
	Mismatch(value document.Location, types []string) model.Type
	// Unused reports a keyword that has no meaning for the types of its schema.
	Unused(keyword document.Location)
	// Discard reports the keywords of a part that only a property can have, where there is none.
	Discard(p Compiled)
}

// Plain implements the methods of a [Dialect] that have a usual meaning.
type Plain struct{}

// Define preserves the view and the form.
func (Plain) Define(_ *document.Target, use Use) Use { return use }

// Replaces returns false: keywords beside a reference hold, too.
func (Plain) Replaces(document.Location) bool { return false }

// Schema returns false.
func (Plain) Schema(document.Location, Use) (model.Type, bool) { return nil, false }

// Conjunct returns nothing.
func (Plain) Conjunct(document.Location) (ref document.Location, form Form) {
	return document.Location{}, 0
}

// Parts returns the parts.
func (Plain) Parts(_ document.Location, _ Use, parts []Compiled) []Compiled { return parts }

// Branch returns the type.
func (Plain) Branch(_, _ document.Location, _ Use, t model.Type) model.Type { return t }

// Placeholder returns nil.
func (Plain) Placeholder(document.Location) model.Type { return nil }

// Access returns that of a property without restrictions.
func (Plain) Access(document.Location) Access { return Access{} }

// IsSecret returns false.
func (Plain) IsSecret(document.Location) bool { return false }

// Property changes nothing.
func (Plain) Property(document.Location, *model.Property, Compiled) {}

// Type changes nothing.
func (Plain) Type(document.Location, model.Type) {}

// Discard reports nothing.
func (Plain) Discard(Compiled) {}

// Own changes nothing.
func (Plain) Own(document.Location, model.Type) {}
