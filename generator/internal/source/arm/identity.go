package arm

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/source"
	"github.com/stratakube/strata/generator/internal/source/document"
	"github.com/stratakube/strata/generator/internal/syntax"
)

// types returns the resource types that a resource names, as spelled.
func (u *unit) types(resource document.Location) []string {
	search := u.search(resource, "type")
	switch {
	case search.exceeded && len(search.values) == 0:
		u.compiler.Fail(search.tooMany(resource))
		return nil
	case !search.declared.Exists():
		u.compiler.Fail(resource.Errorf("the resource has no property type"))
	case len(search.values) == 0:
		u.compiler.Fail(search.declared.Errorf("the resource's type is not a constant").
			WithHint("give it an enum of one value, such as \"Microsoft.Batch/batchAccounts\""))
	}
	for _, value := range search.values {
		if fault := source.TypeFault(value); fault.Exists() {
			u.compiler.Fail(fault.At(search.declared.Where()))
			continue
		}
		if provider, name, ok := strings.Cut(value, "/"); !ok || provider == "" || name == "" {
			u.compiler.Fail(search.declared.Errorf("the resource's type %q is not of the form provider/type", value))
		}
	}
	return search.values
}

// versions returns the API versions that a resource names, or that of the file's folder.
func (u *unit) versions(resource document.Location) []string {
	search := u.search(resource, "apiVersion")
	for _, value := range search.values {
		if fault := source.VersionFault(value); fault.Exists() {
			u.compiler.Fail(fault.At(search.declared.Where()))
		}
	}
	if len(search.values) > 0 {
		return search.values
	}
	folder := path.Base(path.Dir(u.path))
	if !datePattern.MatchString(folder) {
		at := resource
		if search.declared.Exists() {
			at = search.declared
		}
		u.compiler.Fail(at.Errorf("the resource's API version is not a constant, and the file's folder %q is not named after one", folder).
			WithHint("give apiVersion an enum of one value, such as \"2014-04-04\""))
		return nil
	}
	return []string{folder}
}

var datePattern = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}`)

// search finds the constants of a property at the root of a resource, through references and
// combinations.
type search struct {
	unit     *unit
	name     string
	values   []string
	declared document.Location // the first declaration of the property with values
	left     int               // the number of schemas that may still be visited
	exceeded bool              // more schemas were left, perhaps in a cycle
}

// tooMany reports that the search for a property ended early.
func (s *search) tooMany(resource document.Location) diag.Message {
	return resource.Errorf("the resource's %s is behind more than %d schemas", s.name, searchLimit).
		WithHint("let the resource have the property itself, or refer to fewer schemas")
}

const searchLimit = 5000

func (u *unit) search(resource document.Location, name string) *search {
	s := &search{unit: u, name: name, left: searchLimit}
	s.schema(resource)
	return s
}

func (s *search) schema(at document.Location) {
	if member := at.Member("properties").Member(s.name); member.Exists() {
		before := len(s.values)
		s.constants(member)
		if !s.declared.Exists() || before == 0 && len(s.values) > 0 {
			s.declared = member
		}
	}
	s.through(at, s.schema)
}

func (s *search) constants(at document.Location) {
	s.add(at.Member("const"))
	for value := range at.Member("enum").All() {
		s.add(value)
	}
	s.through(at, s.constants)
}

func (s *search) add(at document.Location) {
	value := at.Text()
	same := func(v string) bool { return strings.EqualFold(v, value) }
	if value != "" && len(s.values) <= maxNamed && !slices.ContainsFunc(s.values, same) {
		s.values = append(s.values, value)
	}
}

// through visits the schemas that a schema refers to and combines.
func (s *search) through(at document.Location, visit func(document.Location)) {
	if at.Kind() != syntax.Object {
		return
	}
	if s.left == 0 {
		s.exceeded = true
		return
	}
	s.left--
	if ref := at.Member("$ref"); ref.Kind() == syntax.String {
		if t := s.unit.references.Resolve(ref); t.Exists() {
			visit(t.Location)
		}
	}
	for _, keyword := range [...]string{"allOf", "oneOf", "anyOf"} {
		if list := at.Member(keyword); list.Kind() == syntax.List {
			for one := range list.All() {
				visit(one)
			}
		}
	}
}
