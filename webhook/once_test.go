package webhook

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestOnce checks that a probe runs its check until it has passed, and never after that.
func TestOnce(t *testing.T) {
	failed := errors.New("not yet")
	answers := []error{failed, failed, nil, failed}
	asked := 0
	probe := once(func(context.Context) error {
		asked++
		return answers[asked-1]
	})
	for i, want := range []error{failed, failed, nil, nil, nil} {
		if got := probe(httptest.NewRequest(http.MethodGet, "/readyz", nil)); !errors.Is(got, want) {
			t.Errorf("probe %d: %v, want %v", i, got, want)
		}
	}
	if asked != 3 {
		t.Errorf("the check was made %d times", asked)
	}
}
