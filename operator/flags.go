package operator

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/stratakube/strata/operator/internal/shard"
	"github.com/stratakube/strata/operator/reconciler"
)

// off is the value of an address that disables its server.
const off = "off"

// flags are the flags of a command.
type flags struct {
	name    string
	set     *flag.FlagSet
	options Options

	kubeconfig, plugins, providers string
	unlocked, conversions          bool
	environment                    []string
	served                         Conversions
	metrics, probes                string
	logLevel, logFormat            string
	level                          slog.Level
}

func newFlags(path string) *flags {
	f := &flags{name: filepath.Base(path)}
	f.options.ConcurrencyFor = map[string]int{}
	f.set = flag.NewFlagSet(f.name, flag.ContinueOnError)
	f.set.SetOutput(io.Discard)
	f.set.StringVar(&f.kubeconfig, "kubeconfig", "", "`file` that says how to reach the API server; the pod's service account without it")
	f.ofPlugins()
	f.ofWork()
	f.ofProcess()
	return f
}

func (f *flags) ofPlugins() {
	f.set.StringVar(&f.plugins, "plugins", "", "`folder` of the plugins, with their strata-plugins.lock")
	f.set.BoolVar(&f.unlocked, "unlocked", false, "run all plugins in the folder, without a lock; for development")
	f.set.Func("plugin-environment", "`pattern` of variables that plugins get with --unlocked, as in 'AZURE_*'; can be repeated; otherwise the lock names them", list(&f.environment))
	f.set.StringVar(&f.providers, "providers", "", "`file` that assigns types to providers; without it, the only provider has all types")
	f.set.DurationVar(&f.options.CallTimeout, "call-timeout", time.Minute, "how long one call of a provider may take")
}

func (f *flags) ofWork() {
	o := &f.options
	f.set.Func("kinds", "`selector` of kinds, as group or group/Kind; can be repeated; all without it", list(&o.Kinds))
	f.set.Func("namespaces", "`namespace` whose objects are reconciled; can be repeated; all without it", list(&o.Namespaces))
	f.set.BoolFunc("require-credentials", "have objects wait for a Secret with credentials, in place of the plugin's own; on where several namespaces are served, unless it is =false", f.requireCredentials)
	f.set.Func("claim-key", "Secret with the keys that sign claims, as `namespace/name`, or off; without it "+claimKeyName+" in the namespace of the lease or the pod", f.claimKey)
	f.set.IntVar(&o.Concurrency, "concurrency", 4, "how many objects of a kind are reconciled at a time")
	f.set.Func("concurrency-for", "the same for one kind, as `group/Kind=N`; can be repeated", f.concurrencyFor)
	f.set.DurationVar(&o.Resync, "resync", 10*time.Minute, "how often a resource is observed in the external API if nothing happens; no pause is longer")
	f.set.DurationVar(&o.Tolerance, "tolerance", reconciler.DefaultTolerance, "how long an object stays Ready while the external API cannot be asked about its resource")
	f.set.BoolVar(&o.LeaderElection.On, "leader-elect", false, "have one of several replicas reconcile")
	f.set.BoolVar(&o.ShardNamespaces, "shard-namespaces", false, "have all replicas reconcile, each a part of the namespaces; the label "+shard.Label+" of namespaces keeps those with the same value together")
	f.set.StringVar(&o.LeaderElection.Namespace, "leader-election-namespace", "", "`namespace` of the lease; the pod's without it")
	f.set.StringVar(&o.LeaderElection.ID, "leader-election-id", leaseName, "`name` of the lease: operators of other kinds need another one")
	f.set.DurationVar(&o.LeaderElection.Lease, "leader-election-lease", defaultLease, "how long a leader that is not heard of is believed to live")
	f.set.DurationVar(&o.LeaderElection.Renew, "leader-election-renew", defaultRenew, "how long a leader that does not reach the API server goes on")
	f.set.DurationVar(&o.LeaderElection.Retry, "leader-election-retry", defaultRetry, "how often the lease is read")
}

func (f *flags) ofProcess() {
	f.set.StringVar(&f.metrics, "metrics-address", ":8080", "`host:port` where metrics are served, at /metrics; off for nowhere")
	f.set.StringVar(&f.probes, "probe-address", ":8081", "`host:port` where /healthz and /readyz are served; off for nowhere")
	f.set.BoolVar(&f.conversions, "serve-conversions", false, "serve the conversion webhook, too")
	f.set.StringVar(&f.served.Address, "conversion-address", ":9443", "`host:port` where conversions are served")
	f.set.StringVar(&f.served.CertFile, "cert-file", "", "`file` of the certificate chain of conversions, in PEM")
	f.set.StringVar(&f.served.KeyFile, "key-file", "", "`file` of its key, in the same folder")
	f.set.StringVar(&f.logLevel, "log-level", "info", "least `level` that is logged: debug, info, warn, error or off")
	f.set.StringVar(&f.logFormat, "log-format", "json", "`format` of the log, on standard error: json or text")
}

// list returns the function of a flag that appends values with commas between them. The flag may
// be repeated.
func list(to *[]string) func(string) error {
	return func(value string) error {
		for _, one := range strings.Split(value, ",") {
			if one == "" {
				return errors.New("there is nothing in it")
			}
			*to = append(*to, one)
		}
		return nil
	}
}

func (f *flags) requireCredentials(value string) error {
	required, err := strconv.ParseBool(value)
	f.options.RequireCredentials = &required
	return err
}

func (f *flags) claimKey(value string) error {
	if value == off {
		f.options.ClaimKey = noClaimKey
		return nil
	}
	namespace, name, has := strings.Cut(value, "/")
	if !has || namespace == "" || name == "" || strings.Contains(name, "/") {
		return errors.New("it is not namespace/name, and not off")
	}
	f.options.ClaimKey = types.NamespacedName{Namespace: namespace, Name: name}
	return nil
}

func (f *flags) concurrencyFor(value string) error {
	name, text, ok := strings.Cut(value, "=")
	n, err := strconv.Atoi(text)
	if !ok || name == "" || err != nil || n < 1 {
		return errors.New("it is not group/Kind=N, with N at least 1")
	}
	f.options.ConcurrencyFor[name] = n
	return nil
}

// help prints all flags in the form that users write, with their defaults.
func (f *flags) help(w io.Writer) {
	fmt.Fprintf(w, "%s creates, changes and deletes resources of external APIs, as objects in the cluster say.\n\nUsage:\n  %s --plugins FOLDER [--providers FILE] [flags]\n\nFlags:\n", f.name, f.name)
	f.set.VisitAll(func(one *flag.Flag) {
		kind, usage := flag.UnquoteUsage(one)
		fmt.Fprintf(w, "  --%s %s\n        %s", one.Name, kind, usage)
		if one.DefValue != "" {
			fmt.Fprintf(w, " (default %s)", one.DefValue)
		}
		fmt.Fprintln(w)
	})
}

// parse parses the flags, and returns all errors at once.
func (f *flags) parse(args []string) error {
	if err := f.set.Parse(args); err != nil {
		return err
	}
	var wrong []error
	if f.set.NArg() > 0 {
		wrong = append(wrong, fmt.Errorf("unexpected argument %q", f.set.Arg(0)))
	}
	if f.plugins == "" {
		wrong = append(wrong, errors.New("no plugins: give --plugins"))
	}
	if len(f.environment) > 0 && !f.unlocked {
		wrong = append(wrong, errors.New("--plugin-environment is for --unlocked: the lock names what a plugin gets; write it by strata plugin verify --write --environment FILE=PATTERN"))
	}
	if f.options.Concurrency < 1 || f.options.Resync <= 0 || f.options.CallTimeout <= 0 || f.options.Tolerance <= 0 {
		wrong = append(wrong, errors.New("--concurrency, --resync, --tolerance and --call-timeout are above zero"))
	}
	if e := f.options.LeaderElection; e.Lease <= e.Renew || e.Renew <= e.Retry || e.Retry <= 0 {
		wrong = append(wrong, errors.New("--leader-election-lease is longer than --leader-election-renew, and that longer than --leader-election-retry"))
	}
	if f.conversions && (f.served.CertFile == "" || f.served.KeyFile == "") {
		wrong = append(wrong, errors.New("--serve-conversions needs --cert-file and --key-file"))
	}
	if !f.conversions && (f.served.CertFile != "" || f.served.KeyFile != "") {
		wrong = append(wrong, errors.New("--cert-file and --key-file are for --serve-conversions"))
	}
	if f.logFormat != "json" && f.logFormat != "text" {
		wrong = append(wrong, fmt.Errorf("--log-format is json or text, not %q", f.logFormat))
	}
	if f.logLevel != off && f.level.UnmarshalText([]byte(f.logLevel)) != nil {
		wrong = append(wrong, fmt.Errorf("--log-level is debug, info, warn, error or off, not %q", f.logLevel))
	}
	f.options.MetricsAddress, f.options.ProbeAddress = unlessOff(f.metrics), unlessOff(f.probes)
	if f.conversions {
		f.options.Conversions = &f.served
	}
	return errors.Join(wrong...)
}

func unlessOff(address string) string {
	if address == off {
		return ""
	}
	return address
}
