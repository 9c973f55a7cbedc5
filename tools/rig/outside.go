package rig

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/stratakube/strata/tools/armsim"
	"github.com/stratakube/strata/tools/kube"
)

// Outside is the simulator of the outside API, in this process.
type Outside struct {
	*armsim.Simulator
	URL string

	server *http.Server
	ended  chan error
}

func openOutside(o armsim.Options) (*Outside, error) {
	o.Anonymous = true // who may call is not what is tried here
	simulator, err := armsim.Open(o)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(kube.Loopback, "0"))
	if err != nil {
		return nil, errors.Join(err, simulator.Close())
	}
	out := &Outside{
		Simulator: simulator, URL: "http://" + listener.Addr().String(), ended: make(chan error, 1),
		server: &http.Server{Handler: simulator, ReadHeaderTimeout: 10 * time.Second},
	}
	go func() { out.ended <- out.server.Serve(listener) }()
	return out, nil
}

// close gives those that are being answered a moment.
func (o *Outside) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if o.server.Shutdown(ctx) != nil {
		_ = o.server.Close()
	}
	if err := <-o.ended; !errors.Is(err, http.ErrServerClosed) {
		return errors.Join(err, o.Simulator.Close())
	}
	return o.Simulator.Close()
}
