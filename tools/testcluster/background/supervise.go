package background

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/stratakube/strata/tools/build/filelock"
	"github.com/stratakube/strata/tools/testcluster/kubectl"
	"github.com/stratakube/strata/tools/testcluster/process"
)

// Cluster is the cluster of a supervisor.
type Cluster interface {
	Host() string
	Processes() []process.Process
	Kubectl() kubectl.Client         // as the administrator
	Ended(ctx context.Context) error // waits for the end of the context, or of a server, which is an error
	Stop() error
}

// Supervise starts a cluster, records it in the folder, and stops it when the context ends. It
// runs in the background process. It returns an error if a server ends before the context.
func (p Folder) Supervise(ctx context.Context, start func(context.Context) (Cluster, error)) (err error) {
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
	return p.run(ctx, self, start)
}

// take takes the place's lock for good. Others have it only for a moment, to see whether they can.
func (p Folder) take(ctx context.Context) (unlock func(), err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 5*time.Second, errors.New("there is another supervisor"))
	defer cancel()
	return filelock.Wait(ctx, p.file(lockFile), func() {})
}

func (p Folder) run(ctx context.Context, self process.Process, start func(context.Context) (Cluster, error)) (err error) {
	c, err := start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Stop()) }()
	admin, err := p.publish(c.Kubectl())
	if err != nil {
		return err
	}
	if err := p.write(State{Supervisor: self, Servers: c.Processes(), Kubectl: admin, Host: c.Host()}); err != nil {
		return err
	}
	fmt.Println("the cluster runs at", c.Host())
	return c.Ended(ctx)
}

// publish writes the administrator's kubeconfig to the file that every cluster of the folder has.
func (p Folder) publish(admin kubectl.Client) (kubectl.Client, error) {
	text, err := os.ReadFile(admin.Kubeconfig)
	if err != nil {
		return admin, fmt.Errorf("place kubeconfig: %w", err)
	}
	admin.Kubeconfig = p.file(kubeconfigFile)
	if err := os.WriteFile(admin.Kubeconfig, text, 0o600); err != nil {
		return admin, fmt.Errorf("place kubeconfig: %w", err)
	}
	return admin, nil
}
