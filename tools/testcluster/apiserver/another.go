package apiserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"

	"k8s.io/client-go/rest"

	"github.com/stratakube/strata/tools/testcluster/binaries"
	"github.com/stratakube/strata/tools/testcluster/loopback"
	"github.com/stratakube/strata/tools/testcluster/process"
)

// Server is one more API server of a cluster, which has the same etcd.
type Server struct {
	Config  *rest.Config // of the administrator; not to be changed
	Process process.Process

	program *process.Program
	port    *port
}

// AddServer starts one more API server, and waits until it is ready. It ends with the cluster, if
// not before. No other call of a method may run at the same time.
func (c *Cluster) AddServer(ctx context.Context) (*Server, error) {
	p, err := keepPort()
	if err != nil {
		return nil, fmt.Errorf("add server: %w", err)
	}
	c.others = append(c.others, p)
	s := &Server{Config: rest.CopyConfig(c.Config), port: p}
	s.Config.Host = "https://" + net.JoinHostPort(loopback.Address, strconv.Itoa(p.number))
	log := c.log(binaries.APIServer) + "." + strconv.Itoa(len(c.others))
	if s.program, err = c.group.Start(c.programs.Path(binaries.APIServer), log, c.serverFlags(p)...); err != nil {
		return nil, fmt.Errorf("add server: %w", err)
	}
	s.Process = s.program.Process
	if err := c.awaitReady(ctx, s.Config, s.program); err != nil {
		return nil, fmt.Errorf("add server: %w", errors.Join(err, s.Stop()))
	}
	return s, nil
}

// Stop stops the server. The others go on.
func (s *Server) Stop() error {
	if err := errors.Join(s.program.Stop(), s.port.free()); err != nil {
		return fmt.Errorf("stop server: %w", err)
	}
	return nil
}
