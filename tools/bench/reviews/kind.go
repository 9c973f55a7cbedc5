package reviews

import (
	"context"
	"fmt"
	"strconv"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
)

const (
	// storage is the version that a CRD of this package stores; the others are v1, v2 and so on.
	storage   = "v0"
	namespace = "default"
	resource  = "boxes"
)

// open is a schema with no bounds on spec and status, which all versions share.
var open = &v1.CustomResourceValidation{OpenAPIV3Schema: &v1.JSONSchemaProps{Type: "object", Properties: map[string]v1.JSONSchemaProps{
	"spec":   {Type: "object", AdditionalProperties: &v1.JSONSchemaPropsOrBool{Allows: true, Schema: &v1.JSONSchemaProps{Type: "string"}}},
	"status": {Type: "object", AdditionalProperties: &v1.JSONSchemaPropsOrBool{Allows: true, Schema: &v1.JSONSchemaProps{Type: "string"}}},
}}}

// kind is a CRD on the API server.
type kind struct {
	group  string
	client dynamic.Interface
	hook   *webhook
}

// define creates a CRD that serves a number of versions, and policies that each name a version.
func define(ctx context.Context, client dynamic.Interface, hook *webhook, served int, policies []string) (*kind, error) {
	k := &kind{fmt.Sprintf("served%d-policies%d.example.com", served, len(policies)), client, hook}
	d := &v1.CustomResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: resource + "." + k.group},
		Spec: v1.CustomResourceDefinitionSpec{
			Group: k.group, Scope: v1.NamespaceScoped,
			Names:      v1.CustomResourceDefinitionNames{Plural: resource, Singular: "box", Kind: "Box", ListKind: "BoxList"},
			Conversion: &v1.CustomResourceConversion{Strategy: v1.WebhookConverter, Webhook: &v1.WebhookConversion{ClientConfig: &hook.client, ConversionReviewVersions: []string{"v1"}}},
		},
	}
	for i := range served {
		name := version(i)
		d.Spec.Versions = append(d.Spec.Versions, v1.CustomResourceDefinitionVersion{
			Name: name, Served: true, Storage: name == storage, Schema: open, Subresources: &v1.CustomResourceSubresources{Status: &v1.CustomResourceSubresourceStatus{}},
		})
	}
	if err := k.create(ctx, "customresourcedefinitions", d); err != nil {
		return nil, err
	}
	for _, name := range policies {
		if err := k.protect(ctx, name); err != nil {
			return nil, err
		}
	}
	return k, k.await(ctx, served, len(policies) > 0)
}

func version(i int) string { return "v" + strconv.Itoa(i) }

// of returns the objects through a version.
func (k *kind) of(version string) dynamic.ResourceInterface {
	return k.client.Resource(schema.GroupVersionResource{Group: k.group, Version: version, Resource: resource}).Namespace(namespace)
}

// create creates an object of Kubernetes' own.
func (k *kind) create(ctx context.Context, plural string, object runtime.Object) error {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return fmt.Errorf("create one of %s: %w", plural, err)
	}
	of := object.GetObjectKind().GroupVersionKind().GroupVersion().WithResource(plural)
	if _, err := k.client.Resource(of).Create(ctx, &unstructured.Unstructured{Object: content}, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create one of %s: %w", plural, err)
	}
	return nil
}

// refused is a name that the policies refuse, so that others can tell that they are in force.
const refused = "refused"

// protect creates a policy that names one version, and matches requests through all of them.
func (k *kind) protect(ctx context.Context, version string) error {
	equivalent := admissionv1.Equivalent
	name := version + "." + k.group
	policy := &admissionv1.ValidatingAdmissionPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: "admissionregistration.k8s.io/v1", Kind: "ValidatingAdmissionPolicy"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionv1.MatchResources{MatchPolicy: &equivalent, ResourceRules: []admissionv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update, admissionv1.Delete},
					Rule:       admissionv1.Rule{APIGroups: []string{k.group}, APIVersions: []string{version}, Resources: []string{resource, resource + "/status"}},
				},
			}}},
			Validations: []admissionv1.Validation{{Expression: "request.name != '" + refused + "'"}},
		},
	}
	binding := &admissionv1.ValidatingAdmissionPolicyBinding{
		TypeMeta:   metav1.TypeMeta{APIVersion: policy.APIVersion, Kind: "ValidatingAdmissionPolicyBinding"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       admissionv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny}},
	}
	if err := k.create(ctx, "validatingadmissionpolicies", policy); err != nil {
		return err
	}
	return k.create(ctx, "validatingadmissionpolicybindings", binding)
}

// await waits until all versions can be read and written, and the policies are in force.
func (k *kind) await(ctx context.Context, served int, protected bool) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, 2*time.Minute, true, func(ctx context.Context) (bool, error) {
		for i := range served {
			name := "warm-" + version(i)
			_, last = k.of(version(i)).Create(ctx, k.object(version(i), name), metav1.CreateOptions{})
			if last == nil {
				last = k.of(version(i)).Delete(ctx, name, metav1.DeleteOptions{})
			}
			if last != nil {
				return false, nil
			}
		}
		if protected {
			if _, err := k.of(storage).Create(ctx, k.object(storage, refused), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}); err == nil {
				last = fmt.Errorf("the policies of %s are not in force", k.group)
				return false, nil
			}
		}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("await %s: %w (%w)", k.group, err, last)
	}
	_, err = k.hook.over(ctx, "")
	return err
}

func (k *kind) object(version, name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": k.group + "/" + version, "kind": "Box", "metadata": map[string]any{"name": name}, "spec": map[string]any{"content": "books"},
	}}
}

// managed creates an object in the storage version, whose fields are also managed through others.
func (k *kind) managed(ctx context.Context, name string, managers []string) error {
	if _, err := k.of(storage).Create(ctx, k.object(storage, name), metav1.CreateOptions{FieldManager: "creator"}); err != nil {
		return fmt.Errorf("create %s: %w", name, err)
	}
	for _, version := range managers {
		field := k.object(version, name)
		field.Object["spec"] = map[string]any{"of-" + version: "it"}
		if _, err := k.of(version).Apply(ctx, name, field, metav1.ApplyOptions{FieldManager: "manager-of-" + version}); err != nil {
			return fmt.Errorf("apply to %s through %s: %w", name, version, err)
		}
	}
	return nil
}
