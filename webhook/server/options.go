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

// Options configure a server. Scheme and Certificates are required.
type Options struct {
	// Scheme contains the types.
	Scheme *k8sruntime.Scheme
	// Kinds are the kinds to serve; nil for all that convert.
	Kinds []schema.GroupKind
	// Certificates provides the certificate. Run starts it.
	Certificates certs.Source

	// Address is where conversions are served, at webhook.Path; by default ":9443".
	Address string
	// MetricsAddress is where metrics are served, at /metrics. If it is empty, there are no
	// metrics.
	MetricsAddress string
	// ProbeAddress is where /livez, /readyz and /versions are served. If it is empty, they are
	// not.
	ProbeAddress string
	// MinTLS is the oldest supported version of TLS, such as tls.VersionTLS13; by default 1.2.
	MinTLS uint16

	// Limits are the limits of reviews.
	Limits webhook.Limits
	// Connections is the largest number of open connections for conversions; by default 4,096.
	// ConnectionsOfPeer is the largest number for one peer, which is an IPv4 address or an IPv6
	// network of 64 bits; by default 1,024. An API server with its default limit of 600 concurrent
	// requests needs no more.
	Connections, ConnectionsOfPeer int
	// LameDuck is how long the server serves as before after ctx is done, while it reports that
	// it is not ready.
	LameDuck time.Duration
	// Drain is how long running reviews may then take; by default half a minute, which is how long
	// the API server waits.
	Drain time.Duration

	// Log receives messages; nil for none.
	Log *slog.Logger
	// Traces creates spans; nil for none.
	Traces trace.TracerProvider

	// Listening, if not nil, receives the addresses of the server before it is ready. An address
	// is nil if the server does not listen there.
	Listening func(conversions, metrics, probes net.Addr)
}

// Timeouts of all connections. The API server waits half a minute for an answer. It closes idle
// connections after 90 seconds. The server waits longer than that, so that it closes no connection
// on which a request may be arriving.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = 30 * time.Second
	writeTimeout  = 60 * time.Second
	idleTimeout   = 3 * time.Minute
	maxHeader     = 64 << 10
)

// callTimeout is the longest time of a call to the API server.
const callTimeout = 30 * time.Second

// Limits of connections.
const (
	// defaultConnections and defaultOfPeer are the limits for conversions.
	defaultConnections, defaultOfPeer = 4096, 1024
	// maxStreams is the number of concurrent requests on an HTTP/2 connection. A client with more
	// opens another connection.
	maxStreams = 250
	// receiveBuffer is how many bytes of unread requests a connection buffers.
	receiveBuffer = 256 << 10
	// maxScrapes is the number of concurrent requests for metrics.
	maxScrapes = 4
)

// otherLimit is the limit of connections for metrics, and of those for probes, which have few
// clients.
var otherLimit = connectionLimit{total: 256, perPeer: 64}

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
