package arm

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/syntax/jsontree"
)

// types returns the resource types that an entry names, as spelled.
func (u *unit) types(e *entry) []string {
	search := u.search(e, "type")
	switch {
	case search.exceeded && len(search.values) == 0:
		e.fail(search.tooMany(e))
		return nil
	case !search.declared.node.Exists():
		e.fail(e.root.location.errorf("the resource has no property type"))
	case len(search.values) == 0:
		e.fail(search.declared.errorf("the resource's type is not a constant").
			WithHint("give it an enum of one value, such as \"Microsoft.Batch/batchAccounts\""))
	}
	for _, value := range search.values {
		if fault := source.TypeFault(value); fault.Exists() {
			e.fail(fault.At(search.declared.where()))
			continue
		}
		if provider, name, ok := strings.Cut(value, "/"); !ok || provider == "" || name == "" {
			e.fail(search.declared.errorf("the resource's type %q is not of the form provider/type", value))
		}
	}
	return search.values
}

// versions returns the API versions that an entry names, or that of the file's folder.
func (u *unit) versions(e *entry) []string {
	search := u.search(e, "apiVersion")
	for _, value := range search.values {
		if fault := source.VersionFault(value); fault.Exists() {
			e.fail(fault.At(search.declared.where()))
		}
	}
	if len(search.values) > 0 {
		return search.values
	}
	folder := path.Base(path.Dir(u.path))
	if !datePattern.MatchString(folder) {
		at := e.root.location
		if search.declared.node.Exists() {
			at = search.declared
		}
		e.fail(at.errorf("the resource's API version is not a constant, and the file's folder %q is not named after one", folder).
			WithHint("give apiVersion an enum of one value, such as \"2014-04-04\""))
		return nil
	}
	return []string{folder}
}

var datePattern = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}`)

func (e *entry) fail(m diag.Message) { e.root.problems = append(e.root.problems, m) }

// search finds the constants of a property at the root of a resource, through references and
// combinations.
type search struct {
	unit     *unit
	name     string
	values   []string
	declared location // the first declaration of the property with values
	left     int      // the number of schemas that may still be visited
	exceeded bool     // more schemas were left, perhaps in a cycle
}

// tooMany reports that the search for a property ended early.
func (s *search) tooMany(e *entry) diag.Message {
	return e.root.location.errorf("the resource's %s is behind more than %d schemas", s.name, searchLimit).
		WithHint("let the resource have the property itself, or refer to fewer schemas")
}

const searchLimit = 5000

func (u *unit) search(e *entry, name string) *search {
	s := &search{unit: u, name: name, left: searchLimit}
	s.schema(e.root.location)
	return s
}

func (s *search) schema(at location) {
	if member := at.node.Member("properties").Member(s.name); member.Exists() {
		before := len(s.values)
		s.constants(at.at(member))
		if !s.declared.node.Exists() || before == 0 && len(s.values) > 0 {
			s.declared = at.at(member)
		}
	}
	s.through(at, s.schema)
}

func (s *search) constants(at location) {
	s.add(at.node.Member("const"))
	for n := range at.node.Member("enum").All() {
		s.add(n)
	}
	s.through(at, s.constants)
}

func (s *search) add(n jsontree.Node) {
	value := n.Text()
	same := func(v string) bool { return strings.EqualFold(v, value) }
	if value != "" && !slices.ContainsFunc(s.values, same) {
		s.values = append(s.values, value)
	}
}

// through visits the schemas that a schema refers to and combines.
func (s *search) through(at location, visit func(location)) {
	if at.node.Kind() != jsontree.Object {
		return
	}
	if s.left == 0 {
		s.exceeded = true
		return
	}
	s.left--
	if ref := at.node.Member("$ref"); ref.Kind() == jsontree.String {
		if t := s.unit.resolve(at.at(ref)); t.found() {
			visit(t.location)
		}
	}
	for _, keyword := range [...]string{"allOf", "oneOf", "anyOf"} {
		if list := at.node.Member(keyword); list.Kind() == jsontree.Array {
			for n := range list.All() {
				visit(at.at(n))
			}
		}
	}
}
