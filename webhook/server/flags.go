package server

import (
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/stratakube/strata/webhook"
)

const off = "off"

// flags holds the flags of a command.
type flags struct {
	name    string
	set     *flag.FlagSet
	options Options

	certFile, keyFile       string
	secret, crds, names     string
	caLife, servingLife     time.Duration
	caDelay                 time.Duration
	kubeconfig              string
	logLevel, logFormat     string
	level                   slog.Level
	minTLS, metrics, probes string
	otlp                    string
}

// blankFlags returns flags without any flag.
func blankFlags(path string) *flags {
	f := &flags{name: filepath.Base(path)}
	f.set = flag.NewFlagSet(f.name, flag.ContinueOnError)
	f.set.SetOutput(io.Discard)
	return f
}

func newFlags(path string) *flags {
	f := blankFlags(path)
	f.set.StringVar(&f.options.Address, "address", ":9443", "`host:port` where conversions are served, at "+webhook.Path)
	f.set.StringVar(&f.metrics, "metrics-address", ":8080", "`host:port` where metrics are served, at /metrics; off for nowhere")
	f.set.StringVar(&f.probes, "probe-address", ":8081", "`host:port` where /livez, /readyz and /versions are served; off for nowhere")
	f.set.StringVar(&f.minTLS, "min-tls", "1.2", "oldest supported `version` of TLS: 1.2 or 1.3")
	f.ofCertificates()
	f.ofLimits()
	f.set.DurationVar(&f.options.LameDuck, "lame-duck", 10*time.Second, "how long to serve as before after SIGTERM, with readiness false")
	f.set.DurationVar(&f.options.Drain, "drain", 30*time.Second, "how long running reviews may then take")
	f.set.StringVar(&f.logLevel, "log-level", "info", "lowest `level` that is logged: debug, info, warn, error or off")
	f.set.StringVar(&f.logFormat, "log-format", "json", "`format` of the log, on standard error: json or text")
	f.set.StringVar(&f.otlp, "otlp-endpoint", off, "`URL` that spans are sent to, by OTLP over HTTP; off for nowhere")
	return f
}

func (f *flags) ofCertificates() {
	f.set.StringVar(&f.certFile, "cert-file", "", "`file` of the certificate chain, in PEM; read again when it changes")
	f.set.StringVar(&f.keyFile, "key-file", "", "`file` of its key")
	f.set.StringVar(&f.secret, "secret", "", "`namespace/name` of a Secret: the webhook then makes certificates, and shares them there")
	f.set.StringVar(&f.crds, "crds", "", "with --secret: `names` of the CRDs whose caBundle is written, separated by commas")
	f.set.StringVar(&f.names, "names", "", "with --secret: DNS `names` and addresses to make certificates for, separated by commas")
	f.set.DurationVar(&f.caLife, "authority-life", 365*24*time.Hour, "with --secret: how long a CA is valid; it is replaced after two thirds of it")
	f.set.DurationVar(&f.servingLife, "serving-life", 30*24*time.Hour, "with --secret: how long a certificate is valid; it is replaced after two thirds of it")
	f.set.DurationVar(&f.caDelay, "settle", time.Minute, "with --secret: how long a new CA must be in all CRDs before it signs")
	f.set.StringVar(&f.kubeconfig, "kubeconfig", "", "with --secret: kubeconfig `file`; by default the service account of the pod")
}

// ofReviews adds the limits of one review.
func (f *flags) ofReviews() {
	d := webhook.DefaultLimits()
	f.set.Int64Var(&f.options.Limits.BodyBytes, "max-body-bytes", d.BodyBytes, "how long a review may be")
	f.set.Int64Var(&f.options.Limits.ObjectBytes, "max-object-bytes", d.ObjectBytes, "how large an object of a review may be; a review with a larger one fails, and the answer names it")
	f.set.IntVar(&f.options.Limits.Depth, "max-depth", d.Depth, "how deep the JSON of a review may be, up to 10000")
	f.set.IntVar(&f.options.Limits.Objects, "max-objects", d.Objects, "how many objects a review may have")
	f.set.Int64Var(&f.options.Limits.InFlightBytes, "max-in-flight-bytes", d.InFlightBytes, "memory of all reviews together; at least 32 times --max-object-bytes")
}

func (f *flags) ofLimits() {
	d := webhook.DefaultLimits()
	f.ofReviews()
	f.set.IntVar(&f.options.Limits.Open, "max-open", d.Open, "how many reviews may be open at once, including those that wait for their clients")
	f.set.IntVar(&f.options.Limits.InFlight, "max-in-flight", d.InFlight, "how many reviews are converted at once; others wait, and then get 503 with Retry-After")
	f.set.Int64Var(&f.options.Limits.Rate, "min-rate", d.Rate, "how many bytes a second a client must send or read while the webhook waits for it")
	f.set.DurationVar(&f.options.Limits.Grace, "min-rate-grace", d.Grace, "how long a client may be slower before it is cut off")
	f.set.IntVar(&f.options.Connections, "max-connections", defaultConnections, "how many connections for conversions may be open")
	f.set.IntVar(&f.options.ConnectionsOfPeer, "max-connections-of-peer", defaultOfPeer, "how many of them one address may have, or one network of 64 bits in IPv6")
}

// help prints all flags with their defaults.
func (f *flags) help(w io.Writer) {
	fmt.Fprintf(w, "%[1]s serves the conversions of custom resources.\n\nUsage:\n  %[1]s --cert-file FILE --key-file FILE [flags]\n  %[1]s --secret NAMESPACE/NAME --crds NAMES --names NAMES [flags]\n  %[1]s convert [flags]\n\nconvert converts what it reads, and serves nothing: see convert --help.\n\nFlags:\n", f.name)
	f.list(w)
}

// list prints all flags.
func (f *flags) list(w io.Writer) {
	f.set.VisitAll(func(one *flag.Flag) {
		kind, usage := flag.UnquoteUsage(one)
		fmt.Fprintf(w, "  --%s %s\n        %s", one.Name, kind, usage)
		if one.DefValue != "" {
			fmt.Fprintf(w, " (default %s)", one.DefValue)
		}
		fmt.Fprintln(w)
	})
}

// parse reads the flags, and reports all contradictions.
func (f *flags) parse(args []string) error {
	if err := f.set.Parse(args); err != nil {
		return err
	}
	if f.set.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", f.set.Arg(0))
	}
	return errors.Join(f.checkCertificates(), f.checkLimits(), f.checkChoices())
}

func (f *flags) checkCertificates() error {
	files, managed := f.certFile != "" || f.keyFile != "", f.secret != ""
	namespace, name, isName := strings.Cut(f.secret, "/")
	switch {
	case files && managed:
		return errors.New("--cert-file and --key-file exclude --secret: certificates are read from files or created")
	case files && (f.certFile == "" || f.keyFile == ""):
		return errors.New("--cert-file and --key-file must be set together")
	case !files && !managed:
		return errors.New("no certificate: set --cert-file and --key-file, or --secret, --crds and --names")
	case managed && (!isName || namespace == "" || name == "" || strings.Contains(name, "/")):
		return fmt.Errorf("--secret must be a namespace and a name, such as strata/webhook-certificates, not %q", f.secret)
	case managed && (f.crds == "" || f.names == ""):
		return errors.New("--secret needs --crds and --names")
	}
	return nil
}

// checkReviews checks the limits of one review.
func (f *flags) checkReviews() error {
	l := f.options.Limits
	if min(l.BodyBytes, l.ObjectBytes, l.InFlightBytes, int64(l.Depth), int64(l.Objects)) <= 0 {
		return errors.New("limits (--max-...) must be above zero")
	}
	return l.Check()
}

func (f *flags) checkLimits() error {
	l := f.options.Limits
	least := min(l.Rate, int64(l.Grace), int64(l.Open), int64(l.InFlight), int64(f.options.Connections), int64(f.options.ConnectionsOfPeer))
	if least <= 0 {
		return errors.New("limits (--max-..., --min-rate and --min-rate-grace) must be above zero")
	}
	if err := f.checkReviews(); err != nil {
		return err
	}
	if f.options.LameDuck < 0 || f.options.Drain <= 0 {
		return errors.New("--lame-duck must not be negative, and --drain must be above zero")
	}
	return nil
}

// checkChoices checks the flags that take one of a few words.
func (f *flags) checkChoices() error {
	switch f.minTLS {
	case "1.2":
		f.options.MinTLS = tls.VersionTLS12
	case "1.3":
		f.options.MinTLS = tls.VersionTLS13
	default:
		return fmt.Errorf("--min-tls must be 1.2 or 1.3, not %q", f.minTLS)
	}
	if f.logFormat != "json" && f.logFormat != "text" {
		return fmt.Errorf("--log-format must be json or text, not %q", f.logFormat)
	}
	if f.logLevel != off {
		if err := f.level.UnmarshalText([]byte(f.logLevel)); err != nil {
			return fmt.Errorf("--log-level must be debug, info, warn, error or off, not %q", f.logLevel)
		}
	}
	f.options.MetricsAddress, f.options.ProbeAddress = unlessOff(f.metrics), unlessOff(f.probes)
	return nil
}

func unlessOff(address string) string {
	if address == off {
		return ""
	}
	return address
}
