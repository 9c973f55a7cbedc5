package crds

import v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

// Cut removes the members of a value that a schema lacks, or has with another type. It changes
// the value, and returns it.
func Cut(value any, s v1.JSONSchemaProps) any {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			property, has := s.Properties[name]
			switch {
			case !has && s.AdditionalProperties != nil:
				v[name] = Cut(member, *s.AdditionalProperties.Schema)
			case !has && !preserves(s), has && !fits(member, property):
				delete(v, name)
			case has:
				v[name] = Cut(member, property)
			}
		}
	case []any:
		if s.Items != nil {
			for i, element := range v {
				v[i] = Cut(element, *s.Items.Schema)
			}
		}
	}
	return value
}

func preserves(s v1.JSONSchemaProps) bool {
	return s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
}

// fits reports whether a value is of the schema's type.
func fits(value any, s v1.JSONSchemaProps) bool {
	switch value.(type) {
	case map[string]any:
		return s.Type == "object" || s.Type == ""
	case []any:
		return s.Type == "array" || s.Type == ""
	case string:
		return s.Type == "string" || s.Type == "" || s.XIntOrString
	case bool:
		return s.Type == "boolean" || s.Type == ""
	}
	return s.Type == "integer" || s.Type == "number" || s.Type == ""
}
