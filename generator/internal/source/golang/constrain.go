package golang

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crd "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plaintext"
)

// schema returns the keywords that markers set; nil for none.
func (s *shaper) schema(t model.Type, given markerUses) *apiextensions.JSONSchemaProps {
	out := &apiextensions.JSONSchemaProps{Type: wordOf(t)}
	any := false
	for _, m := range sorted(given) {
		marker, ok := m.value.(constraint)
		if !ok || strings.Contains(m.name, ":items:") || isDecided(m.value) {
			continue
		}
		if err := marker.ApplyToSchema(&crd.SchemaContext{}, out); err != nil {
			s.errorf(m.pos, "", "+%s: %s", m.name, err)
			continue
		}
		any = true
	}
	if !any {
		return nil
	}
	return out
}

// constraint is a marker that sets keywords of a schema.
type constraint interface {
	ApplyToSchema(*crd.SchemaContext, *apiextensions.JSONSchemaProps) error
}

// isDecided reports whether another place handles a marker: it determines the type, or whether the
// field is required.
func isDecided(marker any) bool {
	switch marker.(type) {
	case crd.Type, crd.K8sEnum, crd.K8sEnumField, crd.K8sRequired, crd.Schemaless, crd.XIntOrString:
		return true
	}
	return false
}

// sorted puts markers into the order in which they apply.
func sorted(given markerUses) markerUses {
	priority := func(m markerUse) int {
		switch p := m.value.(type) {
		case crd.ApplyPriorityMarker:
			return int(p.ApplyPriority())
		case interface{ ApplyFirst() }:
			return int(crd.ApplyPriorityFirst)
		}
		return int(crd.ApplyPriorityDefault)
	}
	out := slices.Clone(given)
	slices.SortStableFunc(out, func(a, b markerUse) int { return priority(a) - priority(b) })
	return out
}

// ofItems returns the markers of a list that apply to its elements.
func ofItems(given markerUses) markerUses {
	var out markerUses
	for _, m := range given {
		if before, after, ok := strings.Cut(m.name, ":items:"); ok {
			m.name = before + ":" + after
			out = append(out, m)
		}
	}
	return out
}

func wordOf(t model.Type) string {
	kinds := [...]string{"string", "integer", "number", "boolean"}
	switch t := t.(type) {
	case *model.Scalar:
		return kinds[t.Kind]
	case *model.Enum:
		return kinds[t.Base]
	case *model.List:
		return "array"
	case *model.Map, *model.Object, *model.Ref:
		return "object"
	}
	return ""
}

// apply applies markers to a type, which must not be shared.
func (s *shaper) apply(t model.Type, given markerUses) model.Type {
	keywords := s.schema(t, given)
	if keywords == nil {
		return t
	}
	if o, ok := t.(*model.Object); ok && keywords.XPreserveUnknownFields != nil && *keywords.XPreserveUnknownFields {
		o.Additional, keywords.XPreserveUnknownFields = &model.Any{}, nil
	}
	if sc, ok := t.(*model.Scalar); ok && len(keywords.Enum) > 0 {
		enum := &model.Enum{Base: sc.Kind, Values: values(keywords.Enum)}
		if size := sc.Facts.Get(model.IntegerType); size != "" {
			enum.Facts = model.Facts{{Name: model.IntegerType, Value: size}}
		}
		t = enum // its limits are facts
	}
	keywords.Enum, keywords.Type = nil, ""
	limits := takeLimits(t, keywords)
	switch t := t.(type) {
	case *model.Scalar:
		t.Limits = limits
	case *model.List:
		t.Limits = limits
	}
	model.AddFacts(t, factsOf(keywords)...)
	return t
}

func values(all []apiextensions.JSON) []string {
	var out []string
	for _, v := range all {
		out = append(out, plaintext.JSON(string(v.Raw)))
	}
	return out
}

// takeLimits moves the limits out of keywords, if a type can have them; nil for none.
func takeLimits(t model.Type, k *apiextensions.JSONSchemaProps) *model.Limits {
	var out model.Limits
	switch t := t.(type) {
	case *model.Scalar:
		if t.Limits != nil {
			out = *t.Limits
		}
	case *model.List:
	default:
		return nil
	}
	if k.Format != "" {
		out.Format = k.Format
	}
	out.Pattern = k.Pattern
	out.MinLength, out.MaxLength = whole(k.MinLength), whole(k.MaxLength)
	if k.Minimum != nil && !isBelow(k.Minimum, bound(out.Minimum)) {
		out.Minimum, out.ExclusiveMin = number(k.Minimum), k.ExclusiveMinimum
	}
	if k.Maximum != nil && !isBelow(bound(out.Maximum), k.Maximum) {
		out.Maximum, out.ExclusiveMax = number(k.Maximum), k.ExclusiveMaximum
	}
	out.MultipleOf = number(k.MultipleOf)
	out.MinItems, out.MaxItems, out.Unique = whole(k.MinItems), whole(k.MaxItems), k.UniqueItems
	k.Format, k.Pattern, k.ExclusiveMinimum, k.ExclusiveMaximum, k.UniqueItems = "", "", false, false, false
	k.MinLength, k.MaxLength, k.MinItems, k.MaxItems = nil, nil, nil, nil
	k.Minimum, k.Maximum, k.MultipleOf = nil, nil, nil
	if out == (model.Limits{}) {
		return nil
	}
	return &out
}

// isBelow reports whether a bound is lower than another one; nil for none.
func isBelow(a, b *float64) bool { return a != nil && b != nil && *a < *b }

func whole(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

func number(n *float64) string {
	if n == nil {
		return ""
	}
	return jsonText(*n)
}

// factsOf returns the keywords that the model cannot represent, in their usual order.
func factsOf(k *apiextensions.JSONSchemaProps) model.Facts {
	var out model.Facts
	read := json.NewDecoder(strings.NewReader(jsonText(k)))
	if _, err := read.Token(); err != nil {
		return nil
	}
	for read.More() {
		name, err := read.Token()
		if err != nil {
			return out
		}
		var value json.RawMessage
		if read.Decode(&value) != nil {
			return out
		}
		if text, ok := name.(string); ok {
			out = append(out, model.Fact{Name: text, Value: string(value)})
		}
	}
	return out
}

// jsonText returns a value as JSON, without escaped HTML characters.
func jsonText(v any) string {
	var out strings.Builder
	write := json.NewEncoder(&out)
	write.SetEscapeHTML(false)
	if err := write.Encode(v); err != nil {
		return "null"
	}
	return plaintext.JSON(strings.TrimSpace(out.String()))
}
