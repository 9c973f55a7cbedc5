// Command strata-bare is the peer of the operator: a controller as a team writes it for one version
// of an API, with controller-runtime, typed clients and no framework. It makes the same writes and
// the same calls of the external API as the operator does. It has no plugins, knows no versions of
// the external API, and does not survive crashes as the operator does.
//
// It takes the operator's flags, and ignores those that it has no use for.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-logr/logr"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/yaml"

	notes "github.com/stratakube/strata/operator/api/crm/v20170707/storage"
	crm "github.com/stratakube/strata/operator/api/crm/v20190909/storage"
	"github.com/stratakube/strata/runtime"
)

// options are those flags of the operator that matter.
type options struct {
	kubeconfig, providers, metrics, probes string
	concurrency                            int
}

func main() {
	var o options
	ignored := ""
	flags := flag.NewFlagSet("strata-bare", flag.ContinueOnError) // that of the process has flags of controller-runtime
	flags.StringVar(&o.kubeconfig, "kubeconfig", "", "the cluster")
	flags.StringVar(&o.providers, "providers", "", "the file with the address of the external API")
	flags.StringVar(&o.metrics, "metrics-address", "", "where metrics are served")
	flags.StringVar(&o.probes, "probe-address", "", "where probes are served")
	flags.IntVar(&o.concurrency, "concurrency", 4, "how many objects of a kind are reconciled at a time")
	flags.StringVar(&ignored, "plugins", "", "ignored")
	flags.StringVar(&ignored, "claim-key", "", "ignored")
	if err := flags.Parse(os.Args[1:]); err != nil {
		os.Exit(2)
	}
	ctrl.SetLogger(logr.Discard())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "strata-bare: error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	config, err := clientcmd.BuildConfigFromFlags("", o.kubeconfig)
	if err != nil {
		return fmt.Errorf("read kubeconfig: %w", err)
	}
	config.QPS = -1 // as the operator has it
	api, err := externalAPI(o.providers)
	if err != nil {
		return err
	}
	scheme := k8sruntime.NewScheme()
	if err := runtime.AddToScheme(scheme, crm.AddToScheme, notes.AddToScheme); err != nil {
		return fmt.Errorf("register types: %w", err)
	}
	m, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: scheme, Metrics: metrics.Options{BindAddress: o.metrics}, HealthProbeBindAddress: o.probes,
	})
	if err != nil {
		return fmt.Errorf("make manager: %w", err)
	}
	// Metrics are served by then: the manager starts its servers before its caches.
	err = m.AddReadyzCheck("caches", func(r *http.Request) error {
		if !m.GetCache().WaitForCacheSync(r.Context()) {
			return errors.New("caches are not filled")
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("make manager: %w", err)
	}
	err = errors.Join(register(m, o, api, persons), register(m, o, api, parties), register(m, o, api, personsNotes))
	if err != nil {
		return err
	}
	return m.Start(ctx)
}

func register[T any, P object[T]](m ctrl.Manager, o options, api *api, k kind[T, P]) error {
	r := &reconciler[T, P]{m.GetClient(), k, api, m.GetEventRecorder("strata-bare")}
	err := ctrl.NewControllerManagedBy(m).Named(k.folder).For(client.Object(P(new(T)))).
		WithOptions(controller.Options{MaxConcurrentReconciles: o.concurrency}).Complete(r)
	if err != nil {
		return fmt.Errorf("make controller of %s: %w", k.folder, err)
	}
	return nil
}

// externalAPI reads where the external API is, from the operator's configuration of providers.
func externalAPI(file string) (*api, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read providers: %w", err)
	}
	var of struct {
		Providers []struct {
			Config struct{ Endpoint, Parent string }
		}
	}
	if err := yaml.Unmarshal(text, &of); err != nil {
		return nil, fmt.Errorf("read providers: %w", err)
	}
	if len(of.Providers) != 1 {
		return nil, fmt.Errorf("read providers: there are %d, want one", len(of.Providers))
	}
	return newAPI(of.Providers[0].Config.Endpoint, of.Providers[0].Config.Parent), nil
}
