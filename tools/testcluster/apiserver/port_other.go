//go:build !unix

package apiserver

import (
	"fmt"
	"net"

	"github.com/stratakube/strata/tools/testcluster/loopback"
)

// port is a port of loopback that was free a moment ago.
type port struct{ number int }

func keepPort() (*port, error) {
	listener, err := net.Listen("tcp4", loopback.AnyPort)
	if err != nil {
		return nil, fmt.Errorf("find a port: %w", err)
	}
	return &port{listener.Addr().(*net.TCPAddr).Port}, listener.Close()
}

func (p *port) free() error { return nil }
