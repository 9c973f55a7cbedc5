package genruntime_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/runtime/genruntime"
	"github.com/stratakube/strata/runtime/internal/fixtures"
)

var (
	_ runtime.MetaObject = (*personHub)(nil)
	_ runtime.MetaObject = (*personV[v1])(nil)
	_ runtime.Original   = (*personHub)(nil)
	_ runtime.SpecMaker  = (*personV[v1])(nil)
)

func TestVersionedSpecAndStatus(t *testing.T) {
	for _, test := range []struct {
		reason string
		object *personHub
		spec   runtime.ConvertibleSpec
		status runtime.ConvertibleStatus
		empty  runtime.ConvertibleStatus
	}{
		{
			"in the version that the user wrote",
			&personHub{Spec: &hubSpec{"ann", "v1"}, Status: &hubStatus{"up"}},
			&spec[v1]{"v1:ann"}, &status[v1]{"v1:up"}, &status[v1]{},
		},
		{
			"in the hub's API version, when nothing was recorded",
			&personHub{Spec: &hubSpec{Name: "ann"}, Status: &hubStatus{"up"}},
			&spec[v2]{"v2:ann"}, &status[v2]{"v2:up"}, &status[v2]{},
		},
		{
			"in the next later version, when that is not kept",
			&personHub{Spec: &hubSpec{"ann", "v1beta1"}, Status: &hubStatus{"up"}},
			&spec[v1]{"v1:ann"}, &status[v1]{"v1:up"}, &status[v1]{},
		},
		{
			"in the latest, when there is no later one",
			&personHub{Spec: &hubSpec{"ann", "v9"}, Status: &hubStatus{"up"}},
			&spec[v2]{"v2:ann"}, &status[v2]{"v2:up"}, &status[v2]{},
		},
		{
			"in the version before, when nobody decided",
			&personHub{Spec: &hubSpec{"ann", "v1|v2"}, Status: &hubStatus{"up"}},
			&spec[v1]{"v1:ann"}, &status[v1]{"v1:up"}, &status[v1]{},
		},
		{
			"empty, when there is none",
			&personHub{},
			&spec[v2]{}, &status[v2]{}, &status[v2]{},
		},
	} {
		t.Run(test.reason, func(t *testing.T) {
			gotSpec, err := runtime.GetVersionedSpec(test.object, newScheme())
			checkVersioned(t, err, test.spec, gotSpec)
			gotStatus, err := runtime.GetVersionedStatus(test.object, newScheme())
			checkVersioned(t, err, test.status, gotStatus)
			empty, err := runtime.NewEmptyVersionedStatus(test.object, newScheme())
			checkVersioned(t, err, test.empty, empty)
		})
	}
}

func checkVersioned(t *testing.T, err error, want, got any) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestErrorsOfVersionedSpecAndStatus(t *testing.T) {
	named := func(p *personHub) *personHub {
		p.Name = "ann"
		return p
	}
	for _, test := range []struct {
		reason string
		object runtime.MetaObject
		want   string
	}{
		{"a kind that the scheme does not know", &unknownKind{}, `original version of ann: no kind "Thing" is registered for version "crm.example.com/v9"`},
		{"a type that is no resource", named(&personHub{Spec: &hubSpec{OriginalVersion: "v3"}}), "original version of ann: *v1.Status has no convertible spec and status"},
		{"an object without an original version", &personV[v1]{}, "does not know its original version"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			_, errSpec := runtime.GetVersionedSpec(test.object, newScheme())
			_, errStatus := runtime.GetVersionedStatus(test.object, newScheme())
			_, errEmpty := runtime.NewEmptyVersionedStatus(test.object, newScheme())
			for _, err := range []error{errSpec, errStatus, errEmpty} {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("error is %v, want one with %s", err, test.want)
				}
			}
		})
	}
}

func TestFailedConversionsNameObject(t *testing.T) {
	object := &personHub{ObjectMeta: metav1.ObjectMeta{Name: "ann"}, Spec: &hubSpec{Name: "broken"}, Status: &hubStatus{"broken"}}
	if _, err := runtime.GetVersionedSpec(object, newScheme()); !errors.Is(err, errBroken) || err.Error() != "spec of ann: broken" {
		t.Errorf("error is %v", err)
	}
	if _, err := runtime.GetVersionedStatus(object, newScheme()); !errors.Is(err, errBroken) || err.Error() != "status of ann: broken" {
		t.Errorf("error is %v", err)
	}
}

func TestSpecAndStatusOfNothingAreNothing(t *testing.T) {
	p := &personHub{}
	if p.GetSpec() != nil || p.GetStatus() != nil {
		t.Error("an interface around nil is not nil")
	}
	p.Spec, p.Status = &hubSpec{}, &hubStatus{}
	if p.GetSpec() != p.Spec || p.GetStatus() != p.Status {
		t.Error("the spec or the status is a copy")
	}
}

func TestSetStatus(t *testing.T) {
	same := &status[v1]{"v1:up"}
	for _, test := range []struct {
		reason string
		set    runtime.ConvertibleStatus
		want   *status[v1]
		fails  bool
	}{
		{"of the same version", same, same, false},
		{"of the hub", &hubStatus{"up"}, &status[v1]{"v1:up"}, false},
		{"of another version", &status[v2]{"v2:up"}, &status[v1]{"v1:up"}, false},
		{"none", nil, nil, false},
		{"of another kind", &foreignStatus{}, &status[v1]{"v1:old"}, true},
	} {
		t.Run(test.reason, func(t *testing.T) {
			p := &personV[v1]{Status: &status[v1]{"v1:old"}}
			if err := p.SetStatus(test.set); (err != nil) != test.fails {
				t.Errorf("error is %v", err)
			}
			if diff := cmp.Diff(test.want, p.Status); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAs(t *testing.T) {
	if hub, err := genruntime.As[*personHub](any(&personHub{})); err != nil || hub == nil {
		t.Errorf("got %v, %v", hub, err)
	}
	_, err := genruntime.As[*personHub](any(&foreignSpec{}))
	if !errors.Is(err, runtime.ErrNotConvertible) || !strings.Contains(err.Error(), "*genruntime_test.personHub") || !strings.Contains(err.Error(), "*genruntime_test.foreignSpec") {
		t.Errorf("error is %v, want one that names both types", err)
	}
}

func TestCopyRoot(t *testing.T) {
	in := &metav1.Status{Message: "x", Details: &metav1.StatusDetails{Name: "y"}}
	out := genruntime.CopyRoot(in, new(metav1.Status))
	if diff := cmp.Diff(in, out); diff != "" || in.Details == out.Details {
		t.Errorf("the copy shares memory, or differs by\n%s", diff)
	}
	if out := genruntime.CopyRoot(nil, new(metav1.Status)); out != nil || genruntime.ObjectOf(out) != nil {
		t.Error("a copy of nothing is something")
	}
}

func TestAddToScheme(t *testing.T) {
	var added []string
	add := func(name string, err error) func(*k8sruntime.Scheme) error {
		return func(*k8sruntime.Scheme) error {
			added = append(added, name)
			return err
		}
	}
	if err := runtime.AddToScheme(newScheme(), add("a", nil), add("b", errBroken), add("c", nil)); !errors.Is(err, errBroken) {
		t.Errorf("error is %v", err)
	}
	if diff := cmp.Diff([]string{"a", "b"}, added); diff != "" {
		t.Error(diff)
	}
}

// unknownKind is of a kind that no scheme knows.
type unknownKind struct{ personHub }

func (*unknownKind) GetName() string { return "ann" }

func (*unknownKind) OriginalGVK() *schema.GroupVersionKind {
	return &schema.GroupVersionKind{Group: fixtures.Group, Version: "v9", Kind: "Thing"}
}
