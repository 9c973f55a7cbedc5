package golang

import (
	"slices"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/stratakube/strata/generator/internal/model"
)

// definer is a marker that sets something in a CRD, such as a printer column.
type definer interface {
	ApplyToCRD(*apiextensions.CustomResourceDefinitionSpec, string) error
}

// head returns what applies to a resource in all its versions.
func (u *unit) head(declared *resource) *model.Resource {
	out := &model.Resource{Type: declared.group + "/" + declared.plural, Kind: declared.kind, Plural: declared.plural, Group: declared.group}
	out.Facts = append(out.Facts, model.Fact{Name: model.Scope, Value: jsonText(declared.scope)}, model.Fact{Name: model.Singular, Value: jsonText(declared.singular)})
	if len(declared.shortNames) > 0 {
		out.Facts = append(out.Facts, model.Fact{Name: model.ShortNames, Value: jsonText(declared.shortNames)})
	}
	if len(declared.categories) > 0 {
		out.Facts = append(out.Facts, model.Fact{Name: model.Categories, Value: jsonText(declared.categories)})
	}
	if skip := slices.Concat(u.skip, declared.skip); len(skip) > 0 {
		slices.Sort(skip)
		out.Facts = append(out.Facts, model.Fact{Name: model.Skip, Value: jsonText(slices.Compact(skip))})
	}
	return out
}

// factsIn returns the facts of a resource in one version.
func (s *shaper) factsIn(declared *resource, v *version) model.Facts {
	crdVersion := declared.definition(v.name)
	if declared.markerUses.has(ours + "resource") {
		crdVersion.Subresources = orNew(crdVersion.Subresources)
		crdVersion.Subresources.Status = &apiextensions.CustomResourceSubresourceStatus{}
	}
	if v.pos.IsValid() {
		crdVersion.Served, crdVersion.Deprecated = !v.unserved, v.deprecated
		if v.warning != "" {
			crdVersion.DeprecationWarning = &v.warning
		}
	}
	var out model.Facts
	add := func(name string, value any, there bool) {
		if there {
			out = append(out, model.Fact{Name: name, Value: jsonText(value)})
		}
	}
	add(model.Served, crdVersion.Served, true)
	add(model.Deprecated, true, crdVersion.Deprecated)
	add(model.DeprecationWarning, crdVersion.DeprecationWarning, crdVersion.DeprecationWarning != nil)
	if sub := crdVersion.Subresources; sub != nil {
		add(model.StatusSubresource, sub.Status, sub.Status != nil)
		add(model.Scale, sub.Scale, sub.Scale != nil)
	}
	add(model.Columns, crdVersion.AdditionalPrinterColumns, len(crdVersion.AdditionalPrinterColumns) > 0)
	add(model.SelectableFields, crdVersion.SelectableFields, len(crdVersion.SelectableFields) > 0)
	add(model.VersionDoc, v.doc, v.doc != "")
	add(model.Skip, v.skip, len(v.skip) > 0)
	add(model.Schema, s.whole(declared, v), true)
	return out
}

// whole returns the schema of whole objects beside spec and status.
func (s *shaper) whole(declared *resource, v *version) *apiextensions.JSONSchemaProps {
	var given markerUses
	if !declared.markerUses.has(ours + "resource") {
		given = s.current(declared.object.Type(), declared.markerUses)
	}
	out := s.schema(&model.Object{}, given)
	if out == nil {
		out = &apiextensions.JSONSchemaProps{Type: "object"}
	}
	out.Description = strings.TrimSpace(s.remark(declared.object).doc + "\n\n" + v.doc)
	out.Properties = map[string]apiextensions.JSONSchemaProps{
		"apiVersion": {Type: "string"}, "kind": {Type: "string"}, "metadata": {Type: "object"}, "spec": {},
	}
	if declared.status != nil {
		out.Properties["status"] = apiextensions.JSONSchemaProps{}
	}
	return out
}

func orNew[T any](p *T) *T {
	if p == nil {
		return new(T)
	}
	return p
}

// definition returns what kubebuilder's markers set in one version of a CRD.
func (declared *resource) definition(version string) apiextensions.CustomResourceDefinitionVersion {
	crd := apiextensions.CustomResourceDefinitionSpec{Versions: []apiextensions.CustomResourceDefinitionVersion{{Name: version, Served: true}}}
	for _, m := range declared.markerUses {
		if d, ok := m.value.(definer); ok && m.name != "kubebuilder:skipversion" {
			_ = d.ApplyToCRD(&crd, version) // fails only if there is no such version
		}
	}
	return crd.Versions[0]
}
