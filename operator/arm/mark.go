package arm

import (
	"strings"

	"github.com/stratakube/strata/operator/arm/internal/body"
)

// putMark adds the tag that names the object to a body, and reports whether it did. It treats
// bodies with a location, or with tags of their own, as those of types with tags.
func (s *subject) putMark(spec map[string]any) bool {
	_, isTracked := spec["location"]
	tags, hasTags := spec["tags"].(map[string]any)
	if s.tag == "" || s.mark == "" || !isTracked && !hasTags {
		return false
	}
	if tags == nil {
		tags = map[string]any{}
	}
	tags[s.tag] = s.mark
	spec["tags"] = tags
	return true
}

// markOf returns the mark of a resource; empty for none. Names of tags ignore case.
func (s *subject) markOf(resource []byte) string {
	object, err := body.Object(resource)
	if err != nil || s.tag == "" {
		return ""
	}
	tags, _ := object["tags"].(map[string]any)
	for name, value := range tags {
		if text, ok := value.(string); ok && strings.EqualFold(name, s.tag) {
			return text
		}
	}
	return ""
}
