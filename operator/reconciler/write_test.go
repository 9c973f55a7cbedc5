package reconciler

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stratakube/strata/operator/annotation"
)

// writer stores patches, and returns given errors.
type writer struct {
	client.Client
	answers []error // the last one is repeated
	at      []time.Time
	patches []metadata
}

func (w *writer) Patch(_ context.Context, into client.Object, patch client.Patch, _ ...client.PatchOption) error {
	data, err := patch.Data(into)
	var sent map[string]metadata
	if err = errors.Join(err, json.Unmarshal(data, &sent)); err != nil {
		return err
	}
	w.at, w.patches = append(w.at, time.Now()), append(w.patches, sent["metadata"])
	into.SetUID("u")
	into.SetResourceVersion("2")
	into.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "m"}})
	return w.answers[min(len(w.at), len(w.answers))-1]
}

// TestLearnedStateIsWritten makes the API server fail while the operator writes a result that
// it may not learn again.
func TestLearnedStateIsWritten(t *testing.T) {
	of := schema.GroupResource{Resource: "persons"}
	down := apierrors.NewServiceUnavailable("no")
	for _, test := range []struct {
		reason  string
		answers []error
		ended   bool
		tries   int
		want    func(error) bool
	}{
		{"at once", []error{nil}, false, 1, func(err error) bool { return err == nil }},
		{"after failures", []error{down, down, down, nil}, false, 4, func(err error) bool { return err == nil }},
		{"although the operator ends", []error{down, nil}, true, 2, func(err error) bool { return err == nil }},
		{"another client wrote", []error{apierrors.NewConflict(of, "ada", errors.New("no")), nil}, false, 2, func(err error) bool { return err == nil }},
		{"the object is gone", []error{apierrors.NewNotFound(of, "ada")}, false, 1, apierrors.IsNotFound},
		{"it is not valid", []error{apierrors.NewInvalid(schema.GroupKind{}, "ada", nil)}, false, 1, apierrors.IsInvalid},
		{"it is forbidden", []error{apierrors.NewForbidden(of, "ada", errors.New("no"))}, false, 1, apierrors.IsForbidden},
		{"never", []error{down}, false, 8, apierrors.IsServiceUnavailable},
	} {
		t.Run(test.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if test.ended {
					cancel()
				}
				w := &writer{answers: test.answers}
				p := passOf(t, Options{Client: w})
				learned := annotation.State{Owned: true, ID: "/a"}
				began := time.Now()
				err := p.remember(ctx, learned)
				if !test.want(err) || len(w.at) != test.tries {
					t.Errorf("it ends with %v after %d tries, want %d", err, len(w.at), test.tries)
				}
				for i := range w.at[1:] {
					if pause, want := w.at[i+1].Sub(w.at[i]), 50*time.Millisecond<<i; pause != want {
						t.Errorf("pause %d is %v, want %v", i, pause, want)
					}
				}
				if took := time.Since(began); took > 10*time.Second {
					t.Errorf("it was tried for %v", took)
				}
				if isKnown := p.recorded.ID == "/a"; isKnown != (err == nil) {
					t.Errorf("the marks are %+v", p.recorded)
				}
			})
		})
	}
}

// TestPatches is a table over the written and the omitted metadata of an object.
func TestPatches(t *testing.T) {
	owner := func(uid, version string) metav1.OwnerReference {
		return metav1.OwnerReference{APIVersion: "crm.example.com/" + version, Kind: "Person", Name: "ada", UID: types.UID(uid)}
	}
	owned := annotation.State{Owned: true, ID: "/a"}
	for _, test := range []struct {
		reason     string
		has        annotation.State
		recorded   annotation.State
		finalizers []string
		references []metav1.OwnerReference
		owner      *metav1.OwnerReference
		edit       func(*pass) func(*metadata)
		names      []string // of annotations; nil for no patch
		kept       []string
		belongs    []metav1.OwnerReference
	}{
		{reason: "nothing is new", has: owned, recorded: owned},
		{reason: "an identifier is new", has: annotation.State{Owned: true}, recorded: owned, names: []string{annotation.ID}},
		{reason: "an identifier is another one", has: annotation.State{Owned: true, ID: "/b"}, recorded: owned, names: []string{annotation.ID}},
		{reason: "what was applied goes", has: annotation.State{Owned: true, ID: "/a", Applied: "d"}, recorded: owned, names: []string{annotation.Applied}},
		{reason: "a claim", recorded: owned, edit: keeps, names: []string{annotation.Claim, annotation.ID}, kept: []string{"other", annotation.Finalizer}, finalizers: []string{"other"}},
		{reason: "a claim of an object that stays already", has: owned, recorded: owned, edit: keeps, finalizers: []string{annotation.Finalizer}},
		{reason: "an object that stays no more", has: owned, recorded: owned, edit: lets, finalizers: []string{"other", annotation.Finalizer}, names: []string{}, kept: []string{"other"}},
		{reason: "an object that never did", has: owned, recorded: owned, edit: lets, finalizers: []string{"other"}},
		{reason: "an owner", has: owned, recorded: owned, edit: belongs, owner: ptr(owner("a", "v2")), names: []string{}, belongs: []metav1.OwnerReference{owner("a", "v2")}},
		{
			reason: "an owner beside another one", has: owned, recorded: owned, edit: belongs, owner: ptr(owner("a", "v2")), names: []string{},
			references: []metav1.OwnerReference{owner("b", "v1")}, belongs: []metav1.OwnerReference{owner("b", "v1"), owner("a", "v2")},
		},
		{
			reason: "an owner under the version of before", has: owned, recorded: owned, edit: belongs, owner: ptr(owner("a", "v2")), names: []string{},
			references: []metav1.OwnerReference{owner("b", "v1"), owner("a", "v1")}, belongs: []metav1.OwnerReference{owner("b", "v1"), owner("a", "v2")},
		},
		{reason: "an owner that is known", has: owned, recorded: owned, edit: belongs, owner: ptr(owner("a", "v2")), references: []metav1.OwnerReference{owner("a", "v2")}},
		{reason: "no owner", has: owned, recorded: owned, edit: belongs, references: []metav1.OwnerReference{owner("b", "v1")}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			w := &writer{answers: []error{nil}}
			p := passOf(t, Options{Client: w})
			annotations := map[string]string{"another": "client"}
			for name, value := range test.has.Annotations("u") {
				if value != nil {
					annotations[name] = *value
				}
			}
			p.object.SetAnnotations(annotations)
			p.object.SetFinalizers(test.finalizers)
			p.object.SetOwnerReferences(test.references)
			p.object.SetResourceVersion("1")
			p.owner = test.owner
			var edit func(*metadata)
			if test.edit != nil {
				edit = test.edit(p)
			}
			if err := p.intend(t.Context(), test.recorded, edit); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.recorded, p.recorded); diff != "" {
				t.Errorf("the marks (-want +got):\n%s", diff)
			}
			if test.names == nil {
				if len(w.patches) > 0 {
					t.Errorf("it is written: %+v", w.patches)
				}
				return
			}
			if len(w.patches) != 1 {
				t.Fatalf("there are %d patches", len(w.patches))
			}
			patch := w.patches[0]
			var names []string
			for name := range patch.Annotations {
				names = append(names, name)
			}
			slices.Sort(names)
			slices.Sort(test.names)
			if diff := cmp.Diff(append([]string{}, test.names...), append([]string{}, names...)); diff != "" {
				t.Errorf("the annotations (-want +got):\n%s", diff)
			}
			if patch.UID != "u" || patch.ResourceVersion != "1" {
				t.Errorf("it is written to %s of %s", patch.UID, patch.ResourceVersion)
			}
			if (patch.Finalizers == nil) != (test.kept == nil) || patch.Finalizers != nil && !slices.Equal(*patch.Finalizers, test.kept) {
				t.Errorf("the finalizers are %v, want %v", patch.Finalizers, test.kept)
			}
			if diff := cmp.Diff(test.belongs, patch.OwnerReferences); diff != "" {
				t.Errorf("the owners (-want +got):\n%s", diff)
			}
			if p.object.GetResourceVersion() != "2" || p.object.GetManagedFields() != nil || p.memory.of(p.key, "u").written != "2" {
				t.Errorf("what is known of the object is %v", p.object)
			}
		})
	}
}

func ptr[T any](value T) *T { return &value }

func keeps(p *pass) func(*metadata) { return p.keepObject }

func lets(p *pass) func(*metadata) { return p.letGo }

func belongs(p *pass) func(*metadata) { return p.belong }

// TestSameKinds is a table over references, and whether they are to objects of one kind.
func TestSameKinds(t *testing.T) {
	of := func(version, kind string) metav1.OwnerReference {
		return metav1.OwnerReference{APIVersion: version, Kind: kind}
	}
	for _, test := range []struct {
		a, b metav1.OwnerReference
		want bool
	}{
		{of("g/v1", "A"), of("g/v2", "A"), true},
		{of("g/v1", "A"), of("g/v1", "B"), false},
		{of("g/v1", "A"), of("h/v1", "A"), false},
		{of("g/v1/x", "A"), of("g/v1/x", "A"), false},
		{of("/", "A"), of("g/h/v1", "A"), false},
	} {
		if isSameKind(test.a, test.b) != test.want || isSameKind(test.b, test.a) != test.want {
			t.Errorf("%s %s and %s %s are of one kind: %t", test.a.APIVersion, test.a.Kind, test.b.APIVersion, test.b.Kind, !test.want)
		}
	}
}
