package webhook

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	ctrlwebhook "sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/stratakube/strata/runtime"
	"github.com/stratakube/strata/webhook/engine"
	"github.com/stratakube/strata/webhook/internal/foreign"
	"github.com/stratakube/strata/webhook/internal/planned"
	"github.com/stratakube/strata/webhook/internal/typed"
)

// EngineOf makes an engine for the types of a scheme. The engine converts by plans where generated
// code registered any, and through the Go types otherwise. It serves the given kinds; without any,
// all kinds with several versions of which at least one converts. The error lists every type of
// these kinds that does not convert. The engine also reads objects that another program has stored,
// of groups with storedBy.
func EngineOf(scheme *k8sruntime.Scheme, kinds ...schema.GroupKind) (engine.Engine, error) {
	byType, err := typed.New(scheme, kinds...)
	if err != nil {
		return nil, err
	}
	return foreign.New(EngineOfPlans(byType)), nil
}

// EngineOfTypes makes an engine that decodes objects as the types of a scheme, and calls their
// ConvertTo and ConvertFrom. It serves the same kinds as EngineOf.
func EngineOfTypes(scheme *k8sruntime.Scheme, kinds ...schema.GroupKind) (engine.Engine, error) {
	e, err := typed.New(scheme, kinds...)
	if err != nil {
		return nil, err
	}
	return foreign.New(e), nil
}

// EngineOfPlans makes an engine that edits the JSON of objects by the plans of generated code. It
// passes objects without a plan, and those that their plan refuses, to rest. Register the types of
// a scheme first: that registers their plans.
func EngineOfPlans(rest engine.Engine) engine.Engine { return planned.New(rest) }

// Manager lists the methods of a controller-runtime manager that Add calls.
type Manager interface {
	GetScheme() *k8sruntime.Scheme
	GetWebhookServer() ctrlwebhook.Server
	AddReadyzCheck(name string, check healthz.Checker) error
}

// Add registers a handler for all kinds of a manager's scheme at Path of its webhook server, and
// adds a readiness check for it. Call it before webhooks are built for these kinds:
// controller-runtime then leaves the path alone.
//
// Options.Telemetry, if set, becomes the observer of package runtime.
func Add(manager Manager, options Options) error {
	e, err := EngineOf(manager.GetScheme())
	if err != nil {
		return fmt.Errorf("add the conversion webhook: %w", err)
	}
	if err := options.Limits.Check(); err != nil {
		return fmt.Errorf("add the conversion webhook: %w", err)
	}
	server := manager.GetWebhookServer()
	if isTaken(server, Path) {
		return fmt.Errorf("add the conversion webhook: %s is taken: add it before other webhooks are built", Path)
	}
	h := New(e, options)
	if err := manager.AddReadyzCheck("conversion", once(h.Check)); err != nil {
		return fmt.Errorf("add the conversion webhook: %w", err)
	}
	if options.Telemetry != nil {
		runtime.SetObserver(options.Telemetry)
	}
	server.Register(Path, h)
	return nil
}

// isTaken reports whether a server already has a handler at a path. Registering a second one would
// panic.
func isTaken(server ctrlwebhook.Server, path string) bool {
	mux := server.WebhookMux()
	if mux == nil {
		return false
	}
	request, err := http.NewRequest(http.MethodPost, path, nil)
	if err != nil {
		return false
	}
	_, pattern := mux.Handler(request)
	return pattern == path
}

// once returns a probe that runs check until it passes, and never again after that.
func once(check func(context.Context) error) healthz.Checker {
	var passed atomic.Bool
	return func(r *http.Request) error {
		if passed.Load() {
			return nil
		}
		err := check(r.Context())
		passed.Store(err == nil)
		return err
	}
}
