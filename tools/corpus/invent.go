package corpus

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// inventedVersions are the versions of an invented history.
const inventedVersions = 8

// Invent makes an invented history from one schema file: versions whose properties are added,
// removed, retyped, and wrapped in lists, maps and objects. salt determines the changes. It
// writes the schemas below dir, and removes earlier files there.
func Invent(dir, file, salt string) error {
	body, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("invent history: %w", err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("invent history: %w", err)
	}
	for i := range inventedVersions {
		if err := (inventor{salt, i}).write(dir, file, body); err != nil {
			return fmt.Errorf("invent version %d: %w", i, err)
		}
	}
	return nil
}

// inventor makes one version.
type inventor struct {
	salt    string
	version int
}

func (v inventor) name() string {
	name := fmt.Sprintf("%d-01-01", 2010+v.version)
	if v.chance(fmt.Sprint(v.version))%3 == 0 {
		name += "-preview"
	}
	return name
}

// chance is a number that follows from the salt and a few words.
func (v inventor) chance(words ...string) uint32 {
	sum := fnv.New32a()
	fmt.Fprint(sum, v.salt, words)
	return sum.Sum32() >> 4
}

func (v inventor) write(dir, file string, body []byte) error {
	was := filepath.Base(filepath.Dir(file))
	var schema map[string]any
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(body), was, v.name())), &schema); err != nil {
		return err
	}
	definitions, _ := schema["definitions"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(definitions)) {
		if object, ok := definitions[name].(map[string]any); ok {
			v.change(name, object)
		}
	}
	out, err := json.MarshalIndent(schema, "", " ")
	if err != nil {
		return err
	}
	folder := filepath.Join(dir, v.name())
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, filepath.Base(file)), out, 0o644)
}

// kept are properties that every version has as they are.
var kept = []string{"type", "name", "apiVersion", "location", "tags"}

func (v inventor) change(definition string, object map[string]any) {
	properties, ok := object["properties"].(map[string]any)
	if !ok {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if slices.Contains(kept, name) {
			continue
		}
		now, there := v.become(definition, name, properties[name])
		if properties[name] = now; !there {
			delete(properties, name)
			forgo(object, name)
		}
	}
}

// become returns the schema of a property in the version, and whether the version has it. Half of
// the properties change in every second version only.
func (v inventor) become(definition, name string, now any) (schema any, there bool) {
	type object = map[string]any
	at := v.version
	if v.chance(definition, name)%2 == 1 {
		at /= 2
	}
	switch n := v.chance(definition, name, fmt.Sprint(at)) % 29; {
	case n < 5:
		return nil, false
	case n == 5:
		return object{"type": "array", "items": now}, true
	case n == 6:
		return object{"type": "object", "additionalProperties": now}, true
	case n == 7:
		return object{"type": "integer"}, true
	case n == 8:
		return object{}, true
	case n == 9:
		return object{"type": "object", "properties": object{"alpha": object{"type": "string"}, name: now}}, true
	}
	return now, true
}

// forgo takes a name from those that an object requires.
func forgo(object map[string]any, name string) {
	required, ok := object["required"].([]any)
	if !ok {
		return
	}
	required = slices.DeleteFunc(required, func(r any) bool { return r == name })
	if object["required"] = required; len(required) == 0 {
		delete(object, "required")
	}
}
