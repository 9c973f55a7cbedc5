package hubs_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stratakube/strata/operator/api"
	"github.com/stratakube/strata/operator/hubs"
	"github.com/stratakube/strata/operator/reconciler"
	"github.com/stratakube/strata/operator/resource"
)

// cluster has one CRD, and counts reads of it.
type cluster struct {
	crd    map[string]any
	fails  error
	lists  error // of lists alone
	whole  int
	listed []string // the field selectors of lists
}

// List lists the metadata of the CRD.
func (c *cluster) List(ctx context.Context, into client.ObjectList, options ...client.ListOption) error {
	if c.lists != nil {
		return c.lists
	}
	var o client.ListOptions
	o.ApplyOptions(options)
	c.listed = append(c.listed, o.FieldSelector.String())
	var one metav1.PartialObjectMetadata
	name, _, _ := unstructured.NestedString(c.crd, "metadata", "name")
	if err := c.Get(ctx, client.ObjectKey{Name: name}, &one); err != nil {
		return err
	}
	if o.FieldSelector.Matches(fields.Set{"metadata.name": name}) {
		into.(*metav1.PartialObjectMetadataList).Items = []metav1.PartialObjectMetadata{one}
	}
	return nil
}

func (c *cluster) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	name, _, _ := unstructured.NestedString(c.crd, "metadata", "name")
	if c.fails != nil {
		return c.fails
	}
	if key.Name != name {
		return apierrors.NewNotFound(schema.GroupResource{Resource: "customresourcedefinitions"}, key.Name)
	}
	if whole, is := into.(*unstructured.Unstructured); is {
		c.whole++
		whole.Object = k8sruntime.DeepCopyJSON(c.crd)
		return nil
	}
	return k8sruntime.DefaultUnstructuredConverter.FromUnstructured(c.crd, into)
}

// store makes a version the storage version.
func (c *cluster) store(version string, generation int64) {
	c.crd = map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "persons.crm.example.com", "uid": "a", "generation": generation},
		"spec": map[string]any{"versions": []any{
			map[string]any{"name": "v20180808", "served": true, "storage": false},
			map[string]any{"name": version, "served": true, "storage": true},
		}},
	}
}

func watch(t *testing.T, c *cluster, log *slog.Logger) (*hubs.Watch, *resource.Kind) {
	t.Helper()
	scheme := k8sruntime.NewScheme()
	if err := api.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	kinds, err := resource.Read(scheme)
	if err != nil {
		t.Fatal(err)
	}
	person := kinds.Of(schema.GroupKind{Group: "crm.example.com", Kind: "Person"})
	scheme.AddKnownTypeWithName(person.Hub.GroupKind().WithVersion("v20180808storage"), &metav1.PartialObjectMetadata{}) // a former hub
	mapper := meta.NewDefaultRESTMapper([]schema.GroupVersion{person.Hub.GroupVersion()})
	mapper.AddSpecific(person.Hub, person.Hub.GroupVersion().WithResource("persons"), person.Hub.GroupVersion().WithResource("person"), meta.RESTScopeNamespace)
	return hubs.New(hubs.Options{Reader: c, Mapper: mapper, Scheme: scheme, Kinds: kinds.All(), Log: log}), person
}

// TestUpgradeIsNoticed moves the storage version from a former hub to the hub of the operator,
// to one that it does not know, and back.
func TestUpgradeIsNoticed(t *testing.T) {
	var c cluster
	var log strings.Builder
	w, person := watch(t, &c, slog.New(slog.NewTextHandler(&log, nil)))
	for i, step := range []struct{ stored, reason, message string }{
		{"v20180808storage", reconciler.UpgradePending, "and this operator stores v20190909storage"},
		{"v20190909storage", "", ""},
		{"v20200101storage", hubs.HubUnknown, "which this operator does not know"},
		{"v20190909storage", "", ""},
		{"v20180808storage", reconciler.UpgradePending, "it waits"},
	} {
		c.store(step.stored, int64(i+1))
		for range 2 {
			if err := w.Look(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		err := w.Check(person)
		var f *hubs.Finding
		switch {
		case step.reason == "":
			if err != nil || w.Err() != nil {
				t.Errorf("stored in %s: %v", step.stored, err)
			}
		case !errors.As(err, &f) || f.Reason != step.reason || f.Stored != step.stored || !strings.Contains(err.Error(), step.message):
			t.Errorf("stored in %s: %v, want %s", step.stored, err, step.reason)
		case len(w.Findings()) != 1 || f.CRD != "persons.crm.example.com" || f.UID != "a":
			t.Errorf("stored in %s: findings %+v", step.stored, w.Findings())
		}
		if c.whole != i+1 {
			t.Errorf("after %d changes the CRD was read %d times", i+1, c.whole)
		}
	}
	if n := strings.Count(log.String(), "\n"); n != 5 {
		t.Errorf("%d lines were logged:\n%s", n, &log)
	}
}

// TestAPIServerThatDoesNotAnswer keeps the last finding, and a user without the right to read
// CRDs has none.
func TestAPIServerThatDoesNotAnswer(t *testing.T) {
	var c cluster
	var log strings.Builder
	w, person := watch(t, &c, slog.New(slog.NewTextHandler(&log, nil)))
	c.store("v20200101storage", 1)
	if err := w.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.fails = errors.New("no answer")
	if err := w.Look(t.Context()); err == nil || !strings.Contains(err.Error(), "read the CRD of") {
		t.Errorf("error %v", err)
	}
	if w.Check(person) == nil {
		t.Error("the finding was forgotten")
	}

	other, person := watch(t, &c, slog.New(slog.NewTextHandler(&log, nil)))
	log.Reset()
	c.fails = apierrors.NewForbidden(schema.GroupResource{Resource: "customresourcedefinitions"}, "persons.crm.example.com", errors.New("no role"))
	for range 2 {
		if err := other.Look(t.Context()); err != nil || other.Check(person) != nil {
			t.Errorf("without the right: %v, %v", err, other.Check(person))
		}
	}
	if strings.Count(log.String(), "may not read CRDs") != 1 {
		t.Errorf("the log is %s", &log)
	}
}

// TestRecreatedCRD has the generation of the one before it. The watch reads it all the
// same, and forgets the finding of a CRD that was deleted.
func TestRecreatedCRD(t *testing.T) {
	var c cluster
	w, person := watch(t, &c, slog.New(slog.DiscardHandler))
	look := func(uid, stored string) error {
		t.Helper()
		if c.crd = map[string]any{}; uid != "" {
			c.store(stored, 1)
			c.crd["metadata"].(map[string]any)["uid"] = uid
		}
		if err := w.Look(t.Context()); err != nil {
			t.Fatal(err)
		}
		return w.Check(person)
	}
	if err := look("a", "v20190909storage"); err != nil {
		t.Error(err)
	}
	var f *hubs.Finding
	if err := look("b", "v20200101storage"); !errors.As(err, &f) || f.UID != "b" {
		t.Errorf("the CRD that another release has created has no finding: %v", err)
	}
	if err := look("", ""); err != nil {
		t.Errorf("the finding of a deleted CRD stays: %v", err)
	}
	if err := look("c", "v20200101storage"); !errors.As(err, &f) || f.UID != "c" {
		t.Errorf("the CRD after it has no finding: %v", err)
	}
	if err := look("d", "v20190909storage"); err != nil {
		t.Errorf("the finding of another CRD stays: %v", err)
	}
}

// late is a cluster whose API servers answer from old caches, unless they are asked for etcd.
type late struct {
	cluster
	cache map[string]any
}

func (l *late) Get(ctx context.Context, key client.ObjectKey, into client.Object, options ...client.GetOption) error {
	var how client.GetOptions
	how.ApplyOptions(options)
	if how.Raw != nil && how.Raw.ResourceVersion == "0" {
		return (&cluster{crd: l.cache}).Get(ctx, key, into)
	}
	return l.cluster.Get(ctx, key, into)
}

// TestConfirm finds a hub that has moved and that no cache shows yet. A later look at a cache
// that is still old does not hide it.
func TestConfirm(t *testing.T) {
	var l late
	w, person := watch(t, &l.cluster, slog.New(slog.DiscardHandler))
	w.Reader = &l
	l.store("v20190909storage", 1)
	l.cache = l.crd
	if stopped, err := w.Confirm(t.Context(), person); stopped != nil || err != nil {
		t.Fatalf("its own hub: %v, %v", stopped, err)
	}
	if diff := cmp.Diff([]string{"metadata.name=persons.crm.example.com"}, l.listed); diff != "" {
		t.Errorf("lists of CRDs (-want +got):\n%s", diff)
	}
	l.store("v20200101storage", 2)
	if err := w.Look(t.Context()); err != nil || w.Check(person) != nil {
		t.Fatalf("the cache is old: %v, %v", err, w.Check(person))
	}
	for range 2 {
		var f *hubs.Finding
		if stopped, err := w.Confirm(t.Context(), person); err != nil || !errors.As(stopped, &f) || f.Reason != hubs.HubUnknown {
			t.Errorf("a hub that has moved: %v, %v", stopped, err)
		}
		if err := w.Look(t.Context()); err != nil || w.Check(person) == nil {
			t.Errorf("an old cache hides the finding: %v", err)
		}
	}
	l.lists = apierrors.NewForbidden(schema.GroupResource{Resource: "customresourcedefinitions"}, "", errors.New("no role"))
	l.store("v20210101storage", 3)
	if stopped, err := w.Confirm(t.Context(), person); err != nil || stopped == nil || !strings.Contains(stopped.Error(), "v20210101storage") {
		t.Errorf("a hub that has moved again, without the right to list: %v, %v", stopped, err)
	}
	l.lists, l.fails = nil, errors.New("no answer")
	if _, err := w.Confirm(t.Context(), person); err == nil {
		t.Error("an API server that does not answer confirms")
	}
	l.fails = apierrors.NewForbidden(schema.GroupResource{Resource: "customresourcedefinitions"}, "persons.crm.example.com", errors.New("no role"))
	if stopped, err := w.Confirm(t.Context(), person); stopped != nil || err != nil {
		t.Errorf("without the right: %v, %v", stopped, err)
	}
}
