package armschema

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
)

// node is a requirement for one value: it must fit one of the alternatives. No value fits a node
// without alternatives.
type node struct {
	number       int
	alternatives []*alternative
}

// alternative is one object, list or scalar, or several of these at once.
type alternative struct {
	types      []string // allowed; nil for all
	properties map[string]*node
	required   []string
	patterns   map[string]*node
	additional *node // of other members
	open       bool  // whether there may be other members at all
	items      *node
	tuple      []*node
	assertions []map[string]any // each is the keywords of a fragment about a value by itself
	not        []*node          // that a value must not fit
}

// alternative merges fragments; the result is nil if no value can fit all.
func (b *builder) alternative(fragments []fragment, as role) *alternative {
	a := &alternative{}
	if !a.intersect(fragments) {
		return nil
	}
	b.members(a, fragments, as)
	b.others(a, fragments, as)
	b.elements(a, fragments, as.below())
	for _, f := range fragments {
		if f.member("not").exists() {
			a.not = append(a.not, b.node([]location{f.member("not")}, negated))
		}
		if own := b.assertions(f.object()); len(own) > 0 && !slices.ContainsFunc(a.assertions, func(m map[string]any) bool { return reflect.DeepEqual(m, own) }) {
			a.assertions = append(a.assertions, own)
		}
	}
	b.requires(a, fragments, as)
	return a
}

// below returns the role of members and elements of an object or a list in role r.
func (r role) below() role {
	if r == negated {
		return negated
	}
	return inside
}

// intersect sets the types that all fragments allow.
func (a *alternative) intersect(fragments []fragment) bool {
	for _, f := range fragments {
		types := f.types()
		if types == nil {
			continue
		}
		if a.types == nil {
			a.types = types
			continue
		}
		var both []string
		for _, t := range a.types {
			switch {
			case slices.Contains(types, t):
				both = append(both, t)
			case t == "integer" && slices.Contains(types, "number"), t == "number" && slices.Contains(types, "integer"):
				both = append(both, "integer")
			}
		}
		if len(both) == 0 {
			return false
		}
		a.types = both
	}
	return true
}

func (f fragment) types() []string {
	if f.scalar != "" {
		return []string{f.scalar}
	}
	switch t := f.object()["type"].(type) {
	case string:
		return []string{t}
	case []any:
		types := []string{}
		for _, v := range t {
			if s, ok := v.(string); ok {
				types = append(types, s)
			}
		}
		return types
	}
	return nil
}

// leavesOut reports whether a member at the root of a resource speaks to the template language.
func (f fragment) leavesOut(name string) bool {
	switch name {
	case "name", "type", "apiVersion", "resources":
		return true
	case "condition", "dependsOn", "copy", "comments", "scope":
		return f.doc.common
	}
	return false
}

func (b *builder) members(a *alternative, fragments []fragment, as role) {
	properties, patterns := map[string][]location{}, map[string][]location{}
	for _, f := range fragments {
		if f.scalar != "" {
			continue
		}
		for name := range f.member("properties").object() {
			if as != atRoot || !f.leavesOut(name) {
				properties[name] = append(properties[name], f.member("properties").member(name))
			}
		}
		for pattern := range f.member("patternProperties").object() {
			if b.isPattern(pattern) {
				patterns[pattern] = append(patterns[pattern], f.member("patternProperties").member(pattern))
			}
		}
	}
	a.properties, a.patterns = b.nodesOf(properties, as.below()), b.nodesOf(patterns, as.below())
}

func (b *builder) nodesOf(locations map[string][]location, as role) map[string]*node {
	if len(locations) == 0 {
		return nil
	}
	nodes := make(map[string]*node, len(locations))
	for _, name := range slices.Sorted(maps.Keys(locations)) {
		nodes[name] = b.node(locations[name], as)
	}
	return nodes
}

// others determines the requirement for members without a name in the schema. A member is allowed
// if one fragment allows it: a base with additionalProperties: false does not know the members of
// its branches.
func (b *builder) others(a *alternative, fragments []fragment, as role) {
	var allowed []location
	closed := as == atRoot || as != negated && (len(a.properties) > 0 || len(a.patterns) > 0)
	for _, f := range fragments {
		switch v := f.object()["additionalProperties"].(type) {
		case bool:
			a.open = a.open || v
			closed = closed || !v
		case map[string]any:
			allowed = append(allowed, f.member("additionalProperties"))
		}
	}
	switch {
	case a.open:
	case len(allowed) > 0:
		a.open, a.additional = true, b.node(allowed, as.below())
	default:
		a.open = !closed
	}
}

func (b *builder) elements(a *alternative, fragments []fragment, as role) {
	var items []location
	for _, f := range fragments {
		switch v := f.object()["items"].(type) {
		case map[string]any, bool:
			items = append(items, f.member("items"))
		case []any:
			if a.tuple != nil {
				b.drop(f.location, "a second list of items")
				continue
			}
			for i := range v {
				a.tuple = append(a.tuple, b.node(f.member("items").elements()[i:i+1], as))
			}
			switch f.object()["additionalItems"].(type) {
			case map[string]any, bool:
				items = append(items, f.member("additionalItems"))
			}
		}
	}
	if len(items) > 0 {
		a.items = b.node(items, as)
	}
}

// requires sets the required members that a body can have. One that is named nowhere else may be
// anything.
func (b *builder) requires(a *alternative, fragments []fragment, as role) {
	for _, f := range fragments {
		for _, v := range listOf(f.object()["required"]) {
			name, ok := v.(string)
			switch {
			case !ok, as == atRoot && f.leavesOut(name), slices.Contains(a.required, name):
			case a.properties[name] != nil || len(a.patterns) > 0 || a.open:
				a.required = append(a.required, name)
			case slices.ContainsFunc(fragments, fragment.isClosed):
				b.drop(f.location, "the required member "+name+", which it does not allow")
			default:
				a.require(b, name, f)
			}
		}
	}
	slices.Sort(a.required)
}

// isClosed reports whether a schema itself forbids other members.
func (f fragment) isClosed() bool { return f.object()["additionalProperties"] == false }

func (a *alternative) require(b *builder, name string, f fragment) {
	if a.properties == nil {
		a.properties = map[string]*node{}
	}
	anything := f.member("required")
	anything.pointer, anything.value = anything.pointer+"/"+escape(name), true
	a.properties[name] = b.node([]location{anything}, inside)
	a.required = append(a.required, name)
}

var plainAssertions = [...]string{
	"enum", "const", "minLength", "maxLength", "multipleOf", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
}

// assertions are the keywords that judge a value by itself, in the form of draft 7.
func (b *builder) assertions(own map[string]any) map[string]any {
	result := map[string]any{}
	for _, keyword := range plainAssertions {
		if v, ok := own[keyword]; ok && v != nil {
			result[keyword] = v
		}
	}
	if conditions, ok := own["oneOf"].([]any); ok && areConditions(conditions) {
		result["oneOf"] = conditions
	}
	if pattern, ok := own["pattern"].(string); ok && b.isPattern(pattern) {
		result["pattern"] = pattern
	}
	bound(result, own, "minimum", "exclusiveMinimum")
	bound(result, own, "maximum", "exclusiveMaximum")
	return result
}

// conditions are the keywords that describe no member, but ask which members there are.
var conditions = [...]string{"required", "minProperties", "maxProperties", "description", "title"}

// areConditions reports whether the branches of a oneOf are conditions only. Exactly one of them
// must hold, while a value may fit several branches that describe types.
func areConditions(branches []any) bool {
	return len(branches) > 0 && !slices.ContainsFunc(branches, func(branch any) bool {
		object, ok := branch.(map[string]any)
		if !ok || len(object) == 0 {
			return true
		}
		for keyword, value := range object {
			inner, isObject := value.(map[string]any)
			if keyword == "not" && isObject && areConditions([]any{inner}) {
				continue
			}
			if !slices.Contains(conditions[:], keyword) {
				return true
			}
		}
		return false
	})
}

func (p location) areConditions() bool {
	list, _ := p.value.([]any)
	return areConditions(list)
}

// bound copies a bound of own to result. In draft 4 a boolean makes it exclusive; later drafts
// have a separate bound for that.
func bound(result, own map[string]any, inclusive, exclusive string) {
	limit, hasLimit := own[inclusive].(json.Number)
	switch v := own[exclusive].(type) {
	case bool:
		if v && hasLimit {
			result[exclusive] = limit
			return
		}
	case json.Number:
		result[exclusive] = v
	}
	if hasLimit {
		result[inclusive] = limit
	}
}

func (b *builder) drop(at location, what string) {
	b.dropped = append(b.dropped, at.String()+": not judged: "+what)
}

func (b *builder) isPattern(pattern string) bool {
	if _, err := compilePattern(pattern); err != nil {
		b.dropped = append(b.dropped, "not judged: the pattern "+pattern+": "+err.Error())
		return false
	}
	return true
}
