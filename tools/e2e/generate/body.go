package generate

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"regexp/syntax"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// Of selects the schema, and sets how the body is drawn.
type Of struct {
	File          string // below the root of the schemas
	Type, Version string
	Seed          uint64
	// Richness is the share of optional properties that are there, from 0 to 1.
	Richness float64
}

// Body draws the body of a request: the resource without its name, type, version and children. The
// same Of gives the same body.
func (s *Schemas) Body(of Of) (map[string]any, error) {
	n, err := s.resource(of.File, of.Type, of.Version)
	if err != nil {
		return nil, err
	}
	d := drawer{Schemas: s, random: rand.New(rand.NewPCG(of.Seed, 1)), richness: of.Richness}
	body := map[string]any{}
	if err := d.object(body, n, 0, true); err != nil {
		return nil, fmt.Errorf("draw %s in version %s: %w", of.Type, of.Version, err)
	}
	return body, nil
}

// ofTemplates are the members of a resource in a template that its body does not have.
var ofTemplates = []string{"name", "type", "apiVersion", "resources"}

// deep is where optional properties end: schemas may contain themselves.
const deep = 7

type drawer struct {
	*Schemas
	random   *rand.Rand
	richness float64
}

// object adds to a body the members of a schema of objects, and of all schemas that it combines.
func (d *drawer) object(into map[string]any, n node, depth int, root bool) error {
	n, err := d.resolve(n)
	if err != nil {
		return err
	}
	for _, part := range listOf(n.schema["allOf"]) {
		if err := d.object(into, n.at(part), depth, root); err != nil {
			return err
		}
	}
	for _, union := range []string{"oneOf", "anyOf"} {
		if branches := n.branches(union); len(branches) > 0 {
			if err := d.object(into, branches[d.random.IntN(len(branches))], depth, root); err != nil {
				return err
			}
		}
	}
	required := listOf(n.schema["required"])
	properties := objectOf(n.schema["properties"])
	for _, name := range sorted(properties) {
		if root && slices.Contains(ofTemplates, name) {
			continue
		}
		must := slices.Contains(required, any(name))
		if !must && (depth >= deep || d.random.Float64() >= d.richness) {
			continue
		}
		value, err := d.value(n.at(properties[name]), depth+1)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if merged := objectOf(into[name]); merged != nil && objectOf(value) != nil {
			maps.Copy(merged, objectOf(value))
		} else {
			into[name] = value
		}
	}
	return d.further(into, n, depth)
}

// further adds an entry to a map.
func (d *drawer) further(into map[string]any, n node, depth int) error {
	more := objectOf(n.schema["additionalProperties"])
	if more == nil || len(objectOf(n.schema["properties"])) > 0 || depth >= deep {
		return nil
	}
	value, err := d.value(n.at(more), depth+1)
	if err != nil {
		return err
	}
	into[fmt.Sprintf("key%d", d.random.IntN(10))] = value
	return nil
}

// branches are those of a union that are no expressions.
func (n node) branches(union string) []node {
	var all []node
	for _, branch := range listOf(n.schema[union]) {
		if b := n.at(branch); !b.isExpression() {
			all = append(all, b)
		}
	}
	return all
}

func (d *drawer) value(n node, depth int) (any, error) {
	n, err := d.resolve(n)
	if err != nil {
		return nil, err
	}
	if only := enumOf(n.schema); len(only) > 0 {
		return only[d.random.IntN(len(only))], nil
	}
	for _, union := range []string{"oneOf", "anyOf"} {
		branches := n.branches(union)
		if len(branches) > 0 && objectOf(n.schema["properties"]) == nil && n.schema["allOf"] == nil {
			return d.value(branches[d.random.IntN(len(branches))], depth)
		}
	}
	switch kind := n.kind(); kind {
	case "string":
		return d.text(n.schema), nil
	case "integer":
		return d.integer(n.schema), nil
	case "number":
		return float64(d.integer(n.schema)), nil
	case "boolean":
		return d.random.IntN(2) == 0, nil
	case "array":
		return d.list(n, depth)
	case "object":
		object := map[string]any{}
		return object, d.object(object, n, depth, false)
	default:
		return map[string]any{"free": "json"}, nil
	}
}

// kind returns the type of a schema, also if the schema does not state it.
func (n node) kind() string {
	if kind, ok := n.schema["type"].(string); ok {
		return kind
	}
	for _, member := range []string{"properties", "additionalProperties", "allOf", "oneOf", "anyOf"} {
		if n.schema[member] != nil {
			return "object"
		}
	}
	if n.schema["items"] != nil {
		return "array"
	}
	return ""
}

func (d *drawer) list(n node, depth int) (any, error) {
	length := max(1, int(numberOf(n.schema["minItems"], 0)))
	if depth >= deep {
		length = int(numberOf(n.schema["minItems"], 0))
	}
	list := make([]any, 0, length)
	if n.schema["items"] == nil {
		return list, nil
	}
	for range length {
		element, err := d.value(n.at(n.schema["items"]), depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, element)
	}
	return list, nil
}

func (d *drawer) integer(schema map[string]any) int64 {
	low := numberOf(schema["minimum"], 0)
	high := numberOf(schema["maximum"], low+100)
	low, high = math.Ceil(low), math.Floor(min(high, low+1000))
	return int64(low) + d.random.Int64N(int64(max(high-low, 0))+1)
}

func numberOf(value any, otherwise float64) float64 {
	if number, ok := value.(float64); ok {
		return number
	}
	return otherwise
}

const letters = "abcdefghijklmnopqrstuvwxyz"

func (d *drawer) text(schema map[string]any) string {
	low := int(numberOf(schema["minLength"], 1))
	if pattern, ok := schema["pattern"].(string); ok {
		if text, ok := d.matching(pattern, low, int(numberOf(schema["maxLength"], math.MaxInt32))); ok {
			return text
		}
	}
	switch schema["format"] {
	case "uuid":
		return fmt.Sprintf("%08x-0000-4000-8000-%012x", d.random.Uint32(), d.random.Uint32())
	case "date-time":
		return fmt.Sprintf("2019-0%d-01T10:00:00Z", 1+d.random.IntN(9))
	}
	high := int(numberOf(schema["maxLength"], float64(max(low, 12))))
	length := low + d.random.IntN(max(min(high, low+8)-low, 0)+1)
	var text strings.Builder
	for range length {
		text.WriteByte(letters[d.random.IntN(len(letters))])
	}
	return text.String()
}

// matching draws a text that matches a pattern. It returns false for patterns that Go's syntax
// does not have.
func (d *drawer) matching(pattern string, low, high int) (string, bool) {
	if _, err := syntax.Parse(pattern, syntax.Perl); err != nil {
		return "", false
	}
	texts := rapid.StringMatching(pattern)
	for range 20 {
		text := texts.Example(d.random.IntN(1 << 20))
		if length := len([]rune(text)); length >= low && length <= high && isPlain(text) {
			return text, true
		}
	}
	return "", false
}

func isPlain(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}
