package server

import (
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"time"

	"go.opentelemetry.io/otel/trace"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/webhook"
	"github.com/stratakube/strata/webhook/certs"
)

// Options say what is served, and how. Scheme and Certificates must be given.
type Options struct {
	// Scheme holds the types.
	Scheme *k8sruntime.Scheme
	// Kinds are those that are served; nil for all that convert.
	Kinds []schema.GroupKind
	// Certificates is where the certificate comes from. Run starts it.
	Certificates certs.Source

	// Address is where conversions are served, at webhook.Path; ":9443" where it is empty.
	Address string
	// MetricsAddress is where metrics are served, at /metrics; empty for nowhere, and then nothing is counted.
	MetricsAddress string
	// ProbeAddress is where /livez and /readyz are served; empty for nowhere.
	ProbeAddress string
	// MinTLS is the oldest version of TLS that is spoken, as tls.VersionTLS13; 1.2 where it is zero.
	MinTLS uint16

	// Limits are those of reviews.
	Limits webhook.Limits
	// Connections is how many connections for conversions may be open; 4,096 where it is zero. ConnectionsOfPeer is how many
	// of them one peer may have, which is an IPv4 address or an IPv6 network of 64 bits; 1,024 where it is zero. An API server
	// that is asked for as much as it takes by default, 600 requests at once, has no more than these.
	Connections, ConnectionsOfPeer int
	// LameDuck is how long conversions are served as before after the end was asked for, while readiness is already false.
	LameDuck time.Duration
	// Drain is how long reviews that are under way then may take; half a minute where it is zero, which is how long the API
	// server waits.
	Drain time.Duration

	// Log takes messages; nil for none.
	Log *slog.Logger
	// Traces makes spans; nil for none.
	Traces trace.TracerProvider

	// Listening, if it is given, is told where the server listens, before it is ready; nil for what is not served.
	Listening func(conversions, metrics, probes net.Addr)
}

// Timeouts of all connections. The API server gives up after half a minute; it closes idle connections after 90 seconds, and
// who closes second cannot be in the middle of a request.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = 30 * time.Second
	writeTimeout  = 60 * time.Second
	idleTimeout   = 3 * time.Minute
	maxHeader     = 64 << 10
)

// callTimeout is how long a call of the API server may take.
const callTimeout = 30 * time.Second

// Limits of connections.
const (
	// defaultConnections and defaultOfPeer are those for conversions.
	defaultConnections, defaultOfPeer = 4096, 1024
	// maxStreams is how many requests an HTTP/2 connection carries at once. A client with more opens another.
	maxStreams = 250
	// receiveBuffer is how much of its requests is kept that was not read yet.
	receiveBuffer = 256 << 10
	// maxScrapes is how many requests for metrics are answered at once.
	maxScrapes = 4
)

// otherRoom is that of connections for metrics, and for probes, which few ask for.
var otherRoom = room{all: 256, ofPeer: 64}

func (o Options) orDefault() (Options, error) {
	switch {
	case o.Scheme == nil:
		return o, errors.New("there is no scheme")
	case o.Certificates == nil:
		return o, errors.New("there is no source of certificates")
	}
	if err := o.Limits.Check(); err != nil {
		return o, err
	}
	if o.Connections <= 0 {
		o.Connections = defaultConnections
	}
	if o.ConnectionsOfPeer <= 0 {
		o.ConnectionsOfPeer = defaultOfPeer
	}
	if o.Address == "" {
		o.Address = ":9443"
	}
	if o.MinTLS == 0 {
		o.MinTLS = tls.VersionTLS12
	}
	if o.Drain <= 0 {
		o.Drain = 30 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o, nil
}
