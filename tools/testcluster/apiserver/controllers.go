package apiserver

import (
	"context"
	"fmt"
	"net"
	"strings"

	"github.com/stratakube/strata/tools/testcluster/binaries"
	"github.com/stratakube/strata/tools/testcluster/loopback"
	"github.com/stratakube/strata/tools/testcluster/process"
)

// StartControllers starts kube-controller-manager with some controllers, and builds it if it was
// not built before. It ends with the cluster, if not before. No other call of a method may run at
// the same time.
func (c *Cluster) StartControllers(ctx context.Context, report func(string), controllers ...string) (*process.Program, error) {
	programs, err := binaries.Build(ctx, report, binaries.ControllerManager)
	if err != nil {
		return nil, fmt.Errorf("start controllers: %w", err)
	}
	address, err := loopback.Free()
	if err != nil {
		return nil, fmt.Errorf("start controllers: %w", err)
	}
	_, number, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("start controllers: %w", err)
	}
	p, err := c.group.Start(programs.Path(binaries.ControllerManager), c.log(binaries.ControllerManager),
		"--kubeconfig="+c.Kubeconfig, "--controllers="+strings.Join(controllers, ","), "--leader-elect=false",
		"--bind-address="+loopback.Address, "--secure-port="+number, "--cert-dir="+c.file("controllers"))
	if err != nil {
		return nil, fmt.Errorf("start controllers: %w", err)
	}
	return p, nil
}
