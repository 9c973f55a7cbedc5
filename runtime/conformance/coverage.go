package conformance

import (
	"fmt"
	"reflect"
)

// Field is a field of a type, and how often it was drawn.
type Field struct {
	// Path is the shortest path to the field by Go's names, where [] stands for an element of a
	// list and {} for a value of a map: Spec.Properties.Phones[].Number. A field of a type that
	// stands in several places has one.
	Path string
	// Drawn counts the values that were neither absent nor an empty list or map.
	Drawn int
}

// Coverage draws objects of type A and returns all its fields, those of the types within too,
// outermost first. The objects are those that [Run] draws for a resource and a version that are
// called label together, as in "Microsoft.Crm/persons v20110101".
func Coverage[A any](label string, cases int) ([]Field, error) {
	p, err := compile(reflect.TypeFor[A]())
	if err != nil {
		return nil, err
	}
	var d drawer
	for i := range cases {
		p.draw(&d, hash(label)+uint64(i), defaultBudget)
	}
	return p.coverage(), nil
}

// coverage returns the fields of a program, breadth first, each once.
func (p *program) coverage() []Field {
	var fields []Field
	p.walk(func(path string, f *field) { fields = append(fields, Field{path, f.drawn}) })
	return fields
}

// walk visits the fields of a program, breadth first, each once.
func (p *program) walk(visit func(path string, f *field)) {
	type place struct {
		object *object
		path   string
	}
	seen := map[*object]bool{p.root: true}
	for places := []place{{p.root, ""}}; len(places) > 0; places = places[1:] {
		at := places[0]
		for i := range at.object.fields {
			f := &at.object.fields[i]
			path := at.path + f.name
			visit(path, f)
			inner, suffix := objectIn(f.node)
			if inner != nil && !seen[inner] {
				seen[inner] = true
				places = append(places, place{inner, path + suffix + "."})
			}
		}
	}
}

// enoughCases is from how many cases on every field must have been drawn, and enoughForRare every
// rare one.
const (
	enoughCases   = 200
	enoughForRare = 1000
)

// checkCoverage fails when fields were never drawn.
func (p *program) checkCoverage(cases int) error {
	if cases < enoughCases {
		return nil
	}
	var missing []string
	p.walk(func(path string, f *field) {
		if f.drawn == 0 && (!f.rare || cases >= enoughForRare) {
			missing = append(missing, path)
		}
	})
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("%v: %d fields were never drawn in %d cases: %q", p.of, len(missing), cases,
		missing[:min(len(missing), 10)])
}
