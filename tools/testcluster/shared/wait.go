package shared

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Eventually waits until there is no error. Patience is how long that may take, on a machine that
// does something else as well.
func Eventually(t testing.TB, patience time.Duration, what string, try func() error) {
	t.Helper()
	var err error
	for limit := time.Now().Add(patience); time.Now().Before(limit); time.Sleep(20 * time.Millisecond) {
		if err = try(); err == nil {
			return
		}
	}
	t.Fatalf("%s: %v", what, err)
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
