package armschema

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Problem is a fault of a body, with its path.
type Problem struct {
	Path    string // as properties.pools[0].name; empty for the body as a whole
	Message string
}

func (p Problem) String() string {
	if p.Path == "" {
		return p.Message
	}
	return p.Path + ": " + p.Message
}

// Validate returns the faults of a body, sorted by path; none for a body that fits. body is a
// result of [jsonschema.UnmarshalJSON]. If several files declare the type, it returns the faults
// by the file that the body fits best.
func (s *Schema) Validate(body any) []Problem {
	var best []Problem
	for i, p := range s.files {
		found := p.validate(body)
		if len(found) == 0 {
			return nil
		}
		if i == 0 || len(found) < len(best) {
			best = found
		}
	}
	return best
}

// ValidateName returns the faults of a resource's name; none for one that fits. The name of a
// child may include those of its parents, as published schemas of templates have it:
// account1/pool1.
func (s *Schema) ValidateName(names ...string) []Problem {
	var first []Problem
	for _, p := range s.files {
		for _, name := range names {
			if p.name == nil {
				return nil
			}
			found := problemsOf(p.name.Validate(name))
			if len(found) == 0 {
				return nil
			}
			if first == nil {
				first = found
			}
		}
	}
	return first
}

func (p *fileSchema) validate(body any) []Problem { return problemsOf(p.compiled.Validate(body)) }

// problemsOf are the problems of a validation, sorted.
func problemsOf(err error) []Problem {
	if err == nil {
		return nil
	}
	invalid, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return []Problem{{Message: err.Error()}}
	}
	var all []Problem
	for _, leaf := range leaves(invalid) {
		all = append(all, problems(leaf)...)
	}
	slices.SortFunc(all, func(a, b Problem) int {
		return strings.Compare(a.Path+"\x00"+a.Message, b.Path+"\x00"+b.Message)
	})
	return slices.Compact(all)
}

// leaves are the errors that have no further causes. Of a union only those of the branch count that
// was most probably meant.
func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	if _, isUnion := e.ErrorKind.(*kind.AnyOf); isUnion {
		return meant(e)
	}
	var all []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		all = append(all, leaves(cause)...)
	}
	return all
}

// meant chooses a branch: one of the value's type, then one whose constants it has, then the one
// with the fewest errors. If no branch has the value's constants, the errors are those about
// constants, of all.
func meant(union *jsonschema.ValidationError) []*jsonschema.ValidationError {
	depth := len(union.InstanceLocation)
	var best, about []*jsonschema.ValidationError
	least := [3]int{1 << 30}
	for _, cause := range union.Causes {
		found := leaves(cause)
		cost := [3]int{0, 0, len(found)}
		for _, leaf := range found {
			switch leaf.ErrorKind.(type) {
			case *kind.Type:
				if len(leaf.InstanceLocation) == depth {
					cost[0]++
				}
			case *kind.Const, *kind.Enum:
				if len(leaf.InstanceLocation) <= depth+1 {
					cost[1]++
					about = append(about, leaf)
				}
			}
		}
		if slices.Compare(cost[:], least[:]) < 0 {
			best, least = found, cost
		}
	}
	if least[0] == 0 && least[1] > 0 {
		return constants(about)
	}
	return best
}

// constants makes one error of all constants that branches demand at one position.
func constants(about []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	var all []*jsonschema.ValidationError
	at := map[string]*kind.Enum{}
	for _, leaf := range about {
		var want []any
		switch k := leaf.ErrorKind.(type) {
		case *kind.Const:
			want = []any{k.Want}
		case *kind.Enum:
			want = k.Want
		}
		path := showPath(leaf.InstanceLocation)
		if at[path] == nil {
			at[path] = &kind.Enum{}
			all = append(all, &jsonschema.ValidationError{InstanceLocation: leaf.InstanceLocation, ErrorKind: at[path]})
		}
		for _, v := range want {
			if !slices.ContainsFunc(at[path].Want, func(w any) bool { return reflect.DeepEqual(v, w) }) {
				at[path].Want = append(at[path].Want, v)
			}
		}
	}
	return all
}

var english = message.NewPrinter(language.English)

// problems makes one of each member that is missing or too much.
func problems(leaf *jsonschema.ValidationError) []Problem {
	at := showPath(leaf.InstanceLocation)
	switch k := leaf.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		var all []Problem
		for _, name := range k.Properties {
			all = append(all, Problem{join(at, name), "this version does not know the property"})
		}
		return all
	case *kind.Required:
		var all []Problem
		for _, name := range k.Missing {
			all = append(all, Problem{join(at, name), "the property is required"})
		}
		return all
	case *kind.FalseSchema:
		return []Problem{{at, "there must be no such property"}}
	}
	return []Problem{{at, brief(leaf.ErrorKind.LocalizedString(english))}}
}

// longest is how much of a message is shown: it may quote the body.
const longest = 500

func brief(text string) string {
	if len(text) <= longest {
		return text
	}
	return fmt.Sprintf("%s... (%d bytes)", strings.ToValidUTF8(text[:longest], ""), len(text))
}

func join(at, name string) string {
	if at == "" {
		return showName(name)
	}
	if s := showName(name); strings.HasPrefix(s, "[") {
		return at + s
	}
	return at + "." + name
}

func showPath(tokens []string) string {
	at := ""
	for _, token := range tokens {
		if _, err := strconv.Atoi(token); err == nil && at != "" {
			at += "[" + token + "]"
		} else {
			at = join(at, token)
		}
	}
	return at
}

// showName quotes a name that a path would not show unambiguously.
func showName(name string) string {
	if name == "" || strings.ContainsAny(name, ".[]'\" ") {
		return "[" + strconv.Quote(name) + "]"
	}
	return name
}
