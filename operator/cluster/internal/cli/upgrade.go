package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/discovery"

	"github.com/stratakube/strata/operator/cluster/internal/converter"
	"github.com/stratakube/strata/operator/cluster/internal/pack"
	"github.com/stratakube/strata/operator/cluster/internal/references"
	"github.com/stratakube/strata/operator/cluster/internal/upgrade"
)

func upgradeCommand(s Streams) *cobra.Command {
	c := &cobra.Command{Use: "upgrade", Short: "upgrade what a cluster stores to another release"}
	c.AddCommand(planCommand(s), applyCommand(s), rollbackCommand(s), pruneCommand(s), statusCommand(s), pauseCommand(s), resumeCommand(s), verifyCommand(s), resourceCommand(s))
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
	strict    bool
}

func planCommand(s Streams) *cobra.Command {
	var p planning
	c := &cobra.Command{
		Use:   "plan PACKAGE --converter COMMAND",
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
			case len(strings.Fields(p.converter)) == 0:
				return errors.New("--converter is missing: set the command of the new webhook, as in --converter 'strata-webhook convert'")
			case !slices.Contains([]string{"table", "json", "markdown", "junit"}, p.form):
				return fmt.Errorf("-o is table, json, markdown or junit, not %q", p.form)
			case p.limit <= 0:
				return errors.New("--converter-timeout must be above zero")
			case slices.ContainsFunc(p.webhooks, isNoURL):
				return errors.New("--webhook is the URL of a replica's probe address, such as http://10.0.0.1:8081")
			case p.parallel < 1:
				return errors.New("--parallel must be above zero")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			plan, err := p.make(c.Context(), args[0], s)
			if err != nil {
				return err
			}
			if err := p.print(s.Out, plan); err != nil {
				return err
			}
			if plan.Failed() || p.strict && len(plan.NotChecked) > 0 {
				return errFindings
			}
			return nil
		},
	}
	p.access.add(c)
	c.Flags().StringVar(&p.converter, "converter", "", "the `command` that converts, without quotes within")
	c.Flags().DurationVar(&p.limit, "converter-timeout", time.Minute, "how long the command may take to convert a page of objects")
	c.Flags().StringVarP(&p.form, "output", "o", "table", "the `form` of the result: table, json, markdown or junit")
	c.Flags().StringVar(&p.save, "save", "", "a `file` to write the plan to, as JSON with its digest")
	c.Flags().StringArrayVar(&p.webhooks, "webhook", nil, "the `URL` of the probe address of a replica of the webhook; can be repeated. By default the pods of its service are asked")
	c.Flags().BoolVar(&p.strict, "strict", false, "exit with 1 also if something could not be checked")
	c.Flags().IntVar(&p.parallel, "parallel", 2, "how many kinds are read at once, each with a converter of its own")
	return c
}

func isNoURL(text string) bool {
	u, err := url.Parse(text)
	return err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != ""
}

// replicas returns the replicas of the webhook that the user named.
func (p *planning) replicas() (out []references.Webhook) {
	for _, at := range p.webhooks {
		out = append(out, references.Webhook{Name: at, Ask: func(ctx context.Context) (io.ReadCloser, error) {
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(at, "/")+"/versions", nil)
			if err != nil {
				return nil, err
			}
			answer, err := (&http.Client{Timeout: patience}).Do(request)
			if err != nil {
				return nil, err
			}
			if answer.StatusCode != http.StatusOK {
				_ = answer.Body.Close()
				return nil, fmt.Errorf("it answers %s", answer.Status)
			}
			return answer.Body, nil
		}})
	}
	return out
}

// server answers what a cluster serves, and raw requests.
type server struct{ *discovery.DiscoveryClient }

// Raw answers a GET of a path.
func (s server) Raw(ctx context.Context, path string) (io.ReadCloser, error) {
	return s.RESTClient().Get().AbsPath(path).Stream(ctx)
}

// print prints the plan in the form that was asked for.
func (p *planning) print(w io.Writer, plan *upgrade.Plan) error {
	switch p.form {
	case "markdown":
		plan.Markdown(w)
		return nil
	case "junit":
		return plan.JUnit(w)
	}
	return show(w, p.form, plan)
}

func (p *planning) make(ctx context.Context, dir string, s Streams) (*upgrade.Plan, error) {
	command := converter.Command{Args: strings.Fields(p.converter), Limit: p.limit}
	brought, err := pack.Read(dir)
	if err != nil {
		return nil, err
	}
	versions, err := command.Ask(ctx)
	if err != nil {
		return nil, err
	}
	on, err := p.access.open()
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	plan, err := upgrade.Make(ctx, upgrade.Options{
		Cluster: on.objects, Server: server{on.discovery}, Metadata: on.metadata, Webhooks: p.replicas(), Package: brought, Versions: versions, Parallel: p.parallel,
		Start: func(ctx context.Context) (upgrade.Converter, func(), error) {
			process, err := command.Start(ctx)
			if err != nil {
				return nil, nil, err
			}
			return process, process.Close, nil
		},
		Progress: func(line string) {
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintln(s.Err, line)
		},
	})
	if err != nil || p.save == "" {
		return plan, err
	}
	text, err := json.MarshalIndent(plan, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("save plan: %w", err)
	}
	if err := os.WriteFile(p.save, append(text, '\n'), 0o600); err != nil {
		return nil, fmt.Errorf("save plan: %w", err)
	}
	return plan, nil
}
