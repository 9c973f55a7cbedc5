package rewrite

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// node is a schema, as CRDs have it.
type node struct {
	Properties map[string]*node `json:"properties"`
	Items      *node            `json:"items"`
	Additional *additional      `json:"additionalProperties"`
	Preserves  bool             `json:"x-kubernetes-preserve-unknown-fields"`
	Embedded   bool             `json:"x-kubernetes-embedded-resource"`
	ListType   string           `json:"x-kubernetes-list-type"`
	MapType    string           `json:"x-kubernetes-map-type"`
	Keys       []string         `json:"x-kubernetes-list-map-keys"`
}

// additional is a schema of further members, or true or false. It is read once, because paths of
// thousands of members lead through it.
type additional struct {
	*node
	allowed bool
}

// UnmarshalJSON reads a schema or a truth value.
func (a *additional) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, &a.allowed); err == nil {
		return nil
	}
	a.node, a.allowed = &node{}, true
	return json.Unmarshal(text, a.node)
}

// fit returns the path that owns the same value under a schema: a shorter one, where the schema has
// an atomic list or map. It reports false if the schema lacks the value.
func (n *node) fit(path fieldpath.Path) (fieldpath.Path, bool) {
	for i, e := range path {
		if i == 0 && e.FieldName != nil && (*e.FieldName == "metadata" || *e.FieldName == "apiVersion" || *e.FieldName == "kind") {
			return path, true
		}
		if n.isAtomic() {
			return path[:i], true
		}
		next, ok := n.member(e)
		switch {
		case !ok:
			return nil, false
		case next == nil: // the schema states nothing about what is within
			return path, true
		}
		n = next
	}
	return path, true
}

func (n *node) isAtomic() bool {
	return n.MapType == "atomic" || n.Items != nil && n.ListType != "set" && n.ListType != "map"
}

// member returns the schema of a path element; nil if any value is allowed there.
func (n *node) member(e fieldpath.PathElement) (*node, bool) {
	switch {
	case e.FieldName == nil:
		return n.Items, n.Items != nil && n.identifies(e)
	case n.Properties[*e.FieldName] != nil:
		return n.Properties[*e.FieldName], true
	case n.Additional != nil && n.Additional.allowed:
		return n.Additional.node, true
	}
	return nil, n.Preserves || n.Embedded
}

// identifies reports whether the elements of a list are identified as a path element states.
func (n *node) identifies(e fieldpath.PathElement) bool {
	switch {
	case e.Value != nil:
		return n.ListType == "set"
	case e.Key == nil || n.ListType != "map" || len(*e.Key) != len(n.Keys):
		return false
	}
	for _, key := range n.Keys {
		found := false
		for _, f := range *e.Key {
			found = found || f.Name == key
		}
		if !found {
			return false
		}
	}
	return true
}

// Pruned returns a function that finds a member of an object which the schema of a version lacks.
// An API server removes it if it converts the object to that version without a webhook. The
// function returns an empty path if there is none. It is safe for concurrent use.
func Pruned(schema json.RawMessage) (func(object map[string]any) string, error) {
	root, err := readRoot(schema)
	return func(object map[string]any) (first string) {
		root.unknown(object, "", func(_ map[string]any, _, path string) {
			if first == "" {
				first = path
			}
		})
		return first
	}, err
}

// Prune returns a function that removes from an object what an API server removes: all members that
// the schema of a version lacks. It is safe for concurrent use with different objects.
func Prune(schema json.RawMessage) (func(object map[string]any), error) {
	root, err := readRoot(schema)
	return func(object map[string]any) {
		root.unknown(object, "", func(of map[string]any, name, _ string) { delete(of, name) })
	}, err
}

// readRoot reads the schema of an object.
func readRoot(schema json.RawMessage) (*node, error) {
	root := &node{}
	if err := json.Unmarshal(schema, root); err != nil {
		return nil, fmt.Errorf("read the schema of the version: %w", err)
	}
	root.Embedded = true // metadata and the like stay
	return root, nil
}

// unknown calls visit for each member of a value that the schema lacks. The schema is nil where a
// CRD states none: the API server removes all members of objects there.
func (n *node) unknown(value any, path string, visit func(of map[string]any, name, path string)) {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			at := path + "." + name
			if next, lacks := n.within(name); lacks {
				visit(value, name, at)
			} else {
				next.unknown(value[name], at, visit)
			}
		}
	case []any:
		items := n.items()
		for i, element := range value {
			items.unknown(element, fmt.Sprintf("%s[%d]", path, i), visit)
		}
	}
}

// items returns the schema of elements. A list that preserves unknown members has elements that do.
func (n *node) items() *node {
	switch {
	case n == nil:
		return nil
	case !n.Preserves:
		return n.Items
	case n.Items == nil:
		return &node{Preserves: true}
	}
	items := *n.Items
	items.Preserves = true
	return &items
}

// anything is the schema of a member that is preserved as it is, as far as the API server prunes.
var anything = &node{Preserves: true}

// within returns the schema of a member, which may be nil, and whether the API server removes the
// member.
func (n *node) within(name string) (next *node, lacks bool) {
	switch {
	case n == nil:
		return nil, true
	case n.Embedded && (name == "apiVersion" || name == "kind" || name == "metadata"):
		return anything, false
	case n.Properties[name] != nil:
		return n.Properties[name], false
	case n.Additional != nil && n.Additional.allowed:
		return n.Additional.node, false
	}
	return anything, !n.Preserves
}
