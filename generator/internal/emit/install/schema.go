package install

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/stratakube/strata/generator/internal/plan"
)

// valuesSchema returns the JSON schema of the values of a chart. Helm checks values by it.
func valuesSchema(p *plan.Plan, o Options) ([]byte, error) {
	text := func(description string) object {
		return object{"type": "string", "minLength": 1, "description": description}
	}
	count := func(description string) object {
		return object{"type": "integer", "minimum": 0, "description": description}
	}
	var kinds []string
	for _, g := range p.Groups {
		for _, k := range g.Kinds {
			kinds = append(kinds, selectorOf(k))
		}
	}
	members := object{
		"global": object{"type": "object", "description": "What a chart around this one sets for all of its charts."},
		"hubWriters": object{
			"type": "array", "items": text("The name of a user."), "uniqueItems": true,
			"description": "Users who may write through the version that the cluster stores, beside the operator and the migrator.",
		},
		"kinds": object{
			"type": "array", "items": object{"enum": kinds}, "uniqueItems": true,
			"description": "The kinds whose CRDs are installed; all if the list is empty.",
		},
	}
	if !o.External {
		members["image"], members["replicas"] = text("The image of the webhook."), count("The replicas of the webhook.")
	}
	if o.Operator != nil {
		members["operator"] = object{
			"type": "object", "additionalProperties": false,
			"properties": object{
				"image": text("The image of the operator, with its plugins."), "replicas": count("The replicas of the operator, one of which leads."),
				"providers": object{"type": "object", "description": "Which plugin serves which types of the external API."},
			},
		}
	}
	schema := object{
		"$schema": "http://json-schema.org/draft-07/schema#", "title": "Values of the chart " + o.Service,
		"type": "object", "additionalProperties": false, "properties": members,
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(schema); err != nil {
		return nil, fmt.Errorf("encode schema of values: %w", err)
	}
	return out.Bytes(), nil
}
