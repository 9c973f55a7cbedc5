package supervisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/stratakube/strata/tools/assets"
	"github.com/stratakube/strata/tools/kube"
	"github.com/stratakube/strata/tools/lock"
	"github.com/stratakube/strata/tools/process"
)

// Supervise is what the process in the background does: it starts a cluster, says so in the place, and stops the
// cluster when the context ends. It is an error if a server ends before.
func (p Place) Supervise(ctx context.Context, programs assets.Folder) (err error) {
	unlock, err := p.take(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	self, err := process.Of(os.Getpid())
	if err != nil {
		return err
	}
	if err := p.write(State{Supervisor: self}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.clear()) }()
	return p.run(ctx, self, programs)
}

// take takes the place's lock for good. Others have it only for a moment, to see whether they can.
func (p Place) take(ctx context.Context) (unlock func(), err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 5*time.Second, errors.New("there is another supervisor"))
	defer cancel()
	return lock.Wait(ctx, p.file(lockFile), func() {})
}

func (p Place) run(ctx context.Context, self process.Process, programs assets.Folder) (err error) {
	c, err := kube.Start(ctx, kube.Options{Programs: programs, Logs: p.dir})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Stop()) }()
	kubectl, err := p.settle(c)
	if err != nil {
		return err
	}
	if err := p.write(State{Supervisor: self, Servers: c.Processes(), Kubectl: kubectl, Host: c.Config.Host}); err != nil {
		return err
	}
	fmt.Println("the cluster runs at", c.Config.Host)
	return c.Ended(ctx)
}

// settle puts the administrator's kubeconfig where it stands for every cluster of the place.
func (p Place) settle(c *kube.Cluster) (kube.Kubectl, error) {
	kubectl := c.Kubectl()
	text, err := os.ReadFile(kubectl.Kubeconfig)
	if err != nil {
		return kubectl, fmt.Errorf("place kubeconfig: %w", err)
	}
	kubectl.Kubeconfig = p.file(kubeconfigFile)
	if err := os.WriteFile(kubectl.Kubeconfig, text, 0o600); err != nil {
		return kubectl, fmt.Errorf("place kubeconfig: %w", err)
	}
	return kubectl, nil
}
