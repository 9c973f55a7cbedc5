package reconciler

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/api/crm/v20170707"
	v20170707storage "github.com/stratakube/strata/operator/api/crm/v20170707/storage"
	"github.com/stratakube/strata/operator/resource"
)

// page is a page of a note: a resource whose owner has an owner.
type page struct{ v20170707.PersonsNote }

func (*page) ExternalType() string { return "Microsoft.Crm/persons/notes/pages" }

type pageHub struct{ v20170707storage.PersonsNote }

// reader returns some objects, and errors for others.
type reader struct {
	client.Client
	objects   map[string]*unstructured.Unstructured // by kind and name
	namespace *corev1.Namespace
	err       error
}

func (r *reader) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	if is, asked := into.(*corev1.Namespace); asked && r.namespace != nil {
		r.namespace.DeepCopyInto(is)
		return nil
	}
	gvk := into.GetObjectKind().GroupVersionKind()
	if key.Name == "" {
		return errors.New("a " + gvk.Kind + " without a name is asked for")
	}
	if found := r.objects[gvk.Kind+" "+key.String()]; found != nil {
		found.DeepCopyInto(into.(*unstructured.Unstructured))
		return nil
	}
	if r.err != nil {
		return r.err
	}
	return apierrors.NewNotFound(schema.GroupResource{Resource: gvk.Kind}, key.Name)
}

// TestOwners is a table over the owners of a page: a note, and a person.
func TestOwners(t *testing.T) {
	const group = "crm.example.com"
	scheme, _ := kindsOf(t)
	scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: group, Version: "v20170707", Kind: "Page"}, &page{})
	scheme.AddKnownTypeWithName(schema.GroupVersionKind{Group: group, Version: "v20170707storage", Kind: "Page"}, &pageHub{})
	set, err := resource.Read(scheme)
	if err != nil {
		t.Fatal(err)
	}
	pages := set.Of(schema.GroupKind{Group: group, Kind: "Page"})
	if pages == nil || pages.Parent.Kind != "PersonsNote" {
		t.Fatalf("the kind of pages is %+v", pages)
	}
	now := metav1.Now()
	for _, test := range []struct {
		reason string
		edit   func(note, person *unstructured.Unstructured)
		gone   []string
		err    error
		owned  bool
		owners []string // their kinds and versions
		parent string
		halts  string
		fails  bool
	}{
		{reason: "both are there", owners: []string{"PersonsNote v20130303 /n", "Person v20180808 /p"}, parent: "/n"},
		{reason: "nobody knows the version of one", edit: func(note, _ *unstructured.Unstructured) {
			unstructured.RemoveNestedField(note.Object, "spec", "originalVersion")
		}, owners: []string{"PersonsNote v20170707 /n", "Person v20180808 /p"}, parent: "/n"},
		{reason: "the note names its owner by the identifier", edit: func(note, _ *unstructured.Unstructured) {
			_ = unstructured.SetNestedField(note.Object, "/elsewhere", "spec", "owner", "armId")
		}, owners: []string{"PersonsNote v20130303 /n"}, parent: "/n"},
		{reason: "the note names none", edit: func(note, _ *unstructured.Unstructured) {
			unstructured.RemoveNestedField(note.Object, "spec", "owner")
		}, owners: []string{"PersonsNote v20130303 /n"}, parent: "/n"},
		{reason: "the person names an owner of no kind", edit: func(_, person *unstructured.Unstructured) {
			_ = unstructured.SetNestedField(person.Object, "crm", "spec", "owner", "name")
		}, owners: []string{"PersonsNote v20130303 /n", "Person v20180808 /p"}, parent: "/n"},
		{reason: "the person is gone", gone: []string{"Person"}, owners: []string{"PersonsNote v20130303 /n"}, parent: "/n"},
		{reason: "the person is not made", edit: func(_, person *unstructured.Unstructured) { person.SetAnnotations(nil) },
			owners: []string{"PersonsNote v20130303 /n", "Person v20180808 "}, parent: "/n"},
		{reason: "the note is gone", gone: []string{"PersonsNote"}, halts: "OwnerNotFound"},
		{reason: "the note is not made", edit: func(note, _ *unstructured.Unstructured) { note.SetAnnotations(nil) }, halts: "OwnerNotReady"},
		{reason: "the note is being deleted", edit: func(note, _ *unstructured.Unstructured) { note.SetDeletionTimestamp(&now) }, halts: "OwnerNotReady"},
		{reason: "the note is being deleted, and the page is there", owned: true, edit: func(note, _ *unstructured.Unstructured) { note.SetDeletionTimestamp(&now) },
			owners: []string{"PersonsNote v20130303 /n", "Person v20180808 /p"}, parent: "/n"},
		{reason: "the person is being deleted", edit: func(_, person *unstructured.Unstructured) { person.SetDeletionTimestamp(&now) },
			owners: []string{"PersonsNote v20130303 /n", "Person v20180808 /p"}, parent: "/n"},
		{reason: "the note cannot be read", gone: []string{"PersonsNote"}, err: errors.New("no"), fails: true},
		{reason: "the person cannot be read", gone: []string{"Person"}, err: errors.New("no"), fails: true},
	} {
		t.Run(test.reason, func(t *testing.T) {
			of := func(kind, version, id, name string, spec map[string]any) *unstructured.Unstructured {
				u := annotated(spec, annotation.Claim, "uid-of-"+name, annotation.ID, id)
				u.SetGroupVersionKind(schema.GroupVersionKind{Group: group, Version: version, Kind: kind})
				u.SetNamespace("default")
				u.SetName(name)
				u.SetUID(types.UID("uid-of-" + name))
				return u
			}
			note := of("PersonsNote", "v20170707storage", "/n", "first", map[string]any{"originalVersion": "v20130303", "owner": map[string]any{"name": "ada"}})
			person := of("Person", "v20190909storage", "/p", "ada", map[string]any{"originalVersion": "v20180808"})
			if test.edit != nil {
				test.edit(note, person)
			}
			all := &reader{err: test.err, objects: map[string]*unstructured.Unstructured{"PersonsNote default/first": note, "Person default/ada": person}}
			for _, kind := range test.gone {
				delete(all.objects, kind+" default/"+map[string]string{"PersonsNote": "first", "Person": "ada"}[kind])
			}
			object := of("Page", "v20170707storage", "", "one", map[string]any{"owner": map[string]any{"name": "first"}})
			r := New(pages, Options{Scheme: scheme, Kinds: set, Client: all})
			p := r.newPass(client.ObjectKeyFromObject(object), object, logr.Discard())
			p.recorded = annotation.State{Owned: test.owned}
			err := p.locate(t.Context())
			var h *halt
			if isHalt := errors.As(err, &h); isHalt != (test.halts != "") || isHalt && h.reason != test.halts || (err != nil) != (isHalt || test.fails) {
				t.Fatalf("it ends with %v, want %q", err, test.halts)
			}
			if err != nil {
				return
			}
			var owners []string
			for _, o := range p.owners {
				owners = append(owners, o.GetObject().GetKind()+" "+o.GetObject().GetVersion()+" "+o.GetId())
			}
			if diff := cmp.Diff(test.owners, owners); diff != "" {
				t.Errorf("the owners (-want +got):\n%s", diff)
			}
			if p.externalAddress != (annotation.Address{Parent: test.parent, Name: "one"}) {
				t.Errorf("the place is %+v", p.externalAddress)
			}
			if p.owner == nil || p.owner.UID != "uid-of-first" || p.owner.APIVersion != group+"/v20170707" || !*p.owner.BlockOwnerDeletion {
				t.Errorf("it refers to %+v", p.owner)
			}
		})
	}
}

// TestPlacesThatChange is a table over the claimed address and the address by the spec.
func TestPlacesThatChange(t *testing.T) {
	for _, test := range []struct {
		reason  string
		spec    map[string]any
		owned   bool
		was     annotation.Address
		want    annotation.Address
		halts   string
		message string
	}{
		{"a new object", nil, false, annotation.Address{}, annotation.Address{Name: "ada"}, "", ""},
		{"a name of its own", map[string]any{"azureName": "augusta"}, false, annotation.Address{}, annotation.Address{Name: "augusta"}, "", ""},
		{"the same place", nil, true, annotation.Address{Name: "ada"}, annotation.Address{Name: "ada"}, "", ""},
		{"a claim of earlier, without a place", nil, true, annotation.Address{}, annotation.Address{Name: "ada"}, "", ""},
		{"another name", map[string]any{"azureName": "augusta"}, true, annotation.Address{Name: "ada"}, annotation.Address{}, PlaceChanged, "the resource is ada, and"},
		{"another parent", nil, true, annotation.Address{Parent: "/a", Name: "ada"}, annotation.Address{}, PlaceChanged, "the resource is ada of /a, and"},
		{"what is only looked at may move", map[string]any{"azureName": "augusta"}, false, annotation.Address{Name: "ada"}, annotation.Address{Name: "augusta"}, "", ""},
		{"an owner that no kind is", map[string]any{"owner": map[string]any{"name": "crm"}}, false, annotation.Address{}, annotation.Address{}, "OwnerUnknown", "spec.owner.armId"},
		{"an owner by its identifier", map[string]any{"owner": map[string]any{"armId": "/a", "name": "b"}}, true, annotation.Address{}, annotation.Address{Parent: "/a", Name: "ada"}, "", ""},
	} {
		p := passOf(t, Options{})
		if test.spec != nil {
			p.object.Object["spec"] = test.spec
		}
		p.recorded = annotation.State{Owned: test.owned, Address: test.was}
		err := p.locate(t.Context())
		if test.halts == "" {
			if err != nil || p.externalAddress != test.want {
				t.Errorf("%s: the place is %+v (%v), want %+v", test.reason, p.externalAddress, err, test.want)
			}
			continue
		}
		if h := haltOf(t, err); h.reason != test.halts || h.state != stalled || !strings.Contains(h.message, test.message) {
			t.Errorf("%s: it halts with %+v", test.reason, h)
		}
	}
}
