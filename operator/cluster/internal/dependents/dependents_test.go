package dependents

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/metadata/fake"
	clienttesting "k8s.io/client-go/testing"
)

const group = "crm.example.com"

// served is what a cluster serves.
type served struct {
	lists []*metav1.APIResourceList
	err   error
}

func (s served) ServerPreferredResourcesWithContext(context.Context) ([]*metav1.APIResourceList, error) {
	return s.lists, s.err
}

var all = metav1.Verbs{"delete", "list", "watch"}

func usual() served {
	return served{lists: []*metav1.APIResourceList{
		{GroupVersion: "v1", APIResources: []metav1.APIResource{
			{Name: "secrets", Namespaced: true, Kind: "Secret", Verbs: all},
			{Name: "events", Namespaced: true, Kind: "Event", Verbs: all},
			{Name: "bindings", Namespaced: true, Kind: "Binding", Verbs: metav1.Verbs{"create"}},
		}},
		{GroupVersion: "apps/v1", APIResources: []metav1.APIResource{{Name: "deployments", Namespaced: true, Kind: "Deployment", Verbs: all}}},
	}}
}

func object(version, kind, name string, references ...metav1.OwnerReference) *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{APIVersion: version, Kind: kind},
		ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name, UID: types.UID(name), ResourceVersion: "7", OwnerReferences: references},
	}
}

func reference(version, kind string) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: version, Kind: kind, Name: "o", UID: "o"}
}

func client(objects ...*metav1.PartialObjectMetadata) *fake.FakeMetadataClient {
	scheme := fake.NewTestScheme()
	if err := metav1.AddMetaToScheme(scheme); err != nil {
		panic(err)
	}
	var all []runtime.Object
	for _, o := range objects {
		all = append(all, o)
	}
	return fake.NewSimpleMetadataClient(scheme, all...)
}

// notes is a kind whose version v1 goes.
var notes = Owner{Group: group, Kind: "Note", Target: func(version string) string {
	if version == "v2" {
		return version
	}
	return "v2"
}}

func never(context.Context) error { return nil }

// TestHeal heals the references of all resources that the garbage collector reads. Other references
// stay. A second run writes nothing.
func TestHeal(t *testing.T) {
	truth := true
	controls := reference(group+"/v1", "Note")
	controls.Controller = &truth
	c := client(
		object("v1", "Secret", "stale", reference("v1", "Secret"), reference(group+"/v1", "Note")),
		object("v1", "Secret", "fresh", reference(group+"/v2", "Note")),
		object("v1", "Secret", "other", reference(group+"/v1", "Party"), reference("example.com/v1", "Note"), reference("v1", "Note")),
		object("v1", "Event", "event", reference(group+"/v1", "Note")),
		object("apps/v1", "Deployment", "twice", reference(group+"/v1", "Note"), reference(group+"/v0", "Note"), controls),
	)
	o := Options{Server: usual(), Client: c, Owners: []Owner{notes}}
	report, err := Heal(t.Context(), o, never)
	if err != nil || report.Written != 2 || report.Failed != 0 || len(report.Unread) != 0 {
		t.Fatalf("%+v, %v", report, err)
	}
	got := map[string][]string{}
	for resource, names := range map[string][]string{"secrets": {"stale", "fresh", "other"}, "events": {"event"}, "deployments": {"twice"}} {
		for _, name := range names {
			gvr := schema.GroupVersionResource{Version: "v1", Resource: resource}
			if resource == "deployments" {
				gvr.Group = "apps"
			}
			m, err := c.Resource(gvr).Namespace("a").Get(t.Context(), name, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range m.OwnerReferences {
				got[name] = append(got[name], fmt.Sprint(r.APIVersion, " ", r.Kind, " ", is(r.Controller)))
			}
		}
	}
	want := map[string][]string{
		"stale": {"v1 Secret false", group + "/v2 Note false"},
		"fresh": {group + "/v2 Note false"},
		"other": {group + "/v1 Party false", "example.com/v1 Note false", "v1 Note false"},
		"event": {group + "/v1 Note false"},
		"twice": {group + "/v2 Note false", group + "/v2 Note true"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("references (-want +got):\n%s", diff)
	}
	if again, err := Heal(t.Context(), o, never); err != nil || again.Written != 0 {
		t.Errorf("the second run: %+v, %v", again, err)
	}
}

// TestHealMeetsOthers has writes of others, and objects that cannot be written.
func TestHealMeetsOthers(t *testing.T) {
	secrets := schema.GroupResource{Resource: "secrets"}
	for _, test := range []struct {
		name  string
		fails []error // of the first patches
		want  Healed
	}{
		{"a conflict", []error{apierrors.NewConflict(secrets, "s", nil)}, Healed{Written: 1}},
		{"an object that has gone", []error{apierrors.NewNotFound(secrets, "s")}, Healed{}},
		{"no right", []error{apierrors.NewForbidden(secrets, "s", nil)}, Healed{Failed: 1, Examples: []Failed{{"secrets a/s", "the user lacks the right to patch secrets"}}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := client(object("v1", "Secret", "s", reference(group+"/v1", "Note")))
			c.PrependReactor("patch", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) {
				if len(test.fails) == 0 {
					return false, nil, nil
				}
				err := test.fails[0]
				test.fails = test.fails[1:]
				return true, nil, err
			})
			got, err := Heal(t.Context(), Options{Server: usual(), Client: c, Owners: []Owner{notes}}, never)
			if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// TestUnread has resources that the user may not list, and a group that does not answer. They are
// named.
func TestUnread(t *testing.T) {
	s := usual()
	s.err = &discovery.ErrGroupDiscoveryFailed{Groups: map[schema.GroupVersion]error{{Group: "metrics.example.com", Version: "v1"}: errors.New("no answer")}}
	c := client(object("apps/v1", "Deployment", "d", reference(group+"/v1", "Note")))
	c.PrependReactor("list", "secrets", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "secrets"}, "", nil)
	})
	var seen []string
	unread, err := Walk(t.Context(), Options{Server: s, Client: c, Owners: []Owner{notes}}, func(d *Dependent) error {
		seen = append(seen, d.Name())
		return nil
	})
	want := []Unread{{"metrics.example.com/v1", "no answer"}, {"secrets", "the user lacks the right to list secrets"}}
	if diff := cmp.Diff(want, unread); err != nil || diff != "" || !slices.Equal(seen, []string{"deployments.apps a/d"}) {
		t.Errorf("seen %q, %v, unread (-want +got):\n%s", seen, err, diff)
	}
	if _, err := Walk(t.Context(), Options{Server: served{err: errors.New("no answer")}, Client: c}, nil); err == nil {
		t.Error("no error of a cluster that does not show what it serves")
	}
}

// TestVisitEndsWalk ends a walk by an error of the visit.
func TestVisitEndsWalk(t *testing.T) {
	c := client(object("v1", "Secret", "s", reference(group+"/v1", "Note")), object("v1", "Secret", "t", reference(group+"/v1", "Note")))
	count, enough := 0, errors.New("enough")
	_, err := Walk(t.Context(), Options{Server: usual(), Client: c, Owners: []Owner{notes}}, func(*Dependent) error {
		count++
		return enough
	})
	if !errors.Is(err, enough) || count != 1 {
		t.Errorf("%d visits, %v", count, err)
	}
}
