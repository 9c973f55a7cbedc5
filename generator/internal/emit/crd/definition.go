package crd

import (
	"context"
	"strings"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/generator/internal/model"
	"github.com/stratakube/strata/generator/internal/plan"
)

// writer writes one definition.
type writer struct {
	ctx     context.Context
	kind    *plan.Kind
	trim    trim
	cut     cut
	cuts    []Cut
	leftOut []LeftOut
	lookups map[*model.Def]func(string) *model.Property
}

// Category is a category that every kind is in, beside that of its group.
const Category = "strata"

// injectFrom is the annotation by which cert-manager injects an authority.
const injectFrom = "cert-manager.io/inject-ca-from"

func (w *writer) definition(o Options) *v1.CustomResourceDefinition {
	r := w.kind.Resource
	if w.kind.IsNative() {
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

// versions are the API versions that clusters know, in order, then former hubs,
// then the hub.
func (w *writer) versions() []v1.CustomResourceDefinitionVersion {
	var out []v1.CustomResourceDefinitionVersion
	for _, kv := range w.kind.Versions {
		switch {
		case kv.Serving.Served(), kv.Serving == plan.Unserved && w.kind.IsNative():
			out = append(out, w.served(kv))
		case kv.Serving == plan.Unserved:
			out = append(out, unserved(kv.Version.Label))
		}
	}
	hub := w.kind.Hub()
	for _, kv := range w.kind.Versions {
		if kv.Hub && kv != hub {
			out = append(out, unserved(StorageVersion(kv)))
		}
	}
	if w.kind.IsNative() {
		return append(out, nativeHub(hub))
	}
	return append(out, hubVersion(StorageVersion(hub)))
}

// StorageVersion is the name of a version's storage type in the cluster.
func StorageVersion(kv *plan.KindVersion) string { return kv.Version.Label + "storage" }

func version(name string, schema v1.JSONSchemaProps) v1.CustomResourceDefinitionVersion {
	return v1.CustomResourceDefinitionVersion{
		Name:         name,
		Schema:       &v1.CustomResourceValidation{OpenAPIV3Schema: &schema},
		Subresources: &v1.CustomResourceSubresources{Status: &v1.CustomResourceSubresourceStatus{}},
	}
}

// served is an API version that clients read and write.
func (w *writer) served(kv *plan.KindVersion) v1.CustomResourceDefinitionVersion {
	if w.kind.IsNative() {
		return w.native(kv)
	}
	v := version(kv.Version.Label, w.root(kv))
	v.Served = true
	v.AdditionalPrinterColumns = columns()
	if kv.Serving == plan.Outdated {
		text := w.kind.Group.Chain.Name + "/" + kv.Version.Label + " " + w.kind.Name + " is deprecated; use " + w.kind.Hub().Version.Label
		v.Deprecated, v.DeprecationWarning = true, &text
	}
	return v
}

// unserved is a version that objects may still be of: nobody reads it, and it
// must lose nothing.
func unserved(name string) v1.CustomResourceDefinitionVersion {
	return version(name, v1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: yes()})
}

// hubVersion is what the cluster stores and controllers use. Its schema checks
// nothing but that property bags, which belong to the versions, are not stored.
func hubVersion(name string) v1.CustomResourceDefinitionVersion {
	root := object(map[string]v1.JSONSchemaProps{
		"spec": {Type: "object", XPreserveUnknownFields: yes(), Properties: map[string]v1.JSONSchemaProps{"originalVersion": text()}},
		"status": {
			Type: "object", XPreserveUnknownFields: yes(),
			Properties:   map[string]v1.JSONSchemaProps{"conditions": conditions(noText), "propertyBag": text()},
			XValidations: v1.ValidationRules{noBag},
		},
	})
	v := version(name, rooted(root))
	v.Served, v.Storage = true, true
	v.AdditionalPrinterColumns = columns()
	return v
}

func columns() []v1.CustomResourceColumnDefinition {
	return []v1.CustomResourceColumnDefinition{
		{Name: "Ready", Type: "string", JSONPath: `.status.conditions[?(@.type=="Ready")].status`},
		{Name: "Reason", Type: "string", JSONPath: `.status.conditions[?(@.type=="Ready")].reason`},
		{Name: "Message", Type: "string", JSONPath: `.status.conditions[?(@.type=="Ready")].message`},
		{Name: "API Version", Type: "string", JSONPath: `.metadata.annotations.strata\.dev/api-version`},
		{Name: "AzureName", Type: "string", JSONPath: ".spec.azureName", Priority: 1},
		{Name: "Owner", Type: "string", JSONPath: ".spec.owner.name", Priority: 1},
		{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp"},
	}
}

func yes() *bool {
	b := true
	return &b
}
