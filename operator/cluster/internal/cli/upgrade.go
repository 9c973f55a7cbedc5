package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/discovery"

	"github.com/stratakube/strata/operator/cluster/internal/converter"
	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/pack"
	"github.com/stratakube/strata/operator/cluster/internal/replicas"
	"github.com/stratakube/strata/operator/cluster/internal/rewrite"
	"github.com/stratakube/strata/operator/cluster/internal/upgrade"
)

func upgradeCommand(s Streams) *cobra.Command {
	c := &cobra.Command{Use: "upgrade", Short: "upgrade what a cluster stores to another release"}
	c.AddCommand(planCommand(s), applyCommand(s), fleetCommand(s), rollbackCommand(s), pruneCommand(s), statusCommand(s), pauseCommand(s), resumeCommand(s), verifyCommand(s), roleCommand(s), resourceCommand(s))
	return c
}

// planning has the flags of a plan.
type planning struct {
	access    access
	converter string
	form      string
	save      string
	limit     time.Duration
	parallel  int
	webhooks  []string
	port      int
	strict    bool
	rate      int
	measure   bool
	contexts  []string
	clusters  int // that are read at once
}

func planCommand(s Streams) *cobra.Command {
	var p planning
	c := &cobra.Command{
		Use:   "plan PACKAGE [--converter COMMAND]",
		Short: "try the conversions of a package with every stored object",
		Long: "plan compares the CRDs of a package folder with those of a cluster, and converts every stored object to the\n" +
			"new hub and back, and to every served version and back. The command after --converter converts: that is the\n" +
			"webhook program of the package, with the argument convert. It reads only, and shows no values.",
		Example: "  strata cluster upgrade plan ./api --converter 'strata-webhook convert'\n" +
			"  strata cluster upgrade plan ./api --converter 'docker run -i --rm IMAGE convert' --save plan.json",
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) != 1:
				return errors.New("plan takes the folder of a package")
			case !slices.Contains([]string{"table", "json", "markdown", "junit"}, p.form):
				return fmt.Errorf("-o is table, json, markdown or junit, not %q", p.form)
			case p.limit <= 0:
				return errors.New("--converter-timeout must be above zero")
			case slices.ContainsFunc(p.webhooks, isNoURL):
				return errors.New("--webhook is the URL of a replica's probe address, such as http://10.0.0.1:8081")
			case p.rate < 1 || p.rate > maxRate:
				return fmt.Errorf("--rate is between 1 and %d, not %d", maxRate, p.rate)
			case p.parallel < 1:
				return errors.New("--parallel must be above zero")
			}
			return p.checkContexts()
		},
		RunE: func(c *cobra.Command, args []string) error {
			in, err := p.read(c.Context(), args[0])
			if err != nil {
				return err
			}
			if len(p.contexts) > 0 {
				return p.fleet(c.Context(), in, s)
			}
			plan, err := p.make(c.Context(), in, &p.access, "", s.Err)
			if err != nil {
				return err
			}
			if p.save != "" {
				if err := save(plan, p.save); err != nil {
					return err
				}
			}
			return p.finish(s.Out, plan)
		},
	}
	p.access.add(c)
	c.Flags().StringVar(&p.converter, "converter", "", "the `command` that converts, without quotes within")
	c.Flags().DurationVar(&p.limit, "converter-timeout", time.Minute, "how long the command may take to convert a page of objects")
	c.Flags().StringVarP(&p.form, "output", "o", "table", "the `form` of the result: table, json, markdown or junit")
	c.Flags().StringVar(&p.save, "save", "", "a `file` to write the plan to, as JSON with its digest; with --contexts a folder for a file of each cluster")
	c.Flags().StringSliceVar(&p.contexts, "contexts", nil, "plan for the clusters of these `contexts` of the kubeconfig, as in a,b; or all")
	c.Flags().IntVar(&p.clusters, "parallel-clusters", 4, "how many clusters of --contexts are read at once")
	c.Flags().StringArrayVar(&p.webhooks, "webhook", nil, "the `URL` of the probe address of a replica of the webhook; can be repeated. By default the pods of its service are asked")
	c.Flags().IntVar(&p.rate, "rate", defaultRate, "the maximum `number` of writes a second, for which a time is predicted")
	c.Flags().BoolVar(&p.measure, "measure", false, "measure the rate of writes by dry runs with some objects")
	c.Flags().StringVar(&p.access.as, "as", "", "the `user` to impersonate")
	c.Flags().IntVar(&p.port, "webhook-port", replicas.DefaultPort, "the `port` of the probes of the webhook's pods that name none")
	c.Flags().BoolVar(&p.strict, "strict", false, "exit with 1 also if something could not be checked")
	c.Flags().IntVar(&p.parallel, "parallel", 2, "how many kinds are read at once, each with a converter of its own")
	return c
}

func isNoURL(text string) bool {
	u, err := url.Parse(text)
	return err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != ""
}

// server answers what a cluster serves, and raw requests.
type server struct{ *discovery.DiscoveryClient }

// Raw answers a GET of a path.
func (s server) Raw(ctx context.Context, path string) (io.ReadCloser, error) {
	return s.RESTClient().Get().AbsPath(path).Stream(ctx)
}

// result is a plan, or the plans of several clusters.
type result interface {
	Table(io.Writer)
	Markdown(io.Writer)
	JUnit(io.Writer) error
	Failed() bool
	Incomplete() bool
}

// finish prints a result in the form that was asked for. It returns an error for findings.
func (p *planning) finish(w io.Writer, of result) error {
	var err error
	switch p.form {
	case "markdown":
		of.Markdown(w)
	case "junit":
		err = of.JUnit(w)
	default:
		err = show(w, p.form, of)
	}
	if err == nil && (of.Failed() || p.strict && of.Incomplete()) {
		return errFindings
	}
	return err
}

// inputs are what plans of all clusters share.
type inputs struct {
	command  converter.Command
	versions *converter.Versions
	brought  *pack.Package
}

func (p *planning) read(ctx context.Context, dir string) (*inputs, error) {
	in := &inputs{command: converter.Command{Args: strings.Fields(p.converter), Limit: p.limit}}
	var err error
	if in.brought, err = pack.Read(dir); err != nil {
		return nil, err
	}
	if len(in.command.Args) == 0 {
		if of := in.brought.Generated(); of != "" {
			return nil, fmt.Errorf("--converter is missing, and %s needs it: set the command of the new webhook, as in --converter 'strata-webhook convert'", of)
		}
		in.versions = &converter.Versions{Format: 1}
		return in, nil
	}
	in.versions, err = in.command.Ask(ctx)
	return in, err
}

// make plans for one cluster. Lines of progress begin with a prefix.
func (p *planning) make(ctx context.Context, in *inputs, a *access, prefix string, progress io.Writer) (*upgrade.Plan, error) {
	on, err := a.open()
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	var measure func(context.Context, *crd.CRD) (float64, error)
	if p.measure {
		measure = on.measure
	}
	return upgrade.Make(ctx, upgrade.Options{
		Rate: p.rate, Measure: measure, Cluster: on.objects, Server: server{on.discovery}, Metadata: on.metadata, Replicas: replicas.Options{URLs: p.webhooks, Port: p.port}, Package: in.brought, Versions: in.versions, Parallel: p.parallel,
		Start: func(ctx context.Context) (upgrade.Converter, func(), error) {
			process, err := in.command.Start(ctx)
			if err != nil {
				return nil, nil, err
			}
			return process, process.Close, nil
		},
		Progress: func(line string) {
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintln(progress, prefix+line)
		},
	})
}

// sample is the number of objects of a kind that are written to measure.
const sample = 100

// measure returns how many objects of a kind the cluster writes a second.
func (c *cluster) measure(ctx context.Context, d *crd.CRD) (float64, error) {
	through := ""
	if d.API() != d.Hub() && slices.Contains(d.Others(), d.API()) {
		through = d.API()
	} else if others := d.Others(); len(others) > 0 {
		through = others[0]
	}
	return rewrite.Measure(ctx, rewrite.Options{
		Client: c.metadata, Resource: d.Resource(d.Hub()), Pace: rewrite.NewPace(maxRate), Pause: firstPause,
		Owners: rewrite.Owners{Group: d.Group, Target: func(version string) string { return version }},
	}, through, sample)
}

// save writes a plan to a file.
func save(plan *upgrade.Plan, file string) error {
	text, err := json.MarshalIndent(plan, "", "  ")
	if err != nil {
		return fmt.Errorf("save plan: %w", err)
	}
	if err := os.WriteFile(file, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("save plan: %w", err)
	}
	return nil
}
