package crds

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/stratakube/strata/tools/testcluster/apiserver"
)

// Cached is how much memory an API server takes for each object of a kind.
type Cached struct {
	Served  int // versions
	Objects int
	Bytes   int   // of an object as JSON, without what the API server adds
	Heap    int64 // of all objects
}

// HeapOfEach returns the bytes of heap for each object.
func (c Cached) HeapOfEach() int64 { return c.Heap / int64(c.Objects) }

// members is how many members of 64 bytes an object of [Cache] has.
const members = 60

// Cache creates objects of some 6 KB on a new API server, of a kind that serves a number of
// versions. Its versions are converted without a webhook, which would not change what they take.
func Cache(ctx context.Context, served, objects int, report func(string)) (c Cached, err error) {
	c = Cached{Served: served, Objects: objects}
	cluster, err := apiserver.Start(ctx, apiserver.Options{Report: report})
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, cluster.Stop()) }()
	config := rest.CopyConfig(cluster.Config)
	config.QPS = -1
	clients, err := kubernetes.NewForConfig(config)
	if err != nil {
		return c, fmt.Errorf("cache objects: %w", err)
	}
	through, err := dynamic.NewForConfig(config)
	if err != nil {
		return c, fmt.Errorf("cache objects: %w", err)
	}
	definitions, err := apiextensions.NewForConfig(config)
	if err != nil {
		return c, fmt.Errorf("cache objects: %w", err)
	}
	if _, err := definitions.ApiextensionsV1().CustomResourceDefinitions().Create(ctx, boxes(served), metav1.CreateOptions{}); err != nil {
		return c, fmt.Errorf("create CRD: %w", err)
	}
	s := server{cluster, clients.Discovery().RESTClient()}
	if err := all(ctx, through, served, 0); err != nil {
		return c, err
	}
	before, err := s.heap(ctx)
	if err != nil {
		return c, err
	}
	of := through.Resource(box(1)).Namespace("default")
	for i := range objects {
		object := content(i)
		text, err := object.MarshalJSON()
		if err != nil {
			return c, fmt.Errorf("create object: %w", err)
		}
		c.Bytes = len(text)
		if _, err := of.Create(ctx, object, metav1.CreateOptions{}); err != nil {
			return c, fmt.Errorf("create object: %w", err)
		}
	}
	if err := all(ctx, through, served, objects); err != nil {
		return c, err
	}
	after, err := s.heap(ctx)
	c.Heap = after - before
	report(fmt.Sprintf("%+v", c))
	return c, err
}

func box(version int) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "cached.example.com", Version: "v" + strconv.Itoa(version), Resource: "boxes"}
}

func boxes(served int) *v1.CustomResourceDefinition {
	keep := true
	d := &v1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "boxes." + box(1).Group},
		Spec: v1.CustomResourceDefinitionSpec{
			Group: box(1).Group, Scope: v1.NamespaceScoped,
			Names: v1.CustomResourceDefinitionNames{Plural: "boxes", Singular: "box", Kind: "Box", ListKind: "BoxList"},
		},
	}
	for i := range served {
		d.Spec.Versions = append(d.Spec.Versions, v1.CustomResourceDefinitionVersion{
			Name: box(i + 1).Version, Served: true, Storage: i == 0,
			Schema: &v1.CustomResourceValidation{OpenAPIV3Schema: &v1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &keep}},
		})
	}
	return d
}

func content(i int) *unstructured.Unstructured {
	spec := map[string]any{}
	for m := range members {
		spec[fmt.Sprintf("member-%02d", m)] = fmt.Sprintf("%08d-%03d-%s", i, m, strings.Repeat("x", 64))
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": box(1).GroupVersion().String(), "kind": "Box", "metadata": map[string]any{"name": fmt.Sprintf("box-%d", i)}, "spec": spec,
	}}
}

// all waits until the cache of each version has all objects.
func all(ctx context.Context, through dynamic.Interface, served, objects int) error {
	return wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, 2*time.Minute, true, func(ctx context.Context) (bool, error) {
		for i := range served {
			list, err := through.Resource(box(i+1)).List(ctx, metav1.ListOptions{ResourceVersion: "0"})
			if err != nil || len(list.Items) != objects {
				return false, nil //nolint:nilerr // the version is not served yet
			}
		}
		return true, nil
	})
}
