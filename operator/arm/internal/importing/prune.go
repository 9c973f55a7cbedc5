package importing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/operator/arm/internal/body"
)

// schema is what of a CRD's schema says which values it takes.
type schema struct {
	Type        string             `json:"type"`
	Properties  map[string]*schema `json:"properties"`
	Additional  *additional        `json:"additionalProperties"`
	Items       *schema            `json:"items"`
	Enum        []any              `json:"enum"`
	Required    []string           `json:"required"`
	IsOpen      bool               `json:"x-kubernetes-preserve-unknown-fields"`
	IntOrString bool               `json:"x-kubernetes-int-or-string"`
}

// additional is a schema, or true.
type additional struct{ schema }

func (a *additional) UnmarshalJSON(data []byte) error {
	if bytes.Equal(data, []byte("true")) || bytes.Equal(data, []byte("false")) {
		a.IsOpen = data[0] == 't'
		return nil
	}
	return json.Unmarshal(data, &a.schema)
}

// pruner takes of a value what a schema has, and notes what else it had to leave out than what only services write.
type pruner struct{ notes []string }

func (p *pruner) note(at body.Path, format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf("%s: %s", at, fmt.Sprintf(format, args...)))
}

// prune tells whether anything is left.
func (p *pruner) prune(at body.Path, value any, s *schema) (any, bool) {
	if value == nil {
		return nil, false
	}
	switch {
	case s.IntOrString, s.Type == "" && len(s.Properties) == 0:
		return value, true
	case s.Type == "object" || s.Type == "":
		object, ok := value.(map[string]any)
		if !ok {
			return p.misfit(at, value, s)
		}
		return p.object(at, object, s)
	case s.Type == "array":
		array, ok := value.([]any)
		if !ok {
			return p.misfit(at, value, s)
		}
		return p.array(at, array, s)
	}
	if !fits(value, s.Type) {
		return p.misfit(at, value, s)
	}
	return p.scalar(at, value, s)
}

func (p *pruner) misfit(at body.Path, value any, s *schema) (any, bool) {
	p.note(at, "left out: it is %s outside, and %s in the schema", kindOf(value), s.Type)
	return nil, false
}

func (p *pruner) object(at body.Path, object map[string]any, s *schema) (any, bool) {
	pruned := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		inside := s.Properties[name]
		switch {
		case inside == nil && s.Additional != nil:
			inside = &s.Additional.schema
		case inside == nil && s.IsOpen:
			inside = &schema{}
		case inside == nil:
			continue // what only services write, or what the version does not know
		}
		if value, ok := p.prune(append(slices.Clip(at), body.Step{Name: name}), object[name], inside); ok {
			pruned[name] = value
		}
	}
	for _, name := range s.Required {
		if _, ok := pruned[name]; ok || slices.Contains(ours, name) {
			continue
		}
		if inside := s.Properties[name]; isObject(object[name]) && inside != nil && len(inside.Required) == 0 {
			pruned[name] = map[string]any{}
		} else {
			p.note(append(slices.Clip(at), body.Step{Name: name}), "it is required, and not given out; add it before applying")
		}
	}
	return pruned, len(pruned) > 0 || len(object) == 0
}

func isObject(value any) bool {
	_, ok := value.(map[string]any)
	return ok
}

func (p *pruner) array(at body.Path, array []any, s *schema) (any, bool) {
	pruned := make([]any, 0, len(array))
	for i, value := range array {
		inside := s.Items
		if inside == nil {
			inside = &schema{}
		}
		path := append(slices.Clip(at), body.Step{Index: i})
		kept, ok := p.prune(path, value, inside)
		if !ok {
			p.note(path, "left out: nothing of it is in the schema")
			continue
		}
		pruned = append(pruned, kept)
	}
	return pruned, true
}

// scalar writes values of enumerations as the schema does: services do not always heed case.
func (p *pruner) scalar(at body.Path, value any, s *schema) (any, bool) {
	if len(s.Enum) == 0 {
		return value, true
	}
	text := fmt.Sprint(value)
	for _, allowed := range s.Enum {
		if strings.EqualFold(fmt.Sprint(allowed), text) {
			if _, ok := value.(string); ok {
				return allowed, true
			}
			return value, true
		}
	}
	p.note(at, "left out: %q is not among the values of the schema", text)
	return nil, false
}

func fits(value any, kind string) bool {
	got := kindOf(value)
	if number, ok := value.(json.Number); ok && kind == "integer" {
		_, err := strconv.ParseInt(number.String(), 10, 64)
		return err == nil
	}
	return got == kind
}

func kindOf(value any) string {
	switch value.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case []any:
		return "array"
	}
	return "object"
}
