package certs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apix "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// NewClient makes a client for Managed. It asks the API server for nothing but what Managed needs.
func NewClient(config *rest.Config) (client.Client, error) {
	scheme := k8sruntime.NewScheme()
	if err := errors.Join(corev1.AddToScheme(scheme), apix.AddToScheme(scheme)); err != nil {
		return nil, fmt.Errorf("register types: %w", err)
	}
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(corev1.SchemeGroupVersion.WithKind("Secret"), meta.RESTScopeNamespace)
	mapper.Add(definitionKind, meta.RESTScopeRoot)
	return client.New(config, client.Options{Scheme: scheme, Mapper: mapper})
}

// absent is why a definition that does not exist is awaited.
const absent = "it does not exist"

var definitionKind = apix.SchemeGroupVersion.WithKind("CustomResourceDefinition")

// definition is what matters of a custom resource definition.
type definition struct {
	name            string
	resourceVersion string
	converts        bool // by a webhook: else there is nothing yet that could trust an authority
	bundle          []byte
}

// definitions reads all definitions that there are and that convert by a webhook. The error says which of them could not
// be read. They can be large, so that only what has changed is read as a whole.
func (m *Managed) definitions(ctx context.Context) (all []*definition, err error) {
	var failed []error
	awaited := map[string]string{}
	for _, name := range m.options.CRDs {
		d, err := m.definition(ctx, name)
		switch {
		case apierrors.IsNotFound(err):
			awaited[name] = absent
		case err != nil:
			failed = append(failed, fmt.Errorf("read definition %s: %w", name, err))
		case !d.converts:
			awaited[name] = "its spec.conversion names no webhook"
		default:
			all = append(all, d)
		}
	}
	m.await(ctx, awaited)
	if m.noneExists() {
		failed = append(failed, fmt.Errorf("none of the definitions exists: %s", strings.Join(m.options.CRDs, ", ")))
	}
	return all, errors.Join(failed...)
}

// await remembers which definitions are still to come, and says so once of each.
func (m *Managed) await(ctx context.Context, awaited map[string]string) {
	for _, name := range m.options.CRDs {
		if why := awaited[name]; why != "" && why != m.awaited[name] {
			m.options.Log.WarnContext(ctx, "waiting for a definition", "definition", name, "because", why)
		}
	}
	m.awaited = awaited
}

func (m *Managed) noneExists() bool {
	for _, name := range m.options.CRDs {
		if m.awaited[name] != absent {
			return false
		}
	}
	return true
}

func (m *Managed) definition(ctx context.Context, name string) (*definition, error) {
	if known := m.crds[name]; known != nil {
		var head metav1.PartialObjectMetadata
		head.SetGroupVersionKind(definitionKind)
		if err := m.client.Get(ctx, types.NamespacedName{Name: name}, &head); err != nil {
			return nil, err
		}
		if head.ResourceVersion == known.resourceVersion {
			return known, nil
		}
	}
	var crd apix.CustomResourceDefinition
	if err := m.client.Get(ctx, types.NamespacedName{Name: name}, &crd); err != nil {
		return nil, err
	}
	d := &definition{name: name, resourceVersion: crd.ResourceVersion}
	if c := crd.Spec.Conversion; c != nil && c.Webhook != nil && c.Webhook.ClientConfig != nil {
		d.converts, d.bundle = true, c.Webhook.ClientConfig.CABundle
	}
	m.crds[name] = d
	return d, nil
}

// trust puts a bundle into all definitions that have another one. It tries all, and returns what failed.
func (m *Managed) trust(ctx context.Context, crds []*definition, bundle []byte) error {
	var failed []error
	for _, crd := range crds {
		if bytes.Equal(crd.bundle, bundle) {
			continue
		}
		if err := m.patch(ctx, crd, bundle); err != nil {
			failed = append(failed, fmt.Errorf("write caBundle of definition %s: %w", crd.name, err))
		}
	}
	if len(failed) == 1 {
		return failed[0]
	}
	return errors.Join(failed...)
}

// patch replaces the caBundle of a definition that is still what was read.
func (m *Managed) patch(ctx context.Context, crd *definition, bundle []byte) error {
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": crd.resourceVersion},
		"spec": map[string]any{"conversion": map[string]any{"webhook": map[string]any{
			"clientConfig": map[string]any{"caBundle": bundle},
		}}},
	})
	if err != nil {
		return err
	}
	var written metav1.PartialObjectMetadata
	written.SetGroupVersionKind(definitionKind)
	written.SetName(crd.name)
	if err := m.client.Patch(ctx, &written, client.RawPatch(types.MergePatchType, patch)); err != nil {
		return err
	}
	m.options.Log.InfoContext(ctx, "wrote caBundle", "definition", crd.name)
	m.crds[crd.name] = &definition{name: crd.name, resourceVersion: written.ResourceVersion, converts: true, bundle: bundle}
	return nil
}
