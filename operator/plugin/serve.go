package plugin

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/stratakube/strata/operator/plugin/internal/serving"
	"github.com/stratakube/strata/operator/plugin/internal/wire"
)

// Serve serves the registered versions until the host ends or stops the plugin. It is the only
// call in the main function of a plugin, and exits the process if it cannot serve. The program
// must not write to stdout before.
//
// The default logger of log/slog then writes to the host's log, with the plugin's name. Printed
// text is logged there too, at level info.
func Serve(register ...func(*Server)) {
	server := &Server{}
	for _, r := range register {
		r(server)
	}
	if err := server.Err(); err != nil {
		exit(fmt.Errorf("this plugin cannot serve: %w", err))
	}
	if os.Getenv(wire.Handshake.MagicCookieKey) != wire.Handshake.MagicCookieValue {
		exit(errors.New("this program is a plugin, and is started by its host" + listing(server)))
	}
	slog.SetDefault(slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: level(), ReplaceAttr: redact})))
	go endWithHost()
	serve(serving.NewService(server, limit()))
}

func exit(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(2)
}

func listing(s *Server) (text string) {
	for _, served := range s.Served() {
		text += "\n  it serves " + served.String()
	}
	return text
}

func serve(service *serving.Service) {
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig:  wire.Handshake,
		VersionedPlugins: map[int]goplugin.PluginSet{wire.Protocol: {"strata": attached{service: service}}},
		GRPCServer: func(options []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(append(options, service.Options()...)...)
		},
		// These are errors before the first call. The library's other messages are for its own
		// debugging.
		Logger: hclog.New(&hclog.LoggerOptions{Level: hclog.Warn, Output: os.Stderr, JSONFormat: true}),
	})
	if err := service.Close(); err != nil {
		slog.Error("close", "error", err)
	}
	removeSocketFolder()
}

// attached registers our services with the server of go-plugin. It does not use go-plugin's names
// of plugins.
type attached struct {
	goplugin.NetRPCUnsupportedPlugin
	goplugin.GRPCPlugin
	service *serving.Service
}

func (a attached) GRPCServer(_ *goplugin.GRPCBroker, s *grpc.Server) error {
	a.service.Attach(s)
	return nil
}

// endWithHost ends the process when the host has ended: only the host has the other end of stdin.
func endWithHost() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	removeSocketFolder()
	os.Exit(0)
}

// removeSocketFolder removes the folder of the socket, as the host would do if it still ran.
func removeSocketFolder() {
	if dir := os.Getenv(goplugin.EnvUnixSocketDir); dir != "" {
		_ = os.RemoveAll(dir)
	}
}

func level() slog.Level {
	var l slog.Level
	if err := l.UnmarshalText([]byte(os.Getenv(wire.LevelVariable))); err != nil {
		return slog.LevelInfo
	}
	return l
}

func limit() int {
	if n, err := strconv.Atoi(os.Getenv(wire.LimitVariable)); err == nil && n > 0 {
		return n
	}
	return wire.DefaultLimit
}
