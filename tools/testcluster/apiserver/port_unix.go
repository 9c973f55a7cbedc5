//go:build unix

package apiserver

import (
	"errors"
	"fmt"
	"net"

	"golang.org/x/sys/unix"

	"github.com/stratakube/strata/tools/testcluster/loopback"
)

// port is a port of loopback that no other program gets while it is reserved. Another program of
// this user can listen on it if it permits sharing; the socket that reserves it does not listen.
type port struct {
	number int
	socket int
}

func keepPort() (*port, error) {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, fmt.Errorf("keep a port: %w", err)
	}
	unix.CloseOnExec(socket)
	p := &port{socket: socket}
	if err := p.bind(); err != nil {
		return nil, fmt.Errorf("keep a port: %w", errors.Join(err, p.free()))
	}
	return p, nil
}

func (p *port) bind() error {
	if err := unix.SetsockoptInt(p.socket, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
		return err
	}
	if err := unix.Bind(p.socket, &unix.SockaddrInet4{Addr: [4]byte(net.ParseIP(loopback.Address).To4())}); err != nil {
		return err
	}
	address, err := unix.Getsockname(p.socket)
	if err != nil {
		return err
	}
	p.number = address.(*unix.SockaddrInet4).Port
	return nil
}

// free gives the port back. It can be called again, to no effect.
func (p *port) free() error {
	if p.socket < 0 {
		return nil
	}
	socket := p.socket
	p.socket = -1
	return unix.Close(socket)
}
