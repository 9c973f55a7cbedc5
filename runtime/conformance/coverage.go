package conformance

import (
	"fmt"
	"reflect"
)

// Field is a field of a type, with the number of times that it was drawn.
type Field struct {
	// Path is the shortest path to the field by Go names, as in Spec.Properties.Phones[].Number.
	// [] stands for an element of a list, and {} for a value of a map. If a type occurs at
	// several paths, its fields are listed once.
	Path string
	// Drawn counts the values that were neither absent nor an empty list or map.
	Drawn int
}

// Coverage draws objects of type A and returns all its fields and those of the types within,
// outermost first. They are the objects that [Run] draws if label is the resource and the
// version, as in "Microsoft.Crm/persons v20110101".
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

// coverage returns the fields of a program, breadth first, without duplicates.
func (p *program) coverage() []Field {
	var fields []Field
	p.walk(func(path string, f *field) { fields = append(fields, Field{path, f.drawn}) })
	return fields
}

// walk calls visit for each field of a program once, breadth first.
func (p *program) walk(visit func(path string, f *field)) {
	type pending struct {
		object *object
		path   string
	}
	seen := map[*object]bool{p.root: true}
	for queue := []pending{{p.root, ""}}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for i := range at.object.fields {
			f := &at.object.fields[i]
			path := at.path + f.name
			visit(path, f)
			inner, suffix := objectIn(f.node)
			if inner != nil && !seen[inner] {
				seen[inner] = true
				queue = append(queue, pending{inner, path + suffix + "."})
			}
		}
	}
}

// enoughCases is the number of cases from which every field must have been drawn. enoughForRare
// is that for rare fields.
const (
	enoughCases   = 200
	enoughForRare = 1000
)

// checkCoverage returns an error if a field was never drawn in enough cases.
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
