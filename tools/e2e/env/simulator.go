package env

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/stratakube/strata/tools/armsim"
	"github.com/stratakube/strata/tools/testcluster/loopback"
)

// Simulator is the simulator of the external API, in this process.
type Simulator struct {
	*armsim.Simulator
	URL string
	// Parent is the configured parent of resources without an owner, for operators that are
	// started from now on.
	Parent string

	stop  context.CancelFunc
	ended chan error
}

// StartSimulator starts the simulator on loopback.
func StartSimulator(o armsim.Options) (*Simulator, error) {
	o.Anonymous = true // who may call is not what is tried here
	simulator, err := armsim.Open(o)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", loopback.AnyPort)
	if err != nil {
		return nil, errors.Join(err, simulator.Close())
	}
	ctx, stop := context.WithCancel(context.Background())
	out := &Simulator{Simulator: simulator, URL: "http://" + listener.Addr().String(), Parent: Parent, stop: stop, ended: make(chan error, 1)}
	go func() { out.ended <- simulator.Serve(ctx, listener) }()
	return out, nil
}

// Close ends it.
func (o *Simulator) Close() error {
	o.stop()
	return errors.Join(<-o.ended, o.Simulator.Close())
}

// Create creates a resource as another client of the external API does. It returns an error if the
// resource existed before.
func (o *Simulator) Create(ctx context.Context, id, version, body string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, o.URL+id+"?api-version="+version, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusCreated {
		return fmt.Errorf("create %s: %s", id, response.Status)
	}
	return nil
}
