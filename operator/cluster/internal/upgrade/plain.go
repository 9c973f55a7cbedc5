package upgrade

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/stratakube/strata/operator/cluster/internal/converter"
	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/rewrite"
)

// plain converts objects as an API server does without a webhook: it changes the version, and
// removes what the schema of that version lacks.
type plain map[string]func(object map[string]any)

// newPlain returns the conversions of a CRD with the strategy None.
func newPlain(d *crd.CRD) (plain, error) {
	out := plain{}
	for _, v := range d.Versions {
		prune, err := rewrite.Prune(d.Schemas[v.Name])
		if err != nil {
			return nil, fmt.Errorf("read the schema of %s in %s: %w", d.Name(), v.Name, err)
		}
		out[v.Name] = prune
	}
	return out, nil
}

// Convert converts objects to an apiVersion.
func (p plain) Convert(to string, objects []json.RawMessage) ([]converter.Result, error) {
	_, version, _ := strings.Cut(to, "/")
	prune := p[version]
	if prune == nil {
		return nil, fmt.Errorf("the package has no version %s", version)
	}
	out := make([]converter.Result, len(objects))
	for i, text := range objects {
		object, err := decode(text)
		if err != nil {
			return nil, err
		}
		object["apiVersion"] = to
		prune(object)
		if out[i].Object, err = json.Marshal(object); err != nil {
			return nil, fmt.Errorf("print object: %w", err)
		}
	}
	return out, nil
}

// isUniform reports whether all versions of a CRD have the same schema, descriptions aside.
func isUniform(d *crd.CRD) bool {
	var first any
	for i, v := range d.Versions {
		var schema any
		if json.Unmarshal(d.Schemas[v.Name], &schema) != nil {
			return false
		}
		withoutDescriptions(schema)
		if i == 0 {
			first = schema
		} else if !reflect.DeepEqual(first, schema) {
			return false
		}
	}
	return len(d.Versions) > 1
}

// withoutDescriptions removes the descriptions of a schema. A property with that name has an object
// as its value, and stays.
func withoutDescriptions(of any) {
	switch of := of.(type) {
	case map[string]any:
		if _, isText := of["description"].(string); isText {
			delete(of, "description")
		}
		for _, member := range of {
			withoutDescriptions(member)
		}
	case []any:
		for _, element := range of {
			withoutDescriptions(element)
		}
	}
}
