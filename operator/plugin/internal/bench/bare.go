package main

import (
	"context"
	"os"
	"os/exec"
	"strconv"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	provider "github.com/stratakube/strata/operator/plugin/provider/v2"
)

func answer(in *provider.Subject) *v1.ObserveResponse {
	return &v1.ObserveResponse{Observation: &v1.Observation{Exists: true, Id: pid, Status: in.GetResource().GetSpec()}}
}

// pid identifies the process whose CPU time is measured.
var pid = strconv.Itoa(os.Getpid())

const path = "/bench.Provider/Observe"

// bare is a plugin without the framework: a service as protoc-gen-go-grpc generates it, and its
// client.
type bare struct {
	goplugin.NetRPCUnsupportedPlugin
	goplugin.GRPCPlugin
}

var _ goplugin.GRPCPlugin = bare{}

func (bare) GRPCServer(_ *goplugin.GRPCBroker, s *grpc.Server) error {
	s.RegisterService(&grpc.ServiceDesc{
		ServiceName: "bench.Provider", HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{MethodName: "Observe", Handler: observe}},
	}, echo{})
	return nil
}

func observe(srv any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	in := new(provider.Subject)
	if err := decode(in); err != nil {
		return nil, err
	}
	return srv.(echo).Observe(ctx, in)
}

func (bare) GRPCClient(_ context.Context, _ *goplugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return bareClient{conn}, nil
}

type bareClient struct{ conn *grpc.ClientConn }

func (c bareClient) Observe(ctx context.Context, in *provider.Subject) (*v1.ObserveResponse, error) {
	out := new(v1.ObserveResponse)
	return out, c.conn.Invoke(ctx, path, in, out)
}

var handshake = goplugin.HandshakeConfig{ProtocolVersion: 1, MagicCookieKey: "BENCH", MagicCookieValue: "bench"}

func serveBare() {
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig: handshake, Plugins: goplugin.PluginSet{"provider": bare{}}, GRPCServer: goplugin.DefaultGRPCServer,
		Logger: hclog.NewNullLogger(),
	})
}

// startBare starts a bare plugin.
func startBare(isPlain bool) (observer, func(), error) {
	client := goplugin.NewClient(&goplugin.ClientConfig{
		HandshakeConfig: handshake, Plugins: goplugin.PluginSet{"provider": bare{}},
		Cmd:              exec.Command(os.Args[0], "-serve=bare"),
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC}, AutoMTLS: !isPlain, Logger: hclog.NewNullLogger(),
	})
	protocol, err := client.Client()
	if err != nil {
		client.Kill()
		return nil, nil, err
	}
	dispensed, err := protocol.Dispense("provider")
	if err != nil {
		client.Kill()
		return nil, nil, err
	}
	return dispensed.(observer), client.Kill, nil
}
