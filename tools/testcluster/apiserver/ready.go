package apiserver

import (
	"context"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stratakube/strata/tools/testcluster/await"
	"github.com/stratakube/strata/tools/testcluster/loopback"
	"github.com/stratakube/strata/tools/testcluster/process"
)

// patience is how long servers may take to be ready. It is for servers that hang; on a busy machine
// they take 10 s.
const patience = 3 * time.Minute

// awaitReady waits until a server is ready and has made the namespaces that every cluster has,
// which it does after it reports that it is ready.
func (c *Cluster) awaitReady(ctx context.Context, config *rest.Config, server *process.Program) error {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	for _, path := range []string{"/readyz", "/api/v1/namespaces/default", "/api/v1/namespaces/kube-system"} {
		err := server.Await(ctx, patience, func() error {
			_, err := loopback.Get(ctx, client, config.Host+path)
			return c.orEtcdEnded(err)
		})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// orEtcdEnded returns the end of etcd in place of an error of the server, which cannot become ready
// without it.
func (c *Cluster) orEtcdEnded(err error) error {
	if err == nil {
		return nil
	}
	select {
	case <-c.etcd.Done():
		return await.Final(c.etcd.Err())
	default:
		return err
	}
}
