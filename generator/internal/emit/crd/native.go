package crd

import (
	"encoding/json"
	"maps"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
)

// A native kind has the CRD of its source, with the additions that conversion needs. These are
// the webhook, the hub's version, members for bags, and requirements that ratchet.

// nativeDefinition repeats the source's statements about the whole kind.
func (w *writer) nativeDefinition(o Options) *v1.CustomResourceDefinition {
	r := w.kind.Resource
	d := &v1.CustomResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1.SchemeGroupVersion.String(), Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: r.Model.Plural + "." + r.Group.Name},
		Spec: v1.CustomResourceDefinitionSpec{
			Group:      r.Group.Name,
			Names:      v1.CustomResourceDefinitionNames{Kind: w.kind.Name, Plural: r.Model.Plural},
			Scope:      v1.NamespaceScoped,
			Conversion: conversion(o.Client),
			Versions:   w.versions(),
		},
	}
	setFacts(&d.ObjectMeta, r.Model.Facts)
	setFacts(&d.Spec.Names, r.Model.Facts)
	if w.kind.IsClusterScoped {
		d.Spec.Scope = v1.ClusterScoped
	}
	if o.Certificate != "" {
		annotations := maps.Clone(d.Annotations)
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[injectFrom] = o.Certificate
		d.Annotations = annotations
	}
	return d
}

// setFacts sets the members of a part of a CRD that facts state. Front ends take facts from CRDs,
// so that they always decode.
func setFacts(into any, facts model.Facts) {
	for _, f := range facts {
		_ = json.Unmarshal([]byte(`{"`+f.Name+`":`+f.Value+`}`), into)
	}
}

// native returns an API version of a native kind.
func (w *writer) native(kv *plan.KindVersion) v1.CustomResourceDefinitionVersion {
	m := kv.Version.Model
	v := version(kv.Version.Label, w.nativeRoot(kv))
	v.Subresources = nil
	facts := m.Facts.Without(model.StatusSubresource, model.Scale, model.Schema, model.VersionDoc, model.Skip)
	setFacts(&v, facts)
	v.Served = kv.Serving.Served()
	v.Subresources = subresources(kv)
	return v
}

// subresources returns the subresources of an API version; nil if there are none.
func subresources(kv *plan.KindVersion) *v1.CustomResourceSubresources {
	var out v1.CustomResourceSubresources
	setFacts(&out, kv.Version.Model.Facts.Only(model.Scale))
	if kv.Subresource {
		out.Status = &v1.CustomResourceSubresourceStatus{}
	}
	if out == (v1.CustomResourceSubresources{}) {
		return nil
	}
	return &out
}

// nativeHub returns the version that the cluster stores. Controllers use it, so that it has the
// columns and subresources of its API version.
func nativeHub(l plan.Listed) v1.CustomResourceDefinitionVersion {
	v := hubVersion(l)
	v.AdditionalPrinterColumns = nil
	setFacts(&v, l.Version.Model.Facts.Only(model.Columns))
	for i := range v.AdditionalPrinterColumns {
		v.AdditionalPrinterColumns[i].JSONPath = l.StoredPath(v.AdditionalPrinterColumns[i].JSONPath)
	}
	if v.Subresources = subresources(l.KindVersion); v.Subresources != nil && v.Subresources.Scale != nil {
		v.Subresources.Scale.SpecReplicasPath = l.StoredPath(v.Subresources.Scale.SpecReplicasPath)
	}
	return v
}

// nativeRoot returns the schema of an API version of a native kind.
func (w *writer) nativeRoot(kv *plan.KindVersion) props {
	m := kv.Version.Model
	root := props{Type: "object"}
	setFacts(&root, rootFacts(m))
	if root.Properties == nil {
		root.Properties = map[string]props{}
	}
	root.Description = w.trim.text(root.Description, 0, false)
	for name, p := range root.Properties {
		p.Description = w.trim.text(p.Description, 1, false)
		root.Properties[name] = p
	}
	ofSpec := &walk{writer: w, version: kv, left: maxListCost, native: true}
	spec := ofSpec.root(kv.Spec)
	status := (&walk{writer: w, version: kv, left: maxListCost, native: true, status: true}).root(kv.Status)
	if m.AtRoot {
		maps.Copy(root.Properties, spec.Properties)
		root.Required = append(root.Required, spec.Required...)
	} else if w.declares("spec") {
		root.Properties["spec"] = w.documented(spec, m.Spec)
	}
	if kv.Subresource || w.declares("status") {
		root.Properties["status"] = w.documented(status, m.Status)
	}
	ofSpec.guardRules(&root, wholeObject{kv})
	if kv.Subresource {
		root.XValidations = append(root.XValidations, guard)
	}
	return root
}

// declares reports whether the schema of some version declares a member of the root. Every version
// then declares it: a conversion to a version without it returns an empty object, which server-side
// apply refuses if the schema lacks the member.
func (w *writer) declares(member string) bool {
	if w.declared == nil {
		w.declared = map[string]bool{}
		for _, kv := range w.kind.Versions {
			var root props
			setFacts(&root, rootFacts(kv.Version.Model))
			for name := range root.Properties {
				w.declared[name] = true
			}
		}
	}
	return w.declared[member]
}

// rootFacts returns the keywords of the schema of whole objects.
func rootFacts(m *model.Version) model.Facts {
	var keywords map[string]json.RawMessage
	_ = json.Unmarshal([]byte(m.Facts.Get(model.Schema)), &keywords)
	var out model.Facts
	for name, value := range keywords {
		if m.AtRoot && name == "required" {
			continue // written with the members
		}
		out = append(out, model.Fact{Name: name, Value: string(value)})
	}
	return out
}

// documented returns the schema of a spec or status with its description.
func (w *writer) documented(p props, t model.Type) props {
	if ref, ok := t.(*model.Ref); ok {
		p.Description = w.trim.text(ref.Def.Doc, 1, false)
	}
	return p
}
