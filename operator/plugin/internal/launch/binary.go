package launch

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"

	"github.com/stratakube/strata/operator/plugin/internal/wire"
)

// Binary starts a program.
type Binary struct {
	Path    string
	Args    []string
	Env     []string // all variables, except for those of the handshake
	Digest  string   // the SHA-256 that the program must have; empty if it is not locked
	Limit   int      // the largest message, in bytes
	Plain   bool     // without TLS
	Sockets *Sockets
	Log     *slog.Logger
}

// Launch implements Launcher.
func (b *Binary) Launch(ctx context.Context) (*Session, error) {
	p, err := check(b.Path, b.Digest)
	if err != nil {
		return nil, err
	}
	defer p.close()
	sockets, err := b.Sockets.folder()
	if err != nil {
		return nil, err
	}
	c := newChild(p, b.Args, b.environment(), &output{log: b.Log})
	l := &life{child: c}
	l.client = goplugin.NewClient(b.config(ctx, sockets, l))
	defer func() { os.RemoveAll(l.sockets) }() // existing connections stay, and new ones are impossible
	return l.begin(ctx)
}

func (b *Binary) config(ctx context.Context, sockets string, l *life) *goplugin.ClientConfig {
	return &goplugin.ClientConfig{
		HandshakeConfig:  wire.Handshake,
		VersionedPlugins: map[int]goplugin.PluginSet{wire.Protocol: {}},
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		AutoMTLS:         !b.Plain,
		SkipHostEnv:      true,
		StartTimeout:     remaining(ctx),
		UnixSocketConfig: &goplugin.UnixSocketConfig{TempDir: sockets},
		Logger:           hclog.NewNullLogger(), // the output and the end of a process have all relevant messages
		SyncStdout:       (*printed)(l.child.log),
		SyncStderr:       l.child.log,
		RunnerFunc: func(_ hclog.Logger, handshake *exec.Cmd, sockets string) (runner.Runner, error) {
			l.sockets = sockets
			l.child.cmd.Env = append(l.child.cmd.Env, handshake.Env...)
			return l.child, nil
		},
		GRPCDialOptions: []grpc.DialOption{
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(b.Limit), grpc.MaxCallSendMsgSize(b.Limit)),
			grpc.WithIdleTimeout(0), // the socket's file is removed: there is no second connection
		},
	}
}

func (b *Binary) environment() []string {
	return append(slices.Clone(b.Env), wire.LimitVariable+"="+strconv.Itoa(b.Limit), wire.LevelVariable+"="+least(b.Log).String())
}

// longest is the longest time of a start without a deadline.
const longest = time.Minute

func remaining(ctx context.Context) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return max(time.Until(deadline), time.Millisecond)
	}
	return longest
}

// least returns the lowest level that a logger handles.
func least(log *slog.Logger) slog.Level {
	for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn} {
		if log.Enabled(context.Background(), level) {
			return level
		}
	}
	return slog.LevelError
}
