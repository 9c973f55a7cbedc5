package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/patient"
	"github.com/stratakube/strata/operator/cluster/internal/terminal"
	"github.com/stratakube/strata/operator/cluster/internal/versions"
)

// The exit codes.
const (
	Done     = 0
	Findings = 1
	Failed   = 2
)

// Streams are the outputs of the command line.
type Streams struct {
	Out, Err io.Writer
	// Screen describes the terminal that Out is; zero if it is none.
	Screen terminal.Screen
}

// errFindings ends a command that has already printed its findings.
var errFindings = errors.New("findings")

// Run runs one command line, without the program's name, and returns the exit code.
func Run(ctx context.Context, args []string, s Streams) int {
	root := &cobra.Command{
		Use: "strata cluster", Short: "look after what a cluster stores", SilenceErrors: true, SilenceUsage: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	root.SetArgs(args)
	root.AddCommand(crdsCommand(s), doctorCommand(s), versionsCommand(s), migrateCommand(s), upgradeCommand(s), usageCommand(s))
	switch err := root.ExecuteContext(ctx); {
	case err == nil:
		return Done
	case errors.Is(err, errFindings):
		return Findings
	default:
		fmt.Fprintf(s.Err, "strata cluster: error: %s\n", terminal.Lines(err.Error()))
		return Failed
	}
}

// access selects a cluster, like kubectl's flags.
type access struct {
	kubeconfig, context, namespace string
	timeout                        time.Duration                             // of a request; 0 for the default
	as                             string                                    // the user to impersonate; may be empty
	watch                          func(http.RoundTripper) http.RoundTripper // of calls about metadata; may be nil
	waits                          func(line string)                         // gets a line when the command waits for the API server; nil if it ends instead
}

// outage is how long the API server may not answer a command that goes on by itself.
const outage = 5 * time.Minute

func (a *access) add(c *cobra.Command) {
	c.Flags().StringVar(&a.kubeconfig, "kubeconfig", "", "the kubeconfig `file`; by default $KUBECONFIG, or that of the home folder")
	c.Flags().StringVar(&a.context, "context", "", "the `name` of a context in it")
	c.Flags().DurationVar(&a.timeout, "request-timeout", requestTimeout, "how long a request may take, with its whole answer")
}

// requestTimeout is longer than API servers let a request take by default, so that their answer
// arrives.
const requestTimeout = 90 * time.Second

// cluster has the clients of a cluster.
type cluster struct {
	config    *rest.Config
	discovery *discovery.DiscoveryClient
	objects   dynamic.Interface
	metadata  metadata.Interface
	namespace string // of the context
}

// rate is the largest number of calls a second; a page of objects is one call.
const rate = 50

// unlimited returns the configuration of a client whose caller bounds the rate of calls.
func (a *access) unlimited(config *rest.Config) *rest.Config {
	out := rest.CopyConfig(config)
	out.QPS = -1
	if a.watch != nil {
		out.Wrap(a.watch)
	}
	return out
}

func (a *access) open() (*cluster, error) {
	loader := a.loader()
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("find the cluster: %w", err)
	}
	config.Impersonate.UserName = a.as
	config.QPS, config.Burst, config.UserAgent = rate, 2*rate, "strata-cluster"
	limit := a.timeout
	if limit <= 0 {
		limit = requestTimeout
	}
	config.Wrap(func(inner http.RoundTripper) http.RoundTripper { return &patient.Bounded{Inner: inner, Limit: limit} })
	if a.waits != nil {
		config.Wrap(func(inner http.RoundTripper) http.RoundTripper {
			return &patient.Transport{Inner: inner, Outage: outage, Waits: a.waits}
		})
	}
	c := &cluster{config: rest.CopyConfig(config)}
	if c.namespace, _, err = loader.Namespace(); err != nil {
		return nil, fmt.Errorf("find the cluster: %w", err)
	}
	if c.discovery, err = discovery.NewDiscoveryClientForConfig(config); err != nil {
		return nil, fmt.Errorf("find the cluster: %w", err)
	}
	if c.metadata, err = metadata.NewForConfig(a.unlimited(config)); err != nil {
		return nil, fmt.Errorf("find the cluster: %w", err)
	}
	if a.watch != nil {
		config = a.unlimited(config) // a write follows each read of an object
	}
	if c.objects, err = dynamic.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("find the cluster: %w", err)
	}
	return c, nil
}

func versionsCommand(s Streams) *cobra.Command {
	var a access
	var form string
	c := &cobra.Command{
		Use:   "versions KIND [NAME]",
		Short: "show in which versions objects were written, or what versions hide of one",
		Long: "versions shows the versions of a kind: which are served and stored, and how many objects were written in\n" +
			"each. With a name it reads that object in every version that is served, and shows what each cannot show of\n" +
			"it: where, under which key, and how long; not what. On a terminal each count has a bar. It reads only.",
		Example: "  strata cluster versions Person\n  strata cluster versions crm.example.com/Person ada -n default\n  strata cluster versions persons -o json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return errors.New("versions takes a kind, and the name of an object")
			}
			if form != "table" && form != "json" {
				return fmt.Errorf("-o is table or json, not %q", form)
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			on, err := a.open()
			if err != nil {
				return err
			}
			d, err := crd.Find(c.Context(), on.discovery, on.objects, args[0])
			if err != nil {
				return err
			}
			if len(args) == 1 {
				k, err := versions.OfKind(c.Context(), on.objects, d, a.namespace)
				if err != nil {
					return err
				}
				if form == "table" {
					return k.Draw(s.Out, s.Screen)
				}
				return show(s.Out, form, k)
			}
			if a.namespace == "" {
				a.namespace = on.namespace
			}
			o, err := versions.OfObject(c.Context(), on.objects, d, a.namespace, args[1])
			if err != nil {
				return err
			}
			if err := show(s.Out, form, o); err != nil {
				return err
			}
			if o.Failed() {
				return errFindings
			}
			return nil
		},
	}
	a.add(c)
	c.Flags().StringVarP(&a.namespace, "namespace", "n", "", "the namespace")
	c.Flags().StringVarP(&form, "output", "o", "table", "the `form` of the result: table or json")
	return c
}

// show prints a result.
func show(w io.Writer, form string, of interface{ Table(io.Writer) }) error {
	if form == "table" {
		of.Table(w)
		return nil
	}
	text, err := json.MarshalIndent(of, "", "  ")
	if err != nil {
		return fmt.Errorf("print result: %w", err)
	}
	_, err = fmt.Fprintln(w, string(text))
	return err
}
