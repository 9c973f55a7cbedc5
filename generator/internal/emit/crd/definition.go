package crd

import (
	"context"
	"strings"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
)

// writer writes one CRD.
type writer struct {
	ctx     context.Context
	kind    *plan.Kind
	trim    trim
	cut     cut
	cuts    []Cut
	leftOut []LeftOut
	lookups map[*model.Def]func(string) *model.Property
	// declared has the members of the roots of all versions; nil before declares is called.
	declared map[string]bool

	guarded   []Guarded
	unguarded []Unguarded
}

// Category is a category of every kind, in addition to that of its group.
const Category = "strata"

// injectFrom is the annotation that makes cert-manager inject a CA.
const injectFrom = "cert-manager.io/inject-ca-from"

func (w *writer) definition(o Options) *v1.CustomResourceDefinition {
	r := w.kind.Resource
	if w.kind.Verbatim {
		return w.nativeDefinition(o)
	}
	d := &v1.CustomResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1.SchemeGroupVersion.String(), Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: r.Model.Plural + "." + r.Group.Name},
		Spec: v1.CustomResourceDefinitionSpec{
			Group:      r.Group.Name,
			Names:      w.names(),
			Scope:      v1.NamespaceScoped,
			Conversion: conversion(o.Client),
			Versions:   w.versions(),
		},
	}
	if o.Certificate != "" {
		d.Annotations = map[string]string{injectFrom: o.Certificate}
	}
	return d
}

func (w *writer) names() v1.CustomResourceDefinitionNames {
	n := v1.CustomResourceDefinitionNames{
		Kind:       w.kind.Name,
		ListKind:   w.kind.ListName(),
		Plural:     w.kind.Resource.Model.Plural,
		Singular:   strings.ToLower(w.kind.Name),
		Categories: []string{Category, w.kind.Group.Chain.Folder},
	}
	if w.kind.Short != "" {
		n.ShortNames = []string{w.kind.Short}
	}
	return n
}

func conversion(c v1.WebhookClientConfig) *v1.CustomResourceConversion {
	return &v1.CustomResourceConversion{
		Strategy: v1.WebhookConverter,
		Webhook:  &v1.WebhookConversion{ClientConfig: &c, ConversionReviewVersions: []string{"v1"}},
	}
}

// versions returns the versions that the plan lists.
func (w *writer) versions() []v1.CustomResourceDefinitionVersion {
	var out []v1.CustomResourceDefinitionVersion
	all := w.trim
	defer func() { w.trim = all }()
	for _, l := range w.kind.Listed {
		w.trim = all.of(l.KindVersion)
		switch {
		case l.Form == plan.Untyped:
			out = append(out, unserved(l.Name))
		case l.Form == plan.Stored && w.kind.Verbatim:
			out = append(out, nativeHub(l))
		case l.Form == plan.Stored:
			out = append(out, hubVersion(l))
		case w.kind.Verbatim:
			out = append(out, w.native(l.KindVersion))
		default:
			out = append(out, w.served(l.KindVersion))
		}
	}
	return out
}

func version(name string, schema v1.JSONSchemaProps) v1.CustomResourceDefinitionVersion {
	return v1.CustomResourceDefinitionVersion{
		Name:         name,
		Schema:       &v1.CustomResourceValidation{OpenAPIV3Schema: &schema},
		Subresources: &v1.CustomResourceSubresources{Status: &v1.CustomResourceSubresourceStatus{}},
	}
}

// served returns an API version that clients read and write.
func (w *writer) served(kv *plan.KindVersion) v1.CustomResourceDefinitionVersion {
	v := version(kv.Version.Label, w.root(kv))
	v.Served = true
	v.AdditionalPrinterColumns = columns()
	if warning := kv.Warning(); warning != "" {
		v.Deprecated, v.DeprecationWarning = true, &warning
	}
	return v
}

// unserved returns a version that stored objects may still have. No client reads it, and it must
// preserve all members.
func unserved(name string) v1.CustomResourceDefinitionVersion {
	return version(name, v1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: yes()})
}

// hubVersion returns the version that the cluster stores and controllers use. Its schema only
// checks that property bags of API versions are not stored.
func hubVersion(l plan.Listed) v1.CustomResourceDefinitionVersion {
	spec, status := preserving(l.Spec), preserving(l.Status)
	status.Properties[model.PropertyBag] = text()
	status.XValidations = v1.ValidationRules{noBag}
	v := version(l.Name, rooted(object(map[string]props{"spec": spec, "status": status})))
	v.Served, v.Storage = true, true
	v.AdditionalPrinterColumns = columns()
	return v
}

// preserving returns the schema of a root of the hub. It declares the members of Strata that the
// operator writes there.
func preserving(s *plan.Struct) props {
	out := props{Type: "object", XPreserveUnknownFields: yes(), Properties: map[string]props{}}
	for _, m := range s.AddedTo(model.StorageSide) {
		switch m.Shape {
		case model.LabelShape:
			out.Properties[m.JSON] = text()
		case model.ConditionsShape:
			out.Properties[m.JSON] = conditions(noText)
		}
	}
	return out
}

func columns() []v1.CustomResourceColumnDefinition {
	return []v1.CustomResourceColumnDefinition{
		{Name: "Ready", Type: "string", JSONPath: `.status.conditions[?(@.type=="Ready")].status`},
		{Name: "Reason", Type: "string", JSONPath: `.status.conditions[?(@.type=="Ready")].reason`},
		{Name: "Message", Type: "string", JSONPath: `.status.conditions[?(@.type=="Ready")].message`},
		{Name: "API Version", Type: "string", JSONPath: `.metadata.annotations.strata\.dev/api-version`},
		{Name: "AzureName", Type: "string", JSONPath: ".spec." + model.AzureName, Priority: 1},
		{Name: "Owner", Type: "string", JSONPath: ".spec." + model.Owner + ".name", Priority: 1},
		{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp"},
	}
}

func yes() *bool {
	b := true
	return &b
}
