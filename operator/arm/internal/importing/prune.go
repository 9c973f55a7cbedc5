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
	"github.com/stratakube/strata/operator/plugin/fieldpath"
)

// schema is the part of a CRD's schema that determines which values it accepts.
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

// pruner reduces values to those that a schema accepts. It removes secrets and values that only
// the external API sets, and notes what else it removes.
type pruner struct {
	notes    []string
	secrets  map[string]bool
	readOnly map[string]bool
	defaults map[string]string
}

func newPruner(e Entry) *pruner {
	p := &pruner{secrets: map[string]bool{}, readOnly: map[string]bool{}, defaults: e.Defaults}
	for _, path := range e.Secrets {
		p.secrets[path] = true
	}
	for _, path := range e.ReadOnly {
		p.readOnly[path] = true
	}
	return p
}

// spot is the position of a value: in this body, and in all bodies, as the manifest writes it.
type spot struct {
	path    fieldpath.Path
	pattern string
}

func (s spot) member(name string) spot {
	return spot{append(slices.Clip(s.path), fieldpath.Step{Name: name}), patternBelow(s.pattern, name)}
}

// entry returns the position of a value of a map.
func (s spot) entry(name string) spot {
	below := s.member(name)
	below.pattern = strings.TrimPrefix(s.pattern+".*", ".")
	return below
}

func (s spot) element(index int) spot {
	return spot{append(slices.Clip(s.path), fieldpath.Step{Index: index}), s.pattern + "[]"}
}

func patternBelow(pattern, name string) string {
	switch {
	case name == "" || strings.ContainsAny(name, `.[]"() `):
		return pattern + "[" + strconv.Quote(name) + "]"
	case pattern == "":
		return name
	}
	return pattern + "." + name
}

func (p *pruner) note(at spot, format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf("%s: %s", at.path, fmt.Sprintf(format, args...)))
}

// written reports whether a member is to be written. It is not if it is a secret, if only the
// external API sets it, or if it has its default.
func (p *pruner) written(at spot, value any, isRequired bool) bool {
	switch {
	case value == nil:
		return true // null is left out later
	case p.secrets[at.pattern]:
		p.note(at, "left out: it is a secret; refer to it in spec.secretRefs, or it is not sent")
		return false
	case p.readOnly[at.pattern]:
		return false
	}
	initial, has := p.defaults[at.pattern]
	return isRequired || !has || !isSame(value, initial)
}

// isSame reports whether a scalar equals the value of a JSON text.
func isSame(value any, text string) bool {
	wanted, err := body.Value([]byte(text))
	if err != nil {
		return false
	}
	return len(body.Drift(map[string]any{"value": wanted}, map[string]any{"value": value})) == 0
}

// prune returns the reduced value, and whether anything of it is left.
func (p *pruner) prune(at spot, value any, s *schema) (any, bool) {
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

func (p *pruner) misfit(at spot, value any, s *schema) (any, bool) {
	p.note(at, "left out: it is %s in Azure, and %s in the schema", kindOf(value), s.Type)
	return nil, false
}

func (p *pruner) object(at spot, object map[string]any, s *schema) (any, bool) {
	pruned := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		inside, below := s.Properties[name], at.member(name)
		switch {
		case inside == nil && s.Additional != nil:
			inside, below = &s.Additional.schema, at.entry(name)
		case inside == nil && s.IsOpen:
			inside = &schema{}
		case inside == nil:
			continue // only services write it, or the version does not have it
		case s.Properties[name] != nil && body.IsEntityTag(name, object[name]) && !slices.Contains(s.Required, name):
			continue
		}
		if !p.written(below, object[name], slices.Contains(s.Required, name)) {
			continue
		}
		if value, ok := p.prune(below, object[name], inside); ok {
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
			p.note(at.member(name), "it is required, and not given out; add it before applying")
		}
	}
	return pruned, len(pruned) > 0 || len(object) == 0
}

func isObject(value any) bool {
	_, ok := value.(map[string]any)
	return ok
}

func (p *pruner) array(at spot, array []any, s *schema) (any, bool) {
	pruned := make([]any, 0, len(array))
	for i, value := range array {
		inside := s.Items
		if inside == nil {
			inside = &schema{}
		}
		below := at.element(i)
		kept, ok := p.prune(below, value, inside)
		if !ok {
			p.note(below, "left out: nothing of it is in the schema")
			continue
		}
		pruned = append(pruned, kept)
	}
	return pruned, true
}

// scalar writes values of enumerations as the schema does, since services may use another case.
func (p *pruner) scalar(at spot, value any, s *schema) (any, bool) {
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
