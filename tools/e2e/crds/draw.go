package crds

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"encoding/json"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"pgregory.net/rapid"
)

// Drawer draws values of schemas. The same seed gives the same values. A value may break rules,
// unions and uniqueness, which a schema states of values as a whole.
type Drawer struct {
	random   *rand.Rand
	richness float64 // the share of optional members that are there
	made     int     // distinguishes texts
}

// NewDrawer returns a drawer of values with a share of their optional members, from 0 to 1.
func NewDrawer(seed uint64, richness float64) *Drawer {
	return &Drawer{random: rand.New(rand.NewPCG(seed, 2)), richness: richness}
}

// deepest is the depth below which there are no optional members and elements.
const deepest = 12

// Object draws an object of a version, with spec and status.
func (d *Drawer) Object(root v1.JSONSchemaProps) map[string]any {
	object := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(root.Properties)) {
		if !slices.Contains([]string{"apiVersion", "kind", "metadata"}, name) {
			object[name] = d.Value(root.Properties[name])
		}
	}
	return object
}

// Value draws a value of a schema.
func (d *Drawer) Value(s v1.JSONSchemaProps) any { return d.value(s, 0) }

func (d *Drawer) value(s v1.JSONSchemaProps, depth int) any {
	if len(s.Enum) > 0 {
		var value any
		if json.Unmarshal(s.Enum[d.random.IntN(len(s.Enum))].Raw, &value) == nil && value != nil {
			if number, ok := value.(float64); ok && number == math.Trunc(number) {
				return int64(number)
			}
			return value
		}
	}
	switch {
	case s.XIntOrString && d.random.IntN(2) == 0:
		return d.integer(s)
	case s.XIntOrString:
		return d.text(s)
	}
	switch s.Type {
	case "object":
		return d.object(s, depth)
	case "array":
		return d.list(s, depth)
	case "integer":
		return d.integer(s)
	case "number":
		return float64(d.integer(s)) + 0.5
	case "boolean":
		return d.random.IntN(2) == 0
	case "string":
		return d.text(s)
	}
	return map[string]any{"free": "json"}
}

func (d *Drawer) object(s v1.JSONSchemaProps, depth int) map[string]any {
	object := map[string]any{}
	if s.XEmbeddedResource {
		object["apiVersion"], object["kind"], object["metadata"] = "v1", "Any", map[string]any{"name": "any"}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if _, has := object[name]; !has && (slices.Contains(s.Required, name) || d.wants(depth)) {
			object[name] = d.value(s.Properties[name], depth+1)
		}
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		least := int(valueOr(s.MinProperties, 0))
		for len(object) < least || len(object) < 2 && d.wants(depth) {
			object["key-"+strconv.Itoa(d.next())] = d.value(*s.AdditionalProperties.Schema, depth+1)
		}
	}
	if preserves(s) && len(s.Properties) == 0 && d.wants(depth) {
		object["free"] = "json"
	}
	return object
}

// wants reports whether an optional member is there.
func (d *Drawer) wants(depth int) bool { return depth < deepest && d.random.Float64() < d.richness }

func (d *Drawer) list(s v1.JSONSchemaProps, depth int) []any {
	least := int(valueOr(s.MinItems, 0))
	most := int(valueOr(s.MaxItems, int64(least)+2))
	list := []any{}
	for s.Items != nil && s.Items.Schema != nil && (len(list) < least || len(list) < min(most, least+2) && d.wants(depth)) {
		list = append(list, d.value(*s.Items.Schema, depth+1))
	}
	return list
}

func (d *Drawer) integer(s v1.JSONSchemaProps) int64 {
	low, high := valueOr(s.Minimum, 1), valueOr(s.Maximum, math.MaxInt16)
	if s.Minimum == nil {
		low = min(low, high)
	}
	if s.ExclusiveMinimum {
		low++
	}
	number := int64(math.Ceil(low)) + d.random.Int64N(max(1, int64(min(high-low, 50))))
	if of := int64(valueOr(s.MultipleOf, 1)); of > 1 {
		number = (number + of - 1) / of * of
	}
	return number
}

// formats have a text each, with a number in it.
var formats = map[string]string{
	"date-time": "2019-01-02T03:04:%02dZ", "date": "2019-01-%02d", "duration": "%dm", "uri": "https://example.com/%d",
	"email": "a%d@example.com", "ipv4": "10.0.0.%d", "ipv6": "::%d", "hostname": "h%d", "uuid": "00000000-0000-4000-8000-0000000000%02d",
	"cidr": "10.%d.0.0/16", "byte": "YWJj", "password": "p%d",
}

func (d *Drawer) text(s v1.JSONSchemaProps) string {
	low, high := int(valueOr(s.MinLength, 0)), int(valueOr(s.MaxLength, math.MaxInt16))
	if s.Pattern != "" {
		if text, ok := d.matching(s.Pattern, low, high); ok {
			return text
		}
	}
	if format, has := formats[s.Format]; has {
		if strings.Contains(format, "%") {
			format = fmt.Sprintf(format, 1+d.next()%27)
		}
		return format
	}
	text := "t" + strconv.Itoa(d.next())
	if len(text) < low {
		text += strings.Repeat("x", low-len(text))
	}
	return text[max(0, len(text)-high):]
}

func (d *Drawer) next() int {
	d.made++
	return d.made
}

// matching draws a text of a pattern in Go's dialect.
func (d *Drawer) matching(pattern string, low, high int) (text string, ok bool) {
	defer func() {
		if recover() != nil { // rapid panics on patterns of other dialects
			ok = false
		}
	}()
	texts := rapid.StringMatching(pattern)
	for range 50 {
		text = texts.Example(d.random.IntN(1 << 20))
		if n := len([]rune(text)); n >= low && n <= high && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
			return text, true
		}
	}
	return "", false
}

func valueOr[T any](value *T, otherwise T) T {
	if value == nil {
		return otherwise
	}
	return *value
}
