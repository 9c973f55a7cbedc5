package typed

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/stratakube/strata/webhook/internal/example/crm/v20110101"
	hotelv2 "github.com/stratakube/strata/webhook/internal/hotel/v2"
)

// TestErrorsOfDecoding checks that an error has the path of a value, if that is known, and never
// the value itself.
func TestErrorsOfDecoding(t *testing.T) {
	for _, test := range []struct {
		reason string
		err    error
		want   string
	}{
		{"a path", &json.UnmarshalTypeError{Field: ".spec.beds", Value: "number 7", Type: reflect.TypeFor[string]()}, "spec.beds: got number, want string"},
		{"no path", &json.UnmarshalTypeError{Value: "string", Type: reflect.TypeFor[int]()}, "got string, want int"},
		{"another error", errors.New("a secret value"), "decode: a *errors.errorString in *v2.Room"},
	} {
		if got := explain(&hotelv2.Room{}, test.err); got == nil || got.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.reason, got, test.want)
		}
	}
	if err := explain(&hotelv2.Room{}, nil); err != nil {
		t.Error(err)
	}
}

// TestObjectsWithoutMetadataAreNotCompared checks that an object is compared only with one that has
// a name.
func TestObjectsWithoutMetadataAreNotCompared(t *testing.T) {
	named, bare := &hotelv2.Room{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, &metav1.Status{}
	for _, pair := range [][2]k8sruntime.Object{{named, bare}, {bare, named}, {bare, bare}} {
		if err := isSame(pair[0], pair[1]); err != nil {
			t.Errorf("%T and %T: %v", pair[0], pair[1], err)
		}
	}
	if err := isSame(named, &hotelv2.Room{}); err == nil {
		t.Error("another name is no error")
	}
}

// TestOnlyDamagedMetadataIsPreserved checks that metadata is copied as it is only where it cannot
// be read, and that other damage is an error.
func TestOnlyDamagedMetadataIsPreserved(t *testing.T) {
	for _, test := range []struct {
		reason, object, raw string
		fails               bool
	}{
		{"readable", `{"metadata":{"name":"a"}}`, "", false},
		{"readable, behind what is not", `{"metadata":{"name":7},"metadata":{"name":"a"}}`, "", false},
		{"damaged", `{"metadata":{"name":7}}`, `{"name":7}`, false},
		{"readable, beside other damage", `{"metadata":{"name":"a"},"kind":7}`, "", true},
		{"damaged, beside other damage", `{"metadata":{"name":7},"kind":7}`, "", true},
	} {
		raw, err := totalCodec{}.decode(t.Context(), []byte(test.object), &v20110101.Person{})
		if string(raw) != test.raw || (err != nil) != test.fails {
			t.Errorf("%s: %s, %v", test.reason, raw, err)
		}
	}
}

// TestKindsOfOneVersionAreNotServed checks that no kind is served that has nothing to convert to.
func TestKindsOfOneVersionAreNotServed(t *testing.T) {
	scheme := k8sruntime.NewScheme()
	if err := hotelv2.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	e, err := New(scheme)
	if err != nil || len(e.Kinds()) > 0 {
		t.Errorf("%v, %v", e.Kinds(), err)
	}
}

// looking is a context that counts the looks at it.
type looking struct {
	context.Context
	looks int
}

func (l *looking) Err() error { l.looks++; return nil }

// TestMembersAreReadWithLooksAtContext checks that the context is checked once for 1,024
// members.
func TestMembersAreReadWithLooksAtContext(t *testing.T) {
	ctx := &looking{Context: t.Context()}
	object := `{"a":1` + strings.Repeat(`,"a":1`, 5*between) + `}`
	if got := others(ctx, []byte(object)); len(got) != 1 || ctx.looks != 5 {
		t.Errorf("%d members, %d looks", len(got), ctx.looks)
	}
}
