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

// NewClient makes a client for Managed. It sends only the requests that Managed needs.
func NewClient(config *rest.Config) (client.Client, error) {
	scheme := k8sruntime.NewScheme()
	if err := errors.Join(corev1.AddToScheme(scheme), apix.AddToScheme(scheme)); err != nil {
		return nil, fmt.Errorf("register types: %w", err)
	}
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(corev1.SchemeGroupVersion.WithKind("Secret"), meta.RESTScopeNamespace)
	mapper.Add(crdKind, meta.RESTScopeRoot)
	return client.New(config, client.Options{Scheme: scheme, Mapper: mapper})
}

// absent is the reason for waiting for a CRD that does not exist.
const absent = "it does not exist"

var crdKind = apix.SchemeGroupVersion.WithKind("CustomResourceDefinition")

// crdState holds the fields of a CRD that Managed uses.
type crdState struct {
	name            string
	resourceVersion string
	converts        bool // by a webhook; otherwise no client would trust the CA yet
	bundle          []byte
}

// readCRDs reads all CRDs that exist and convert by a webhook. The error lists those that could not
// be read. CRDs can be large, so that only changed ones are read whole.
func (m *Managed) readCRDs(ctx context.Context) (all []*crdState, err error) {
	var failed []error
	awaited := map[string]string{}
	for _, name := range m.options.CRDs {
		d, err := m.readCRD(ctx, name)
		switch {
		case apierrors.IsNotFound(err):
			awaited[name] = absent
		case err != nil:
			failed = append(failed, fmt.Errorf("read CRD %s: %w", name, err))
		case !d.converts:
			awaited[name] = "its spec.conversion names no webhook"
		default:
			all = append(all, d)
		}
	}
	m.await(ctx, awaited)
	if m.noneExists() {
		failed = append(failed, fmt.Errorf("none of the CRDs exists: %s", strings.Join(m.options.CRDs, ", ")))
	}
	return all, errors.Join(failed...)
}

// await remembers which CRDs are still missing, and logs each once.
func (m *Managed) await(ctx context.Context, awaited map[string]string) {
	for _, name := range m.options.CRDs {
		if why := awaited[name]; why != "" && why != m.awaited[name] {
			m.options.Log.WarnContext(ctx, "waiting for a CRD", "crd", name, "because", why)
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

func (m *Managed) readCRD(ctx context.Context, name string) (*crdState, error) {
	if known := m.crds[name]; known != nil {
		var head metav1.PartialObjectMetadata
		head.SetGroupVersionKind(crdKind)
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
	d := &crdState{name: name, resourceVersion: crd.ResourceVersion}
	if c := crd.Spec.Conversion; c != nil && c.Webhook != nil && c.Webhook.ClientConfig != nil {
		d.converts, d.bundle = true, c.Webhook.ClientConfig.CABundle
	}
	m.crds[name] = d
	return d, nil
}

// trust writes a bundle into all CRDs that have another one. It tries all, and returns all errors.
func (m *Managed) trust(ctx context.Context, crds []*crdState, bundle []byte) error {
	var failed []error
	for _, crd := range crds {
		if bytes.Equal(crd.bundle, bundle) {
			continue
		}
		if err := m.patch(ctx, crd, bundle); err != nil {
			failed = append(failed, fmt.Errorf("write caBundle of CRD %s: %w", crd.name, err))
		}
	}
	if len(failed) == 1 {
		return failed[0]
	}
	return errors.Join(failed...)
}

// patch replaces the caBundle of a CRD, unless the CRD has changed since it was read.
func (m *Managed) patch(ctx context.Context, crd *crdState, bundle []byte) error {
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
	written.SetGroupVersionKind(crdKind)
	written.SetName(crd.name)
	if err := m.client.Patch(ctx, &written, client.RawPatch(types.MergePatchType, patch)); err != nil {
		return err
	}
	m.options.Log.InfoContext(ctx, "wrote caBundle", "crd", crd.name)
	m.crds[crd.name] = &crdState{name: crd.name, resourceVersion: written.ResourceVersion, converts: true, bundle: bundle}
	return nil
}
