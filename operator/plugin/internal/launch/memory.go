package launch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/test/bufconn"

	"github.com/stratakube/strata/operator/plugin/internal/serving"
)

// Memory serves a plugin in the host's own process, for tests: over gRPC, but without a process, a
// socket or TLS.
type Memory struct {
	Server *serving.Server
	Limit  int
}

// Launch implements Launcher.
func (m *Memory) Launch(ctx context.Context) (*Session, error) {
	if err := m.Server.Err(); err != nil {
		return nil, err
	}
	service := serving.NewService(m.Server, m.Limit)
	server := grpc.NewServer(service.Options()...)
	service.Attach(server)
	healthy := health.NewServer()
	healthy.SetServingStatus(healthService, grpc_health_v1.HealthCheckResponse_SERVING)
	grpc_health_v1.RegisterHealthServer(server, healthy)
	listener := bufconn.Listen(64 << 10) // that much is allocated for each direction
	go func() { _ = server.Serve(listener) }()

	conn, err := grpc.NewClient("passthrough:memory", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(m.Limit), grpc.MaxCallSendMsgSize(m.Limit)))
	if err != nil {
		server.Stop()
		return nil, fmt.Errorf("connect: %w", err)
	}
	s := memorySession(conn, func() {
		server.Stop()
		conn.Close()
		_ = service.Close()
	})
	if err := s.greet(ctx); err != nil {
		s.Kill()
		return nil, err
	}
	return s, nil
}

func memorySession(conn *grpc.ClientConn, end func()) *Session {
	ended := make(chan struct{})
	kill := sync.OnceFunc(func() {
		end()
		close(ended)
	})
	return &Session{
		Conn: conn, Since: time.Now(), ended: ended, kill: kill, quit: kill,
		why: func() error { return errors.New("it was ended") },
	}
}
