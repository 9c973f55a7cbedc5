package stages

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"

	"github.com/stratakube/strata/operator/cluster/internal/converter"
	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/dependents"
	"github.com/stratakube/strata/operator/cluster/internal/pack"
	"github.com/stratakube/strata/operator/cluster/internal/record"
	"github.com/stratakube/strata/operator/cluster/internal/rewrite"
	"github.com/stratakube/strata/operator/cluster/internal/upgrade"
)

const (
	none = `{"strategy": "None"}`
	hook = `{"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": {"service": {"namespace": "n", "name": "w"}}}}`
)

// notes returns a CRD of generation 1. Versions are such as v1, which is served, and -v0, which is
// not. The first one is the storage version.
func notes(uid, conversion string, versions ...string) string {
	var list []string
	for i, v := range versions {
		served := map[bool]string{true: "false", false: "true"}[strings.HasPrefix(v, "-")]
		storage := map[bool]string{true: "true", false: "false"}[i == 0]
		list = append(list, `{"name": "`+strings.TrimPrefix(v, "-")+`", "served": `+served+`, "storage": `+storage+`, "schema": {"openAPIV3Schema": {"type": "object"}}}`)
	}
	return `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "notes.example.com", "uid": "` + uid + `", "generation": 1},
		"spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "notes", "kind": "Note"}, "conversion": ` + conversion + `, "versions": [` + strings.Join(list, ",") + `]},
		"status": {"storedVersions": ["` + versions[0] + `"]}}`
}

// run returns a process that works on an upgrade of a cluster with a CRD. The package has another
// one. Each may be empty.
func run(t *testing.T, spec *record.Spec, installed, brought string) *Run {
	t.Helper()
	client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
		crd.Resource: "CustomResourceDefinitionList", {Group: "cluster.strata.dev", Version: "v1alpha1", Resource: "storageupgrades"}: "StorageUpgradeList",
	})
	if installed != "" {
		if _, err := client.Resource(crd.Resource).Create(t.Context(), object(t, installed), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	r := &Run{Tools: Tools{CRDs: client, Store: record.Store{Client: client}, Log: func(string) {}, Replicas: func(context.Context, *crd.CRD, []string) (int, error) { return 1, nil }}}
	if brought != "" {
		d, err := crd.Parse([]byte(brought))
		if err != nil {
			t.Fatal(err)
		}
		r.Package = &pack.Package{CRDs: []*crd.CRD{d}}
	}
	u, err := r.Store.Create(t.Context(), &record.Upgrade{ObjectMeta: metav1.ObjectMeta{Name: "u"}, Spec: *spec})
	if err != nil {
		t.Fatal(err)
	}
	r.upgrade = u
	if err := r.begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *Run) installed(t *testing.T) (*crd.CRD, *unstructured.Unstructured) {
	t.Helper()
	d, err := crd.Get(t.Context(), r.CRDs, "notes.example.com")
	if err != nil {
		t.Fatal(err)
	}
	return d, object(t, string(d.Text))
}

func upgraded(kinds ...record.Kind) *record.Spec {
	return &record.Spec{Plan: "p", Package: "q", Goal: record.Upgraded, Kinds: kinds}
}

// TestCreatedKindIsContinued has an upgrade be continued, or rolled back, whose process was killed
// after it had created a kind.
func TestCreatedKindIsContinued(t *testing.T) {
	for _, goal := range []record.Goal{record.Upgraded, record.RolledBack} {
		spec := upgraded(record.Kind{CRD: "notes.example.com", To: "v1"})
		spec.Goal, spec.Back = goal, goal == record.RolledBack
		r := run(t, spec, notes("x", hook, "v1"), notes("", hook, "v1"))
		if err := change(t.Context(), r); err != nil {
			t.Errorf("%s: %v", goal, err)
		}
	}
}

// TestWebhookThatFollowsIsAsked has the webhook of the CRD that follows be asked: also of a kind
// that has none yet, and of a kind that the upgrade creates.
func TestWebhookThatFollowsIsAsked(t *testing.T) {
	for name, installed := range map[string]string{"the first webhook": notes("x", none, "v1"), "a new kind": ""} {
		k := record.Kind{CRD: "notes.example.com", UID: "x", From: "v1", To: "v1"}
		if installed == "" {
			k.UID, k.From = "", ""
		}
		r := run(t, upgraded(k), installed, notes("", hook, "v1"))
		asked := 0
		r.Replicas = func(_ context.Context, d *crd.CRD, versions []string) (int, error) {
			asked++
			if s, _, _ := unstructured.NestedString(object(t, string(d.Text)).Object, "spec", "conversion", "strategy"); s != "Webhook" || !slices.Equal(versions, []string{"v1"}) {
				t.Errorf("%s: asked for %v with the strategy %s", name, versions, s)
			}
			return 1, nil
		}
		if err := webhook.Verify(t.Context(), r); err != nil || asked != 1 {
			t.Errorf("%s: asked %d times: %v", name, asked, err)
		}
	}
}

// TestNoServedVersionGoesBeforePrune refuses a webhook that does not convert a version which
// clients use, although no object is stored in it.
func TestNoServedVersionGoesBeforePrune(t *testing.T) {
	for _, test := range []struct {
		version string
		refused bool
	}{{"v0", true}, {"-v0", false}} {
		r := run(t, upgraded(record.Kind{CRD: "notes.example.com", UID: "x", From: "v1", To: "v2", Gone: []string{"v0"}}), notes("x", hook, "v1", test.version), notes("", hook, "v2", "v1"))
		r.Plan = planOf(r)
		if err := webhook.Verify(t.Context(), r); (err != nil) != test.refused {
			t.Errorf("%s: %v", test.version, err)
		}
	}
}

// TestProcessThatWasReplacedWritesNothing has another process begin to work, and another goal be
// set, before a process writes the status or a CRD.
func TestProcessThatWasReplacedWritesNothing(t *testing.T) {
	spec := upgraded(record.Kind{CRD: "notes.example.com", UID: "x", From: "v1", To: "v2"})
	r := run(t, spec, notes("x", hook, "v1"), notes("", hook, "v2", "v1"))
	r.Plan = planOf(r)
	u, err := r.Store.Get(t.Context(), "u")
	if err != nil {
		t.Fatal(err)
	}
	next := &Run{Tools: r.Tools, upgrade: u}
	if err := next.begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.change(t.Context(), func(s *record.Status) { s.Stage = "Prune" }); !errors.Is(err, record.ErrTaken) {
		t.Errorf("the status is written: %v", err)
	}
	if err := change(t.Context(), r); !errors.Is(err, record.ErrTaken) {
		t.Errorf("the CRD is written: %v", err)
	}
	if d, _ := r.installed(t); d.Hub() != "v1" {
		t.Errorf("it stores %s", d.Hub())
	}
	if _, err := r.Store.Set(t.Context(), "u", map[string]any{"goal": record.RolledBack, "back": true}); err != nil {
		t.Fatal(err)
	}
	if err := change(t.Context(), next); !errors.Is(err, errStopped) {
		t.Errorf("the CRD is written towards another goal: %v", err)
	}
}

// pruning returns an upgrade to v2 that is to be pruned of v1, and whose evidence is about a
// generation of the CRD.
func pruning(t *testing.T, installed string, generation int64) *Run {
	t.Helper()
	spec := upgraded(record.Kind{CRD: "notes.example.com", UID: "x", From: "v1", To: "v2", Gone: []string{"v1"}})
	spec.Goal = record.Pruned
	r := run(t, spec, installed, notes("", hook, "v2"))
	r.upgrade.Spec.Kinds[0].Gone = []string{"v1"}
	of := r.upgrade.Status.Of("notes.example.com")
	of.Marker, of.Generation = "7", generation
	of.Evidence = &record.Evidence{Version: "v2", Generation: generation, Marker: "7"}
	return r
}

// TestEvidenceEndsWithSpecOfItsCRD refuses to shorten status.storedVersions after another
// program has changed the spec. Objects may have been stored in another version meanwhile.
func TestEvidenceEndsWithSpecOfItsCRD(t *testing.T) {
	for _, test := range []struct {
		generation int64
		want       error
	}{{1, nil}, {2, errChanged}} {
		r := pruning(t, notes("x", hook, "v2", "v1"), test.generation)
		if err := hasMarkers(t.Context(), r); !errors.Is(err, test.want) {
			t.Errorf("generation %d: the marker: %v", test.generation, err)
		}
		if err := hasProofs(t.Context(), r); !errors.Is(err, test.want) {
			t.Errorf("generation %d: the evidence: %v", test.generation, err)
		}
		_, o := r.installed(t)
		_ = unstructured.SetNestedStringSlice(o.Object, []string{"v1", "v2"}, "status", "storedVersions")
		if _, err := r.CRDs.Resource(crd.Resource).Update(t.Context(), o, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := r.shorten(t.Context(), &r.upgrade.Spec.Kinds[0]); !errors.Is(err, test.want) {
			t.Errorf("generation %d: shortened: %v", test.generation, err)
		}
		d, _ := r.installed(t)
		if is := slices.Equal(d.Stored, []string{"v2"}); is != (test.want == nil) {
			t.Errorf("generation %d: the stored versions are %v", test.generation, d.Stored)
		}
	}
}

// TestFailedRunLeavesNoEvidence has the evidence of an earlier run go before Verify begins.
func TestFailedRunLeavesNoEvidence(t *testing.T) {
	r := pruning(t, notes("x", hook, "v2", "v1"), 2)
	r.upgrade.Spec.Kinds[0].Rewrite = true
	r.Rewriting = rewritingOf
	if err := prove(t.Context(), r); !errors.Is(err, errChanged) {
		t.Errorf("it is proved: %v", err)
	}
	u, err := r.Store.Get(t.Context(), "u")
	if err != nil || u.Status.Of("notes.example.com").Evidence != nil {
		t.Errorf("the evidence stays: %v, %v", u.Status.Of("notes.example.com").Evidence, err)
	}
}

// TestPruneLeavesAllElse prunes a CRD to which a later package has brought a version and members.
func TestPruneLeavesAllElse(t *testing.T) {
	r := pruning(t, notes("x", hook, "v2", "v1", "v3"), 1)
	if err := isUnserved(t.Context(), r); err == nil {
		t.Error("v1 counts as unserved")
	}
	if err := unserveAll(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if err := isUnserved(t.Context(), r); err != nil {
		t.Error(err)
	}
	if err := isPruned(t.Context(), r); err == nil {
		t.Error("it counts as pruned with v1")
	}
	healed := 0
	r.Heal = func(context.Context, []dependents.Owner) (dependents.Healed, error) {
		healed++
		return dependents.Healed{}, nil
	}
	if err := pruneAll(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if healed != 1 {
		t.Errorf("dependents that were made since the stage Owners are healed %d times", healed)
	}
	d, _ := r.installed(t)
	var is []string
	for _, v := range d.Versions {
		is = append(is, v.Name)
	}
	if !slices.Equal(is, []string{"v2", "v3"}) || !d.Versions[1].Served {
		t.Errorf("it has the versions %v", is)
	}
	if err := isPruned(t.Context(), r); err != nil {
		t.Error(err)
	}
}

// TestPruneNeedsPackage refuses a package that serves a version which goes.
func TestPruneNeedsPackage(t *testing.T) {
	r := pruning(t, notes("x", hook, "v2", "v1"), 1)
	d, err := crd.Parse([]byte(notes("", hook, "v2", "v1")))
	if err != nil {
		t.Fatal(err)
	}
	r.Package.CRDs[0] = d
	if err := unserveAll(t.Context(), r); err == nil || !strings.Contains(err.Error(), "serves v1") {
		t.Errorf("it is pruned: %v", err)
	}
}

// planOf returns a plan about the CRD as it is installed.
func planOf(r *Run) *upgrade.Plan {
	return &upgrade.Plan{Kinds: []upgrade.Kind{{CRD: "notes.example.com", Generation: 1}}, Converter: &converter.Versions{
		Kinds: []converter.Kind{{Group: "example.com", Kind: "Note", Versions: []string{"v1", "v2"}}},
	}}
}

func rewritingOf(*crd.CRD, []string) (rewrite.Options, error) { return rewrite.Options{}, nil }

// TestReplacedProcessShortensNothing has another process begin to work before one shortens
// status.storedVersions, or removes versions.
func TestReplacedProcessShortensNothing(t *testing.T) {
	for _, stored := range [][]string{{"v1", "v2"}, {"v2"}} {
		r := pruning(t, notes("x", hook, "v2", "v1"), 1)
		_, o := r.installed(t)
		_ = unstructured.SetNestedStringSlice(o.Object, stored, "status", "storedVersions")
		if _, err := r.CRDs.Resource(crd.Resource).Update(t.Context(), o, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		r.Heal = func(context.Context, []dependents.Owner) (dependents.Healed, error) { return dependents.Healed{}, nil }
		u, err := r.Store.Get(t.Context(), "u")
		if err != nil {
			t.Fatal(err)
		}
		next := &Run{Tools: r.Tools, upgrade: u}
		if err := next.begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := r.each(func(k *record.Kind) error { return r.shorten(t.Context(), k) }); len(stored) > 1 && !errors.Is(err, record.ErrTaken) {
			t.Errorf("stored in %v: shortened: %v", stored, err)
		}
		if err := pruneAll(t.Context(), r); !errors.Is(err, record.ErrTaken) {
			t.Errorf("stored in %v: pruned: %v", stored, err)
		}
		if d, _ := r.installed(t); !slices.Equal(d.Stored, stored) || len(d.Versions) != 2 {
			t.Errorf("it is stored in %v, and has %d versions", d.Stored, len(d.Versions))
		}
	}
}

// TestSpecThatChangesWhileSettling takes no marker if the CRD changes while API servers are
// awaited: it may have had another storage version in between.
func TestSpecThatChangesWhileSettling(t *testing.T) {
	r := run(t, upgraded(record.Kind{CRD: "notes.example.com", UID: "x", From: "v1", To: "v2", Rewrite: true}), notes("x", hook, "v2", "v1"), "")
	r.Rewriting = func(*crd.CRD, []string) (rewrite.Options, error) {
		t.Error("a marker is taken")
		return rewrite.Options{}, errors.New("no client")
	}
	r.Await = func(context.Context, *crd.CRD, []string) error {
		_, o := r.installed(t)
		o.SetGeneration(3)
		_, err := r.CRDs.Resource(crd.Resource).Update(t.Context(), o, metav1.UpdateOptions{})
		return err
	}
	if err := await(t.Context(), r); !errors.Is(err, errChanged) {
		t.Errorf("the stage ends with %v", err)
	}
}

// TestOwnersAreAllHealed ends the stage if an owner reference cannot be healed, or was not read.
func TestOwnersAreAllHealed(t *testing.T) {
	for want, healed := range map[string]dependents.Healed{
		"":                  {},
		"--ignore-unread":   {Unread: []dependents.Unread{{Resource: "secrets", Reason: "no right"}}},
		"one is a/b: no ca": {Failed: 1, Examples: []dependents.Failed{{Object: "a/b", Reason: "no can do"}}},
	} {
		r := pruning(t, notes("x", hook, "v2", "v1"), 1)
		r.Heal = func(context.Context, []dependents.Owner) (dependents.Healed, error) { return healed, nil }
		if err := heal(t.Context(), r); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}
