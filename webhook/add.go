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
	"github.com/stratakube/strata/webhook/internal/planned"
	"github.com/stratakube/strata/webhook/internal/typed"
)

// EngineOf makes the engine for the types of a scheme, which converts by plans what has any: for the kinds that are given, or else all that have several
// versions, any of which converts. The error lists every type of theirs that does not convert.
func EngineOf(scheme *k8sruntime.Scheme, kinds ...schema.GroupKind) (engine.Engine, error) {
	byType, err := EngineOfTypes(scheme, kinds...)
	if err != nil {
		return nil, err
	}
	return EngineOfPlans(byType), nil
}

// EngineOfTypes makes the engine that decodes objects as the types of a scheme, and calls their ConvertTo and
// ConvertFrom. The kinds are those of EngineOf.
func EngineOfTypes(scheme *k8sruntime.Scheme, kinds ...schema.GroupKind) (engine.Engine, error) {
	e, err := typed.New(scheme, kinds...)
	if err != nil {
		return nil, err
	}
	return e, nil
}

// EngineOfPlans makes the engine that edits the JSON of objects by the plans of generated code. What has no plan, and
// what a plan refuses, is converted by rest. Register the types of a scheme before: that registers their plans.
func EngineOfPlans(rest engine.Engine) engine.Engine { return planned.New(rest) }

// Manager is what Add needs of a manager of controller-runtime.
type Manager interface {
	GetScheme() *k8sruntime.Scheme
	GetWebhookServer() ctrlwebhook.Server
	AddReadyzCheck(name string, check healthz.Checker) error
}

// Add puts a handler for all kinds of a manager's scheme at Path of its webhook server, and a check of it at its
// readiness probe. Add it before webhooks are built for these kinds: controller-runtime then leaves the path alone.
//
// Options.Telemetry, if there is one, becomes the observer of package runtime.
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

// isTaken reports whether a server already has something at a path. Registering a second time would panic.
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

// once makes a probe of a check that need not be made again once it has passed.
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
