package launch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/internal/wire"
)

// Launcher starts a plugin.
type Launcher interface {
	// Launch returns when the plugin answers. After an error, nothing of the plugin remains.
	Launch(ctx context.Context) (*Session, error)
}

// Session is one run of a plugin.
type Session struct {
	Conn   *grpc.ClientConn
	Served []contract.Served
	Since  time.Time

	ended <-chan struct{} // closed when the plugin has ended
	why   func() error    // the reason, after the end
	kill  func()          // ends it at once
	quit  func()          // asks it to end; returns when it has, or was killed
	once  sync.Once

	suspected atomic.Bool
}

// Ended returns a channel that is closed when the plugin has ended.
func (s *Session) Ended() <-chan struct{} { return s.ended }

// Alive reports whether the plugin has not ended. One that hangs is alive.
func (s *Session) Alive() bool {
	select {
	case <-s.ended:
		return false
	default:
		return true
	}
}

// Why returns how the plugin ended.
func (s *Session) Why() error { return s.why() }

// Kill ends the plugin at once, and returns when it has ended.
func (s *Session) Kill() {
	s.kill()
	<-s.ended
}

// Bury is called after the connection was lost, which is the end of a plugin. Usually its process
// has ended, and the reason is known in a moment. Otherwise Bury kills it.
func (s *Session) Bury() {
	select {
	case <-s.ended:
	case <-time.After(patience):
		s.Kill()
	}
}

// Quit asks the plugin to end, and kills it when the context ends. It returns when everything of it
// is released.
func (s *Session) Quit(ctx context.Context) {
	s.once.Do(func() {
		stop := context.AfterFunc(ctx, s.kill)
		defer stop()
		s.quit()
	})
	<-s.ended
}

// healthService is the name of go-plugin's health service.
const healthService = "plugin"

// Healthy checks whether the plugin answers at all.
func (s *Session) Healthy(ctx context.Context) error {
	out, err := grpc_health_v1.NewHealthClient(s.Conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: healthService})
	if err != nil {
		return fmt.Errorf("ask for health: %w", err)
	}
	if out.GetStatus() != grpc_health_v1.HealthCheckResponse_SERVING {
		return errors.New("the plugin reports that it is not healthy")
	}
	return nil
}

// greet checks that the plugin answers, and asks what it serves: a successful handshake proves
// neither.
func (s *Session) greet(ctx context.Context) error {
	if err := s.Healthy(ctx); err != nil {
		return err
	}
	list := &wire.ListResponse{}
	if err := s.Conn.Invoke(ctx, wire.ListMethod, &wire.ListRequest{}, list); err != nil {
		return fmt.Errorf("ask what it serves: %w", err)
	}
	for _, served := range list.GetServed() {
		s.Served = append(s.Served, wire.ToServed(served))
	}
	return nil
}

// Open makes an instance.
func (s *Session) Open(ctx context.Context, served contract.Served, config map[string]string) (*wire.OpenResponse, error) {
	out := &wire.OpenResponse{}
	return out, s.Conn.Invoke(ctx, wire.OpenMethod, &wire.OpenRequest{Served: wire.FromServed(served), Config: config}, out)
}

// Suspect marks a plugin that may hang. It returns false if the plugin is already marked.
func (s *Session) Suspect() bool { return s.suspected.CompareAndSwap(false, true) }

// Clear removes the mark.
func (s *Session) Clear() { s.suspected.Store(false) }
