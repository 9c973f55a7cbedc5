package buildedit

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/syntax/yaml"
)

// CRDs are those of a kustomization that Strata replaces.
type CRDs struct {
	// Replaced and Patches report whether a path, as the kustomization has it, is that of a CRD which
	// Strata generates, and that of a patch which only those CRDs need that controller-gen writes.
	Replaced, Patches func(path string) bool
	// Folder has the kustomization of the generated CRDs, relative to this one.
	Folder string
}

// Kustomization returns a kustomization whose resources are the generated CRDs instead of those of
// controller-gen, without their patches. A kustomization without such CRDs stays as it is.
func Kustomization(src []byte, crds CRDs) ([]byte, error) {
	want, isChanged, err := crds.wanted(src)
	switch {
	case err != nil:
		return nil, err
	case !isChanged:
		return src, nil
	}
	out := crds.edited(src)
	var got map[string]any
	if err := yaml.Unmarshal(out, &got); err != nil || !reflect.DeepEqual(withoutEmpty(got), withoutEmpty(want)) {
		return nil, &Refusal{0, "the lists are not written as kubebuilder writes them", crds.pasted(want)}
	}
	return out, nil
}

// wanted returns the members of the changed kustomization. It reports whether they differ.
func (c CRDs) wanted(src []byte) (map[string]any, bool, error) {
	var members map[string]any
	if err := yaml.Unmarshal(src, &members); err != nil {
		return nil, false, &Refusal{0, fmt.Sprintf("it is not YAML: %v", err), "resources:\n- " + c.Folder + "\n"}
	}
	resources, _ := members["resources"].([]any)
	var list []any
	isChanged := false
	for _, r := range resources {
		switch name, _ := r.(string); {
		case !c.Replaced(name):
			list = append(list, r)
		case !isChanged && !slices.Contains(resources, any(c.Folder)):
			list = append(list, c.Folder)
			isChanged = true
		default:
			isChanged = true
		}
	}
	if !isChanged {
		return members, false, nil
	}
	members["resources"] = list
	for _, key := range patchKeys {
		if patches, ok := members[key].([]any); ok {
			members[key] = slices.DeleteFunc(slices.Clone(patches), func(p any) bool { return c.Patches(pathOf(p)) })
		}
	}
	return members, true, nil
}

// patchKeys are the members that list patches.
var patchKeys = []string{"patches", "patchesStrategicMerge"}

// pathOf returns the path of an element of a list: the text itself, or the member that has it.
func pathOf(element any) string {
	switch e := element.(type) {
	case string:
		return e
	case map[string]any:
		path, _ := e["path"].(string)
		return path
	}
	return ""
}

// withoutEmpty returns members without lists that are empty.
func withoutEmpty(members map[string]any) map[string]any {
	out := map[string]any{}
	for name, v := range members {
		if list, ok := v.([]any); v != nil && (!ok || len(list) > 0) {
			out[name] = v
		}
	}
	return out
}

// edited changes the lines of lists in block style, an element in each. The caller checks the
// result.
func (c CRDs) edited(src []byte) []byte {
	var out []byte
	list, isIn, isDropped := "", false, false
	hasFolder := false
	for line := range bytes.Lines(src) {
		if l := bytes.TrimSpace(line); string(l) == "- "+c.Folder {
			hasFolder = true
		}
	}
	indent := 0
	for line := range bytes.Lines(src) {
		text := strings.TrimRight(string(line), " \t\r\n")
		trimmed := strings.TrimLeft(text, " ")
		deep := len(text) - len(trimmed)
		switch {
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
			isDropped = false
		case deep == 0 && !strings.HasPrefix(trimmed, "-"):
			name, _, _ := strings.Cut(trimmed, ":")
			list, isIn, isDropped = name, false, false
		case strings.HasPrefix(trimmed, "- ") && (!isIn || deep == indent):
			isIn, indent = true, deep
			var element []any
			if err := yaml.Unmarshal([]byte(trimmed), &element); err != nil || len(element) != 1 {
				isDropped = false
				break
			}
			path := pathOf(element[0])
			isDropped = list == "resources" && c.Replaced(path) || slices.Contains(patchKeys, list) && c.Patches(path)
			if isDropped && list == "resources" && !hasFolder {
				out = append(out, strings.Repeat(" ", deep)+"- "+c.Folder+"\n"...)
				hasFolder = true
			}
		}
		if !isDropped {
			out = append(out, line...)
		}
	}
	return out
}

// pasted returns the lists of a kustomization.
func (c CRDs) pasted(want map[string]any) string {
	var b strings.Builder
	for _, key := range append([]string{"resources"}, patchKeys...) {
		list, ok := want[key].([]any)
		if !ok || len(list) == 0 && key != "resources" {
			continue
		}
		b.WriteString(key + ":\n")
		for _, element := range list {
			text := pathOf(element)
			if _, ok := element.(map[string]any); ok {
				text = "path: " + text
			}
			b.WriteString("- " + text + "\n")
		}
	}
	return b.String()
}
