package env

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"k8s.io/client-go/rest"

	"github.com/stratakube/strata/tools/armsim"
	"github.com/stratakube/strata/tools/testcluster/apiserver"
	"github.com/stratakube/strata/tools/testcluster/await"
	"github.com/stratakube/strata/tools/testcluster/loopback"
	"github.com/stratakube/strata/tools/testcluster/process"
)

// Options select the API.
type Options struct {
	Programs
	Definitions string             // the folder of the API's definitions
	Simulator   armsim.Options     // the simulator; its schemas are those of the API
	Cluster     *apiserver.Cluster // one that runs, and goes on running after Close; if nil, one is started
	Memory      string             // of a cluster that Open starts, as in [apiserver.Options]
	Report      func(string)       // gets lines on what takes long; may be nil
}

// Env is the environment of operators. The cluster has no CRDs before Define.
type Env struct {
	*apiserver.Cluster
	Group     *process.Group // of the webhook and the operators
	Webhook   *Webhook
	Simulator *Simulator

	programs    Programs
	definitions Definitions
	own         bool // the cluster
	started     int
}

// Open starts all but operators.
func Open(ctx context.Context, o Options) (_ *Env, err error) {
	if o.Report == nil {
		o.Report = func(string) {}
	}
	r := &Env{Cluster: o.Cluster, programs: o.Programs}
	if r.Cluster == nil {
		o.Report("starting a cluster")
		if r.Cluster, err = apiserver.Start(ctx, apiserver.Options{Report: o.Report, Memory: o.Memory}); err != nil {
			return nil, err
		}
		r.own = true
	}
	if r.Group, err = process.Open("strata-e2e-"); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	if r.Simulator, err = StartSimulator(o.Simulator); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	if err := r.startWebhook(ctx, o.Definitions); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Close ends everything that Open and Operate have started, operators first and the cluster last.
func (r *Env) Close() error {
	var errs []error
	if r.Group != nil {
		errs = append(errs, r.Group.Close())
	}
	if r.Simulator != nil {
		errs = append(errs, r.Simulator.Close())
	}
	if r.own {
		errs = append(errs, r.Stop())
	}
	return errors.Join(errs...)
}

// startWebhook starts the webhook, and writes the definitions with its address. It makes its own
// certificate, and writes its CA into the CRDs as soon as there are any.
func (r *Env) startWebhook(ctx context.Context, definitions string) (err error) {
	if r.definitions, err = readDefinitions(definitions); err != nil {
		return err
	}
	r.Webhook, err = StartWebhook(ctx, r.Group, r.programs.Webhook, "--kubeconfig="+r.Kubeconfig,
		"--secret=default/strata-webhook", "--names="+loopback.Address, "--crds="+strings.Join(r.definitions.names(), ","))
	if err != nil {
		return err
	}
	return r.definitions.write(r.crds(), "https://"+r.Webhook.Conversions+"/convert")
}

// crds is the folder of the definitions, in that of the group.
func (r *Env) crds() string { return filepath.Join(r.Group.Dir, "crds") }

// Define brings the definitions to the cluster, and waits until every version is served.
func (r *Env) Define(ctx context.Context) error {
	if _, _, err := r.Kubectl().Run(ctx, "", "apply", "--server-side", "-f", r.crds()); err != nil {
		return err
	}
	return r.AwaitServed(ctx)
}

// AwaitServed waits until the webhook is trusted, and every served version of the definitions can
// be read: an API server takes a second or two after the definitions have changed.
func (r *Env) AwaitServed(ctx context.Context) error {
	if err := r.Webhook.Ready(ctx); err != nil {
		return err
	}
	client, err := rest.HTTPClientFor(r.Config)
	if err != nil {
		return err
	}
	for _, definition := range r.definitions {
		plural, group, _ := strings.Cut(definition.GetName(), ".")
		for _, version := range servedBy(definition) {
			path := "/apis/" + group + "/" + version + "/" + plural
			err := await.Success(ctx, patience, func() error {
				_, err := loopback.Get(ctx, client, r.Host()+path)
				return err
			})
			if err != nil {
				return fmt.Errorf("wait for %s: %w", path, err)
			}
		}
	}
	return nil
}
