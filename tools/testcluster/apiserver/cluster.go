package apiserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"

	"github.com/stratakube/strata/tools/testcluster/binaries"
	"github.com/stratakube/strata/tools/testcluster/ca"
	"github.com/stratakube/strata/tools/testcluster/process"
)

// Options configure a cluster. The zero value is valid.
type Options struct {
	Programs binaries.Folder // if empty, those of assets.Build
	Report   func(string)    // gets lines on what takes long; may be nil
	Logs     string          // the folder for the servers' logs; if empty, one that goes with the cluster
	Flags    []string        // more flags for kube-apiserver, which go before ours
	Memory   string          // beyond which the servers collect garbage all the time, as GOMEMLIMIT; 1GiB by default
}

// Cluster is an API server that runs and is ready. Its methods, but for Stop, can be called by
// several goroutines at once.
type Cluster struct {
	Config     *rest.Config // of the administrator; not to be changed
	Kubeconfig string       // a file that only this user can read, for the administrator

	group        *process.Group
	programs     binaries.Folder
	ca           *ca.CA
	port         *port
	others       []*port // of the servers that AddServer started
	etcd, server *process.Program
	more, flags  []string // of the server: those of the options, and all
	logs         string
}

// Start starts a cluster and waits until it is ready. The context is about starting only.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	c, err := open(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("start cluster: %w", err)
	}
	if err := c.start(ctx); err != nil {
		return nil, fmt.Errorf("start cluster: %w", errors.Join(err, c.Stop()))
	}
	return c, nil
}

// open makes all that the servers need: programs, folder, port and certificates.
func open(ctx context.Context, o Options) (_ *Cluster, err error) {
	c := &Cluster{programs: o.Programs, logs: o.Logs, more: o.Flags}
	if o.Programs == "" {
		if c.programs, err = binaries.Build(ctx, o.report, binaries.Server...); err != nil {
			return nil, err
		}
	}
	if c.ca, err = ca.New("strata-cluster"); err != nil {
		return nil, err
	}
	if c.group, err = process.Open("strata-cluster-"); err != nil {
		return nil, err
	}
	c.group.Env = []string{collector, "GOMEMLIMIT=" + cmp.Or(o.Memory, memory)}
	if c.logs == "" {
		c.logs = c.group.Dir
	}
	if c.port, err = keepPort(); err != nil {
		return nil, errors.Join(err, c.group.Close())
	}
	return c, nil
}

func (o Options) report(line string) {
	if o.Report != nil {
		o.Report(line)
	}
}

func (c *Cluster) start(ctx context.Context) (err error) {
	if err := c.writeCertificates(); err != nil {
		return err
	}
	if c.Config, err = c.User("admin", "system:masters"); err != nil {
		return err
	}
	c.Kubeconfig = c.file("kubeconfig")
	if err := writeKubeconfig(c.Kubeconfig, c.Config); err != nil {
		return err
	}
	if c.etcd, err = c.launch(binaries.Etcd, c.etcdFlags()); err != nil {
		return err
	}
	c.flags = c.serverFlags(c.port)
	if c.server, err = c.launch(binaries.APIServer, c.flags); err != nil {
		return err
	}
	return c.awaitReady(ctx, c.Config, c.server)
}

// RestartServer kills kube-apiserver, starts it again on the same port, and waits until it is
// ready. etcd preserves the stored objects. No other call of a method may run at the same time.
// The API server refuses clients meanwhile.
func (c *Cluster) RestartServer(ctx context.Context) (err error) {
	if err := c.server.Kill(); err != nil {
		return fmt.Errorf("restart server: %w", err)
	}
	if c.server, err = c.launch(binaries.APIServer, c.flags); err != nil {
		return fmt.Errorf("restart server: %w", err)
	}
	return c.awaitReady(ctx, c.Config, c.server)
}

func (c *Cluster) launch(p binaries.Program, flags []string) (*process.Program, error) {
	return c.group.Start(c.programs.Path(p), c.log(p), flags...)
}

// Stop stops the servers, waits for their end and removes their folder. A server that ended earlier
// is an error, and so is one that had to be ended by force. A cluster can be stopped again, to no
// effect.
func (c *Cluster) Stop() error {
	err := errors.Join(c.group.Close(), c.port.free())
	for _, p := range c.others {
		err = errors.Join(err, p.free())
	}
	if err != nil {
		return fmt.Errorf("stop cluster: %w", err)
	}
	return nil
}

// Ended waits for the end of the context. It returns an error if a server ends before.
func (c *Cluster) Ended(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-c.etcd.Done():
		return c.etcd.Err()
	case <-c.server.Done():
		return c.server.Err()
	}
}

// Host is the address of the server, as in https://127.0.0.1:40001.
func (c *Cluster) Host() string { return c.Config.Host }

// Processes are those of the servers, kube-apiserver first.
func (c *Cluster) Processes() []process.Process {
	return []process.Process{c.server.Process, c.etcd.Process}
}

func (c *Cluster) log(p binaries.Program) string {
	return filepath.Join(c.logs, filepath.Base(c.programs.Path(p))+".log")
}

// collector makes the servers collect garbage later than Go does by default, which takes a
// quarter of their processor time. The memory limits that.
const (
	collector = "GOGC=400"
	memory    = "1GiB"
)

// file is the path of a file in the cluster's folder.
func (c *Cluster) file(name string) string { return filepath.Join(c.group.Dir, name) }

func (c *Cluster) write(name string, text []byte) error {
	return os.WriteFile(c.file(name), text, 0o600)
}
