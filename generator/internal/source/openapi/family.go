package openapi

import (
	"slices"

	"github.com/stratakube/strata/generator/internal/syntax"
)

// families know which schemas inherit from which: through a reference in their allOf, in
// all files that the document leads to.
type families struct {
	parents  map[*syntax.Value][]place
	children map[*syntax.Value][]place
}

// sections list schemas by name.
var sections = [][]string{{"definitions"}, {"components", "schemas"}, {"$defs"}}

// explore decodes all files that the document leads to, nearest first, and finds what
// inherits.
func (u *unit) explore() families {
	fs := families{map[*syntax.Value][]place{}, map[*syntax.Value][]place{}}
	u.openAll(u.root())
	for i := 0; i < len(u.referred); i++ {
		u.openAll(place{u.referred[i], u.referred[i].root})
	}
	u.inherit(fs, u.root())
	for _, f := range u.referred {
		u.inherit(fs, place{f, f.root})
	}
	return fs
}

// examples are members that refer to files of another kind.
var examples = map[string]bool{"x-ms-examples": true, "examples": true, "example": true}

// openAll resolves all references below a place. What leads nowhere is said where it is
// used.
func (u *unit) openAll(at place) {
	for _, v := range at.value.All() {
		switch {
		case v.Name() == "$ref" && v.Kind() == syntax.String:
			u.resolve(at.at(v))
		case !examples[v.Name()]:
			u.openAll(at.at(v))
		}
	}
}

// inherit finds the heirs among the named schemas of a file.
func (u *unit) inherit(fs families, root place) {
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

// referredBy is what a schema refers to, references to references followed; it does not
// exist where it refers to nothing.
func (u *unit) referredBy(at place) place {
	found := at.at(nil)
	for range maxChain {
		ref := at.member("$ref")
		if ref.value.Kind() != syntax.String {
			return found
		}
		t := u.resolve(ref)
		if !t.exists() {
			return t.place
		}
		at, found = t.place, t.place
	}
	return at.at(nil)
}

// maxFamily bounds how many schemas inherit from one.
const maxFamily = 2000

// heirs are all schemas that inherit from one, at any remove, each once.
func (fs families) heirs(of place) []place {
	var out []place
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

// founder is the schema, this one or one that it inherits from, whose discriminator
// tells the members of the family apart. It does not exist where there is none.
func (fs families) founder(of place) place { return fs.nearest([]place{of}) }

// above is the founder of the family that a schema's parents are of.
func (fs families) above(of place) place { return fs.nearest(fs.parents[of.value]) }

func (fs families) nearest(open []place) place {
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
	return place{}
}

// discriminatorOf is the property that tells the heirs of a schema apart; empty where it
// says none, or lists its branches itself.
func discriminatorOf(at place) string {
	if at.member("oneOf").exists() || at.member("anyOf").exists() {
		return ""
	}
	return propertyOf(at.member("discriminator"))
}

// propertyOf is the property that a discriminator names.
func propertyOf(discriminator place) string {
	return discriminator.value.Text() + discriminator.value.Member("propertyName").Text()
}

// valueOf is what the discriminator of a founder says of an heir; empty where the founder
// itself stands for no kind of its own.
func (u *unit) valueOf(heir, founder place) string {
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

// mapped are the values that a discriminator's mapping has for a schema.
func (u *unit) mapped(discriminator, schema place) []string {
	var values []string
	mapping := discriminator.member("mapping")
	for _, m := range mapping.value.All() {
		if u.named(mapping.at(m)).value == schema.value {
			values = append(values, m.Name())
		}
	}
	return values
}

// named is the schema that a mapping names: by its name, or by a reference.
func (u *unit) named(at place) place {
	name := place{at.file, at.file.root}.member("components").member("schemas").member(at.value.Text())
	if name.exists() {
		return name
	}
	return u.resolve(at).place
}
