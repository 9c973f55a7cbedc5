package corpus

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Difference is one place where two definitions differ. Was or Is is empty where there is nothing.
type Difference struct {
	Definition string
	Path       string // as in spec.versions.v1.storage; versions are identified by name
	Was, Is    string // JSON
}

func (d Difference) String() string {
	short := func(s string) string { return s[:min(len(s), 120)] }
	switch {
	case d.Was == "":
		return fmt.Sprintf("%s %s: new: %s", d.Definition, d.Path, short(d.Is))
	case d.Is == "":
		return fmt.Sprintf("%s %s: gone: %s", d.Definition, d.Path, short(d.Was))
	}
	return fmt.Sprintf("%s %s: was %s, is %s", d.Definition, d.Path, short(d.Was), short(d.Is))
}

// Differences lists the differences between a generated CRD and its source.
func Differences(was, is *v1.CustomResourceDefinition) ([]Difference, error) {
	var sides [2]any
	for i, d := range []*v1.CustomResourceDefinition{was, is} {
		d = d.DeepCopy()
		d.Status = v1.CustomResourceDefinitionStatus{}
		text, err := json.Marshal(d)
		if err != nil {
			return nil, fmt.Errorf("compare definitions of %s: %w", was.Name, err)
		}
		if err := json.Unmarshal(text, &sides[i]); err != nil {
			return nil, fmt.Errorf("compare definitions of %s: %w", was.Name, err)
		}
	}
	c := differ{definition: was.Name}
	c.compare("", sides[0], sides[1])
	return c.found, nil
}

type differ struct {
	definition string
	found      []Difference
}

func (c *differ) compare(path string, was, is any) {
	switch w := was.(type) {
	case map[string]any:
		if i, ok := is.(map[string]any); ok {
			c.members(path, w, i)
			return
		}
	case []any:
		if i, ok := is.([]any); ok {
			c.members(path, byName(w), byName(i))
			return
		}
	}
	if text(was) != text(is) {
		c.found = append(c.found, Difference{c.definition, strings.TrimPrefix(path, "."), text(was), text(is)})
	}
}

func (c *differ) members(path string, was, is map[string]any) {
	var names []string
	for name := range was {
		names = append(names, name)
	}
	for name := range is {
		if _, known := was[name]; !known {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		c.compare(path+"."+name, was[name], is[name])
	}
}

// byName keys the elements of a list: by name where all have one, else by index.
func byName(list []any) map[string]any {
	named, indexed := map[string]any{}, map[string]any{}
	for i, e := range list {
		indexed[strconv.Itoa(i)] = e
		if o, ok := e.(map[string]any); ok {
			if name, ok := o["name"].(string); ok {
				named[name] = e
			}
		}
	}
	if len(named) == len(list) {
		return named
	}
	return indexed
}

func text(v any) string {
	if v == nil {
		return ""
	}
	out, err := json.Marshal(v)
	if err != nil {
		panic(err) // it was read from JSON
	}
	return string(out)
}
