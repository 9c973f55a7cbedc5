package env

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/tools/testcluster/loopback"
	"github.com/stratakube/strata/tools/testcluster/process"
)

// Parent is the parent of resources that name no owner.
const Parent = "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/demo"

// The Secret with the keys by which operators sign claims.
const (
	ClaimKeyNamespace = "default"
	ClaimKeyName      = "strata-operator-claim-key"
)

// Operator is a process.
type Operator struct {
	*process.Program
	metrics, probes string // host and port
}

// Operate starts an operator as the administrator, and waits until it is ready. The last of
// several equal flags applies.
func (r *Env) Operate(ctx context.Context, flags ...string) (*Operator, error) {
	r.started++
	log := fmt.Sprintf("operator-%d.log", r.started)
	return StartOperator(ctx, r.Group, r.Simulator, r.programs, log, append([]string{"--kubeconfig=" + r.Kubeconfig, "--claim-key=" + ClaimKeyNamespace + "/" + ClaimKeyName}, flags...)...)
}

// StartOperator starts an operator in a group, with the simulator as its external API, and waits
// until it is ready. The caller's flags select the cluster. StartOperator adds those for plugins,
// providers and metrics.
func StartOperator(ctx context.Context, group *process.Group, simulator *Simulator, programs Programs, log string, flags ...string) (*Operator, error) {
	o, err := LaunchOperator(group, simulator, programs, log, flags...)
	if err != nil {
		return nil, err
	}
	return o, o.Ready(ctx)
}

// LaunchOperator is StartOperator for an operator that may not become ready.
func LaunchOperator(group *process.Group, simulator *Simulator, programs Programs, log string, flags ...string) (*Operator, error) {
	providers, err := simulator.writeProviders(group.Dir)
	if err != nil {
		return nil, err
	}
	o := new(Operator)
	for _, address := range []*string{&o.metrics, &o.probes} {
		if *address, err = loopback.Free(); err != nil {
			return nil, err
		}
	}
	o.Program, err = group.Start(programs.Operator, filepath.Join(group.Dir, log), append(flags,
		"--plugins="+programs.Plugins, "--providers="+providers, "--metrics-address="+o.metrics, "--probe-address="+o.probes)...)
	return o, err
}

// writeProviders writes the configuration file of providers, with the address of the external API.
func (o *Simulator) writeProviders(dir string) (string, error) {
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": "strata.dev/v1alpha1", "kind": "Providers",
		"providers": []map[string]any{{
			"name":   "strata.dev/arm",
			"config": map[string]string{"cloud": "custom", "endpoint": o.URL, "credentials": "none", "parent": o.Parent},
			"rate":   map[string]int{"perSecond": 1000, "burst": 1000},
		}},
	})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "providers.yaml")
	return file, os.WriteFile(file, text, 0o600)
}

// Ready waits until the operator reports that it is ready.
func (o *Operator) Ready(ctx context.Context) error {
	return o.Await(ctx, patience, func() error { return o.IsReady(ctx) })
}

// IsReady asks the operator once whether it is ready.
func (o *Operator) IsReady(ctx context.Context) error {
	_, err := loopback.Get(ctx, http.DefaultClient, "http://"+o.probes+"/readyz")
	return err
}

// Metrics returns the operator's metrics: each with its labels, and its value.
func (o *Operator) Metrics() (map[string]string, error) {
	text, err := loopback.Get(context.Background(), http.DefaultClient, "http://"+o.metrics+"/metrics")
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && !strings.HasPrefix(name, "#") {
			values[name] = value
		}
	}
	return values, nil
}

// Shards is how many shards of the namespaces there are, which replicas share.
const Shards = 16

// Shards returns how many shards the operator has.
func (o *Operator) Shards() (int, error) {
	const metric = "strata_operator_shards"
	metrics, err := o.Metrics()
	if err != nil {
		return 0, err
	}
	has, err := strconv.Atoi(metrics[metric])
	if err != nil {
		return 0, fmt.Errorf("the metric %s is %q", metric, metrics[metric])
	}
	return has, nil
}

// patience is for programs that hang: the webhook is ready once it has seen the CRDs twice, which
// takes seconds.
const patience = 2 * time.Minute
