package openapi

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/syntax"
)

// families record which schemas inherit from which: through a reference in their allOf, in all
// files that the document refers to.
type families struct {
	parents  map[*syntax.Value][]location
	children map[*syntax.Value][]location
}

// sections are the members of a file that contain named schemas.
var sections = [][]string{{"definitions"}, {"components", "schemas"}, {"$defs"}}

// explore decodes all files that the document refers to, nearest first, and finds inheritance.
func (u *unit) explore() families {
	fs := families{map[*syntax.Value][]location{}, map[*syntax.Value][]location{}}
	u.openAll(u.root())
	for i := 0; i < len(u.referred); i++ {
		u.openAll(location{u.referred[i], u.referred[i].root})
	}
	u.inherit(fs, u.root())
	for _, f := range u.referred {
		u.inherit(fs, location{f, f.root})
	}
	return fs
}

// examples are members that refer to files of another kind.
var examples = map[string]bool{"x-ms-examples": true, "examples": true, "example": true}

// openAll resolves all references below a location. Unresolved ones are reported where they are
// used.
func (u *unit) openAll(at location) {
	for _, v := range at.value.All() {
		switch {
		case v.Name() == "$ref" && v.Kind() == syntax.String:
			u.resolve(at.at(v))
		case !examples[v.Name()]:
			u.openAll(at.at(v))
		}
	}
}

// inherit finds inheritance among the named schemas of a file.
func (u *unit) inherit(fs families, root location) {
	for _, section := range sections {
		at := root
		for _, name := range section {
			at = at.member(name)
		}
		for _, v := range at.value.All() {
			child := at.at(v)
			for _, part := range child.member("allOf").value.All() {
				if parent := u.referredBy(child.at(part)); parent.exists() {
					fs.parents[v] = append(fs.parents[v], parent)
					fs.children[parent.value] = append(fs.children[parent.value], child)
				}
			}
		}
	}
}

// referredBy returns the schema that a schema refers to, through any number of references. The
// result does not exist if there is no reference.
func (u *unit) referredBy(at location) location {
	found := at.at(nil)
	for range maxChain {
		ref := at.member("$ref")
		if ref.value.Kind() != syntax.String {
			return found
		}
		t := u.resolve(ref)
		if !t.exists() {
			return t.location
		}
		at, found = t.location, t.location
	}
	return at.at(nil)
}

// maxFamily is the largest number of schemas that may inherit from one.
const maxFamily = 2000

// heirs returns all schemas that inherit from one, directly or indirectly, each once.
func (fs families) heirs(of location) []location {
	var out []location
	seen := map[*syntax.Value]bool{of.value: true}
	open := fs.children[of.value]
	for len(open) > 0 && len(out) < maxFamily {
		h := open[0]
		open = open[1:]
		if !seen[h.value] {
			seen[h.value] = true
			out = append(out, h)
			open = append(open, fs.children[h.value]...)
		}
	}
	return out
}

// founder returns the schema, this one or one that it inherits from, whose discriminator
// distinguishes the members of the family. The result does not exist if there is none.
func (fs families) founder(of location) location { return fs.nearest([]location{of}) }

// above returns the founder of the family of a schema's parents.
func (fs families) above(of location) location { return fs.nearest(fs.parents[of.value]) }

func (fs families) nearest(open []location) location {
	seen := map[*syntax.Value]bool{}
	for len(open) > 0 && len(seen) < maxFamily {
		at := open[0]
		open = open[1:]
		if seen[at.value] {
			continue
		}
		seen[at.value] = true
		if discriminatorOf(at) != "" {
			return at
		}
		open = append(slices.Clip(open), fs.parents[at.value]...)
	}
	return location{}
}

// discriminatorOf returns the property that distinguishes the heirs of a schema; empty if it has
// none, or lists its branches itself.
func discriminatorOf(at location) string {
	if at.member("oneOf").exists() || at.member("anyOf").exists() {
		return ""
	}
	return propertyOf(at.member("discriminator"))
}

// propertyOf returns the property that a discriminator names.
func propertyOf(discriminator location) string {
	return discriminator.value.Text() + discriminator.value.Member("propertyName").Text()
}

// valueOf returns the discriminator's value for an heir; empty if the founder is not a kind of its
// own.
func (u *unit) valueOf(heir, founder location) string {
	if text := heir.member("x-ms-discriminator-value").value.Text(); text != "" && !(heir == founder && u.families.above(heir).exists()) {
		return text
	}
	for _, value := range u.mapped(founder.member("discriminator"), heir) {
		return value
	}
	if heir == founder {
		return ""
	}
	return heir.value.Name()
}

// mapped returns the values that a discriminator's mapping has for a schema.
func (u *unit) mapped(discriminator, schema location) []string {
	var values []string
	mapping := discriminator.member("mapping")
	for _, m := range mapping.value.All() {
		if u.named(mapping.at(m)).value == schema.value {
			values = append(values, m.Name())
		}
	}
	return values
}

// named returns the schema that a mapping names: by its name, or by a reference.
func (u *unit) named(at location) location {
	name := location{at.file, at.file.root}.member("components").member("schemas").member(at.value.Text())
	if name.exists() {
		return name
	}
	return u.resolve(at).location
}
