package shared

import (
	"context"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/stratakube/strata/tools/testcluster/await"
	"github.com/stratakube/strata/tools/testcluster/loopback"
)

// Eventually waits until there is no error. Patience is how long that may take, on a machine that
// does something else as well.
func Eventually(t testing.TB, patience time.Duration, what string, try func() error) {
	t.Helper()
	if err := await.Success(Afterwards(t), patience, try); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// Afterwards returns a context that does not end with the test, for clean-up and for values that
// all tests of a package share.
func Afterwards(t testing.TB) context.Context { return context.WithoutCancel(t.Context()) }

// Client returns a client for objects of any kind.
func Client(t testing.TB, config *rest.Config) dynamic.Interface {
	t.Helper()
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// Free returns an address that nothing listens on.
func Free(t testing.TB) string {
	t.Helper()
	address, err := loopback.Free()
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// Must ends the test on an error of a call.
func Must(t testing.TB) func(*unstructured.Unstructured, error) *unstructured.Unstructured {
	t.Helper()
	return func(object *unstructured.Unstructured, err error) *unstructured.Unstructured {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return object
	}
}
