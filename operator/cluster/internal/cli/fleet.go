package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/stratakube/strata/operator/cluster/internal/terminal"
	"github.com/stratakube/strata/operator/cluster/internal/upgrade"
)

// allContexts stands for all contexts of the kubeconfig.
const allContexts = "all"

// checkContexts returns an error if flags do not fit together.
func (p *planning) checkContexts() error {
	switch {
	case p.clusters < 1:
		return errors.New("--parallel-clusters must be above zero")
	case len(p.contexts) == 0:
		return nil
	case p.access.context != "":
		return errors.New("--context is for one cluster, and --contexts for several: use one of them")
	case len(p.webhooks) > 0:
		return errors.New("--webhook names replicas of one cluster: use it without --contexts")
	case slices.Contains(p.contexts, ""):
		return errors.New("--contexts has an empty name")
	}
	return nil
}

// fleet plans for several clusters. A cluster that cannot be read does not stop the others.
func (p *planning) fleet(ctx context.Context, in *inputs, s Streams) error {
	names, err := p.access.contexts(p.contexts)
	if err != nil {
		return err
	}
	if p.save != "" {
		if err := os.MkdirAll(p.save, 0o700); err != nil {
			return fmt.Errorf("save plans: %w", err)
		}
	}
	progress := &shared{inner: s.Err}
	all, err := upgrade.Each(ctx, names, p.clusters, func(ctx context.Context, name string) (*upgrade.Plan, error) {
		a := p.access
		a.context = name
		if err := a.reach(ctx, patience); err != nil {
			return nil, err
		}
		return p.make(ctx, in, &a, terminal.Line(name)+": ", progress)
	})
	if err != nil {
		return err
	}
	for i := range all.Clusters {
		if m := &all.Clusters[i]; p.save != "" && m.Plan != nil {
			// Names of contexts may have slashes.
			if err := save(m.Plan, filepath.Join(p.save, url.PathEscape(m.Context)+".json")); err != nil {
				return err
			}
		}
	}
	err = p.finish(s.Out, all)
	if n := all.Unread(); n > 0 && (err == nil || errors.Is(err, errFindings)) {
		return fmt.Errorf("%d of %d clusters cannot be read", n, len(names))
	}
	return err
}

// contexts returns the contexts that a user named, each once, or all of the kubeconfig.
func (a *access) contexts(named []string) ([]string, error) {
	if !slices.Equal(named, []string{allContexts}) {
		var out []string
		for _, name := range named {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
		return out, nil
	}
	config, err := a.loader().RawConfig()
	if err != nil {
		return nil, fmt.Errorf("find the clusters: %w", err)
	}
	if len(config.Contexts) == 0 {
		return nil, errors.New("find the clusters: the kubeconfig has no contexts")
	}
	return slices.Sorted(maps.Keys(config.Contexts)), nil
}

// loader returns what reads the kubeconfig.
func (a *access) loader() clientcmd.ClientConfig {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = a.kubeconfig
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: a.context})
}

// reach returns an error if the API server does not answer in time. A refusal is an answer, too.
func (a *access) reach(ctx context.Context, limit time.Duration) error {
	on, err := a.open()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the API server does not answer within %s", limit))
	defer cancel()
	err = on.discovery.RESTClient().Get().AbsPath("/version").Do(ctx).Error()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case apierrors.IsForbidden(err):
		return nil
	}
	return err
}

// shared is an output of several goroutines.
type shared struct {
	lock  sync.Mutex
	inner io.Writer
}

// Write writes a line.
func (s *shared) Write(line []byte) (int, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.inner.Write(line)
}
