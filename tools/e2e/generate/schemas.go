package generate

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Schemas is a folder of ARM schemas.
type Schemas struct {
	root  string
	mutex sync.Mutex
	files map[string]map[string]any // by their paths below the root
}

// Open returns the schemas below a folder. Files are read when they are needed.
func Open(root string) *Schemas { return &Schemas{root: root, files: map[string]map[string]any{}} }

// scopes are the members of a file that hold resources.
var scopes = []string{
	"resourceDefinitions", "subscription_resourceDefinitions", "tenant_resourceDefinitions",
	"managementGroup_resourceDefinitions", "extension_resourceDefinitions", "unknown_resourceDefinitions",
}

// node is a schema, with the file that its references start from.
type node struct {
	file   string
	schema map[string]any
}

// resource finds a resource in a file. The letter case of its type does not matter.
func (s *Schemas) resource(file, resourceType, version string) (node, error) {
	document, err := s.read(file)
	if err != nil {
		return node{}, err
	}
	for _, scope := range scopes {
		definitions := objectOf(document[scope])
		for _, name := range sorted(definitions) {
			n := node{file, objectOf(definitions[name])}
			properties := objectOf(n.schema["properties"])
			if s.matches(n.at(properties["type"]), resourceType) && s.matches(n.at(properties["apiVersion"]), version) {
				return n, nil
			}
		}
	}
	return node{}, fmt.Errorf("%s has no %s in version %s", file, resourceType, version)
}

// matches reports whether a schema allows one word and no other.
func (s *Schemas) matches(n node, word string) bool {
	n, err := s.resolve(n)
	if err != nil {
		return false
	}
	only := enumOf(n.schema)
	if len(only) != 1 {
		return false
	}
	text, _ := only[0].(string)
	return strings.EqualFold(text, word)
}

func (n node) at(schema any) node { return node{n.file, objectOf(schema)} }

// resolve follows references.
func (s *Schemas) resolve(n node) (node, error) {
	for range 32 {
		ref, ok := n.schema["$ref"].(string)
		if !ok {
			return n, nil
		}
		target, fragment, _ := strings.Cut(ref, "#")
		file := n.file
		if target != "" {
			file = fileOf(target, n.file)
		}
		document, err := s.read(file)
		if err != nil {
			return node{}, err
		}
		var value any = document
		for _, step := range strings.Split(strings.Trim(fragment, "/"), "/") {
			step = strings.NewReplacer("~1", "/", "~0", "~", "%20", " ").Replace(step)
			value = objectOf(value)[step]
		}
		n = node{file, objectOf(value)}
		if n.schema == nil {
			return node{}, fmt.Errorf("%s: nothing is at %s", file, ref)
		}
	}
	return node{}, fmt.Errorf("%s: references go round in a circle", n.file)
}

// fileOf is the file below the root that a reference names, by an address or relative to another
// file.
func fileOf(target, from string) string {
	if _, path, ok := strings.Cut(target, "/schemas/"); ok && strings.Contains(target, "://") {
		return filepath.FromSlash(path)
	}
	return filepath.Join(filepath.Dir(from), filepath.FromSlash(target))
}

func (s *Schemas) read(file string) (map[string]any, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if document, ok := s.files[file]; ok {
		return document, nil
	}
	text, err := os.ReadFile(filepath.Join(s.root, file))
	if err != nil {
		return nil, err
	}
	var document map[string]any
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	s.files[file] = document
	return document, nil
}

// isExpression reports whether a schema is that of template expressions, which no user writes into
// a body.
func (n node) isExpression() bool {
	ref, _ := n.schema["$ref"].(string)
	return strings.HasSuffix(ref, "/expression")
}

func objectOf(value any) map[string]any {
	object, _ := value.(map[string]any)
	return object
}

func listOf(value any) []any {
	list, _ := value.([]any)
	return list
}

func enumOf(schema map[string]any) []any {
	if only, ok := schema["const"]; ok {
		return []any{only}
	}
	return listOf(schema["enum"])
}

func sorted(object map[string]any) []string {
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
