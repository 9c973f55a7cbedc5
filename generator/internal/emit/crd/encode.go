package crd

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// encode returns the JSON of a CRD. It encodes schemas one by one, because the methods of their
// Go types encode the elements of a list once for each list around them.
func (m manifest) encode(ctx context.Context) ([]byte, error) {
	versions := make([]json.RawMessage, len(m.Spec.Versions))
	for i, v := range m.Spec.Versions {
		e := encoder{ctx: ctx}
		if err := e.version(v); err != nil {
			return nil, err
		}
		versions[i] = e.out
	}
	type spec struct {
		v1.CustomResourceDefinitionSpec `json:",inline"`
		Versions                        []json.RawMessage `json:"versions"`
	}
	return json.Marshal(struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              spec `json:"spec"`
	}{m.TypeMeta, m.ObjectMeta, spec{m.Spec, versions}})
}

// encoder appends JSON, and stops soon after its context ends.
type encoder struct {
	ctx     context.Context
	out     []byte
	schemas int
}

func (e *encoder) version(v v1.CustomResourceDefinitionVersion) error {
	schema := v.Schema
	v.Schema = nil
	if err := e.open(v); err != nil {
		return err
	}
	if schema != nil && schema.OpenAPIV3Schema != nil {
		e.name("schema")
		e.out = append(e.out, '{')
		e.name("openAPIV3Schema")
		if err := e.schema(schema.OpenAPIV3Schema); err != nil {
			return err
		}
		e.out = append(e.out, '}')
	}
	e.out = append(e.out, '}')
	return nil
}

// seldom is the number of schemas that are encoded between two checks of the context.
const seldom = 1 << 10

func (e *encoder) schema(p *props) error {
	if e.schemas++; e.schemas%seldom == 0 && e.ctx.Err() != nil {
		return e.ctx.Err()
	}
	rest := *p
	rest.Properties = nil
	items, further := p.Items != nil && p.Items.Schema != nil, p.AdditionalProperties != nil && p.AdditionalProperties.Schema != nil
	if items {
		rest.Items = nil
	}
	if further {
		rest.AdditionalProperties = nil
	}
	if err := e.open(&rest); err != nil {
		return err
	}
	if items {
		if err := e.member("items", p.Items.Schema); err != nil {
			return err
		}
	}
	if further {
		if err := e.member("additionalProperties", p.AdditionalProperties.Schema); err != nil {
			return err
		}
	}
	if err := e.properties(p.Properties); err != nil {
		return err
	}
	e.out = append(e.out, '}')
	return nil
}

func (e *encoder) properties(all map[string]props) error {
	if len(all) == 0 {
		return nil
	}
	e.name("properties")
	e.out = append(e.out, '{')
	for _, name := range slices.Sorted(maps.Keys(all)) {
		p := all[name]
		if err := e.member(name, &p); err != nil {
			return err
		}
	}
	e.out = append(e.out, '}')
	return nil
}

func (e *encoder) member(name string, p *props) error {
	e.name(name)
	return e.schema(p)
}

// open appends an object without its closing brace.
func (e *encoder) open(v any) error {
	body, err := json.Marshal(v)
	if err == nil {
		e.out = append(e.out, body[:len(body)-1]...)
	}
	return err
}

// name appends the name of the next member of an object.
func (e *encoder) name(name string) {
	if e.out[len(e.out)-1] != '{' {
		e.out = append(e.out, ',')
	}
	text, _ := json.Marshal(name) // strings always have a JSON form
	e.out = append(append(e.out, text...), ':')
}
