package operator

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// mapper fails until a number of calls, and then returns a kind.
type mapper struct {
	meta.RESTMapper
	from, looks int
	fails       error
}

func (m *mapper) RESTMapping(schema.GroupKind, ...string) (*meta.RESTMapping, error) {
	if m.looks++; m.looks >= m.from {
		return &meta.RESTMapping{}, nil
	}
	return nil, m.fails
}

// TestKindsThatAreServedLater covers an API server that does not serve a kind yet, because its
// CRD is new.
func TestKindsThatAreServedLater(t *testing.T) {
	queue := schema.GroupVersionKind{Group: "shop.example.com", Version: "v1", Kind: "Queue"}
	// These are the errors of controller-runtime's mapper: for an unknown group, and for a
	// version without the kind.
	incomplete := &apiutil.ErrResourceDiscoveryFailed{queue.GroupVersion(): &meta.NoResourceMatchError{PartialResource: queue.GroupVersion().WithResource("")}}
	for _, notYet := range []error{incomplete, &meta.NoKindMatchError{GroupKind: queue.GroupKind()}, fmt.Errorf("look: %w", incomplete)} {
		m := &mapper{from: 3, fails: notYet}
		if err := awaitServed(t.Context(), m, queue, time.Minute); err != nil || m.looks != 3 {
			t.Errorf("after %d looks: %v", m.looks, err)
		}
		m = &mapper{from: 1000, fails: notYet}
		if err := awaitServed(t.Context(), m, queue, 200*time.Millisecond); err == nil || m.looks < 2 || !errors.Is(err, notYet) || !strings.Contains(err.Error(), "apply the CRDs") {
			t.Errorf("after %d looks: %v", m.looks, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := awaitServed(ctx, &mapper{from: 1000, fails: notYet}, queue, time.Minute); !errors.Is(err, context.Canceled) {
			t.Errorf("the operator ends: %v", err)
		}
	}
	refused := errors.New("forbidden")
	m := &mapper{from: 1000, fails: refused}
	if err := awaitServed(t.Context(), m, queue, time.Minute); !errors.Is(err, refused) || m.looks != 1 {
		t.Errorf("after %d looks: %v", m.looks, err)
	}
}
