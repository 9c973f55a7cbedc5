package openapi

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/source/jsonschema"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// families record which schemas inherit from which: through a reference in their allOf, in all
// files that the document refers to.
type families struct {
	parents  map[document.Location][]document.Location
	children map[document.Location][]document.Location
	founders map[document.Location]document.Location // known results of founder
}

// sections are the members of a file that contain named schemas.
var sections = [][]string{{"definitions"}, {"components", "schemas"}, {"$defs"}}

// explore decodes all files that the document refers to, nearest first, and finds inheritance.
func (u *unit) explore() families {
	fs := families{
		map[document.Location][]document.Location{}, map[document.Location][]document.Location{},
		map[document.Location]document.Location{},
	}
	u.openAll(u.root())
	for i := 0; i < len(u.referred); i++ {
		u.openAll(u.referred[i].Root())
	}
	u.inherit(fs, u.root())
	for _, f := range u.referred {
		u.inherit(fs, f.Root())
	}
	return fs
}

// examples are members that refer to files of another kind.
var examples = map[string]bool{"x-ms-examples": true, "examples": true, "example": true}

// openAll resolves all references below a location. Unresolved ones are reported where they are
// used.
func (u *unit) openAll(at document.Location) {
	for v := range at.All() {
		switch {
		case v.Name() == "$ref" && v.Kind() == syntax.String:
			u.references.Resolve(v)
		case !examples[v.Name()]:
			u.openAll(v)
		}
	}
}

// inherit finds inheritance among the named schemas of a file.
func (u *unit) inherit(fs families, root document.Location) {
	for _, section := range sections {
		at := root
		for _, name := range section {
			at = at.Member(name)
		}
		for v := range at.All() {
			for part := range v.Member("allOf").All() {
				if parent := u.referredBy(part); parent.Exists() {
					fs.parents[v] = append(fs.parents[v], parent)
					fs.children[parent] = append(fs.children[parent], v)
				}
			}
		}
	}
}

// referredBy returns the schema that a schema refers to, through any number of references. The
// result does not exist if there is no reference.
func (u *unit) referredBy(at document.Location) document.Location {
	found := at.None()
	for range jsonschema.MaxChain {
		ref := at.Member("$ref")
		if ref.Kind() != syntax.String {
			return found
		}
		t := u.references.Resolve(ref)
		if !t.Exists() {
			return t.Location
		}
		at, found = t.Location, t.Location
	}
	return at.None()
}

// heirs returns all schemas that inherit from one, directly or indirectly, each once. Beyond
// [jsonschema.MaxFamily] it reports that there are more, and leaves these out.
func (fs families) heirs(of document.Location) (heirs []document.Location, more bool) {
	seen := map[document.Location]bool{of: true}
	open := slices.Clone(fs.children[of])
	for len(open) > 0 {
		h := open[0]
		open = open[1:]
		if seen[h] {
			continue
		}
		if len(heirs) == jsonschema.MaxFamily {
			return heirs, true
		}
		seen[h] = true
		heirs = append(heirs, h)
		open = append(open, fs.children[h]...)
	}
	return heirs, false
}

// founder returns the schema, this one or one that it inherits from, whose discriminator
// distinguishes the members of the family. The result does not exist if there is none.
func (fs families) founder(of document.Location) document.Location {
	if len(fs.parents[of]) == 0 {
		return fs.nearest([]document.Location{of})
	}
	found, known := fs.founders[of]
	if !known {
		found = fs.nearest([]document.Location{of})
		fs.founders[of] = found
	}
	return found
}

// above returns the founder of the family of a schema's parents.
func (fs families) above(of document.Location) document.Location { return fs.nearest(fs.parents[of]) }

func (fs families) nearest(open []document.Location) document.Location {
	seen := map[document.Location]bool{}
	for len(open) > 0 && len(seen) < jsonschema.MaxFamily {
		at := open[0]
		open = open[1:]
		if seen[at] {
			continue
		}
		seen[at] = true
		if discriminatorOf(at) != "" {
			return at
		}
		open = append(slices.Clip(open), fs.parents[at]...)
	}
	return document.Location{}
}

// discriminatorOf returns the property that distinguishes the heirs of a schema; empty if it has
// none, or lists its branches itself.
func discriminatorOf(at document.Location) string {
	if at.Member("oneOf").Exists() || at.Member("anyOf").Exists() {
		return ""
	}
	return propertyOf(at.Member("discriminator"))
}

// propertyOf returns the property that a discriminator names.
func propertyOf(discriminator document.Location) string {
	return discriminator.Text() + discriminator.Member("propertyName").Text()
}

// valueOf returns the discriminator's value for an heir; empty if the founder is not a kind of its
// own.
func (u *unit) valueOf(heir, founder document.Location) string {
	if text := heir.Member("x-ms-discriminator-value").Text(); text != "" && !(heir == founder && u.families.above(heir).Exists()) {
		return text
	}
	for _, value := range u.mapped(founder.Member("discriminator"), heir) {
		return value
	}
	if heir == founder {
		return ""
	}
	return heir.Name()
}

// mapped returns the values that a discriminator's mapping has for a schema.
func (u *unit) mapped(discriminator, schema document.Location) []string {
	var values []string
	mapping := discriminator.Member("mapping")
	for m := range mapping.All() {
		if u.named(m) == schema {
			values = append(values, m.Name())
		}
	}
	return values
}

// named returns the schema that a mapping names: by its name, or by a reference.
func (u *unit) named(at document.Location) document.Location {
	name := at.Document().Root().Member("components").Member("schemas").Member(at.Text())
	if name.Exists() {
		return name
	}
	return u.references.Resolve(at).Location
}
