package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	"github.com/stratakube/strata/runtime"
)

// SecretPaths are the paths of secrets in specs and statuses of an API version.
type SecretPaths [][]string

// Steps of paths that are not names.
const (
	anyElement = "[]"
	anyMember  = "*"
)

// SecretPathsOf returns the paths of a resource of an API version, with the names that users see;
// nil if it declares none.
func SecretPathsOf(resource any) SecretPaths {
	secretive, is := resource.(runtime.Secretive)
	if !is {
		return nil
	}
	var all SecretPaths
	for _, path := range secretive.SecretPaths() {
		all = append(all, stepsOf(path))
	}
	return all
}

// stepsOf splits a path as generated code writes it. It returns nil if the path is invalid.
func stepsOf(path string) []string {
	var steps []string
	for path != "" {
		switch {
		case strings.HasPrefix(path, anyElement):
			steps, path = append(steps, anyElement), path[len(anyElement):]
		case strings.HasPrefix(path, `["`):
			quoted, err := strconv.QuotedPrefix(path[1:])
			if err != nil {
				return nil
			}
			name, _ := strconv.Unquote(quoted) // cannot fail: QuotedPrefix accepted it
			steps, path = append(steps, name), strings.TrimPrefix(path[1+len(quoted):], "]")
		default:
			path = strings.TrimPrefix(path, ".")
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			steps, path = append(steps, path[:end]), path[end:]
		}
	}
	return steps
}

// External returns the paths with the names that the external API uses.
func (s SecretPaths) External(names Names) SecretPaths {
	var all SecretPaths
	for _, steps := range s {
		steps = slices.Clone(steps)
		if external, has := names[steps[0]]; has {
			steps[0] = external
		}
		all = append(all, steps)
	}
	return all
}

// Concealed is a body without its secrets, and these secrets. Secrets in lists, and secrets that
// are not strings, remain in the body. Texts has the strings of those, which no message may
// contain.
type Concealed struct {
	Body    []byte
	Secrets []*v1.Secret
	Texts   [][]byte
}

// Conceal removes the secrets from a body. It returns a body without secrets unchanged, byte for
// byte.
func (s SecretPaths) Conceal(data []byte) (Concealed, error) {
	out := Concealed{Body: data}
	if len(s) == 0 || len(data) == 0 {
		return out, nil
	}
	root, err := decodeAny(data)
	if err != nil {
		return out, fmt.Errorf("read the body: %w", err)
	}
	for _, steps := range s {
		visit(root, steps, "", func(holder map[string]any, name, path string) {
			text, isText := holder[name].(string)
			if !isText || strings.Contains(path, "()") {
				out.Texts = textsOf(holder[name], out.Texts)
				return
			}
			delete(holder, name)
			out.Secrets = append(out.Secrets, &v1.Secret{Path: path, Value: []byte(text)})
		})
	}
	slices.SortFunc(out.Secrets, func(a, b *v1.Secret) int { return strings.Compare(a.GetPath(), b.GetPath()) })
	if len(out.Secrets) > 0 {
		out.Body, err = marshal(root)
	}
	return out, err
}

// Strip removes the secrets from a status, or from a stored status.
func (s SecretPaths) Strip(status map[string]any) {
	for _, steps := range s {
		visit(status, steps, "", func(holder map[string]any, name, _ string) { delete(holder, name) })
	}
}

// strip removes the secrets from the members of a status.
func (s SecretPaths) strip(status map[string]json.RawMessage) error {
	for _, steps := range s {
		for name, data := range status {
			if !strings.EqualFold(name, steps[0]) && steps[0] != anyMember {
				continue
			}
			value, err := decodeAny(data)
			if err != nil {
				return err
			}
			member := map[string]any{name: value}
			SecretPaths{steps}.Strip(member)
			if _, left := member[name]; !left {
				delete(status, name)
			} else if status[name], err = marshal(member[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// visit calls found for each member at a path, with the object that contains it and its path. It
// ignores letter case, since services may do so.
func visit(value any, steps []string, path string, found func(holder map[string]any, name, path string)) {
	switch value := value.(type) {
	case []any:
		if len(steps) > 1 && steps[0] == anyElement {
			for i, element := range value {
				visit(element, steps[1:], path+"["+strconv.Itoa(i)+"]", found)
			}
		}
	case map[string]any:
		for name, member := range value {
			at := below(path, name)
			switch {
			case len(steps) == 0 || steps[0] != anyMember && !strings.EqualFold(steps[0], name) || member == nil:
			case len(steps) == 1:
				found(value, name, at)
			default:
				visit(member, steps[1:], at, found)
			}
		}
	}
}

func below(path, name string) string {
	switch {
	case name == "" || strings.ContainsAny(name, `.[]"() `):
		return path + "[" + strconv.Quote(name) + "]"
	case path == "":
		return name
	}
	return path + "." + name
}

// textsOf appends all strings in a value to texts.
func textsOf(value any, texts [][]byte) [][]byte {
	switch value := value.(type) {
	case string:
		texts = append(texts, []byte(value))
	case []any:
		for _, element := range value {
			texts = textsOf(element, texts)
		}
	case map[string]any:
		for _, member := range value {
			texts = textsOf(member, texts)
		}
	}
	return texts
}

func decodeAny(data []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}
