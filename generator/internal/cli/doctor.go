package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/doctor"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/plaintext"
)

func (a *app) doctor() *cobra.Command {
	var flags flags
	var kubeconfig, context string
	var webhooks []string
	format := newFormat("text", json, yaml, markdown)
	c := &cobra.Command{
		Use:   "doctor",
		Short: "find what is wrong with a project or a cluster, with the commands that mend it",
		Long: "doctor finds what is wrong with the project of strata.yaml: with the configuration, the generated files,\n" +
			"the Go modules, and what git has not committed. With --context or --kubeconfig it also looks at a cluster,\n" +
			"by strata cluster doctor: at CRDs, the webhook, its certificates, policies, stored versions and upgrades.\n\n" +
			"Each finding has the command that mends it. doctor itself changes nothing. It exits with 1 if it finds\n" +
			"more than notes.",
		Example: "  strata doctor\n  strata doctor --context staging -o markdown",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			request, err := flags.request(a)
			if err != nil {
				return err
			}
			r := engine.DoctorRequest{Request: request, Cluster: a.askCluster}
			for _, flag := range [][2]string{{"--context=", context}, {"--kubeconfig=", kubeconfig}} {
				if flag[1] != "" {
					r.InCluster, r.Flags = true, append(r.Flags, flag[0]+flag[1])
				}
			}
			if len(webhooks) > 0 && !r.InCluster {
				return wrongUsage(c, errors.New("--webhook is about a cluster: use it with --context or --kubeconfig"))
			}
			for _, url := range webhooks {
				r.Flags = append(r.Flags, "--webhook="+url)
			}
			found, err := within(c.Context(), func() ([]doctor.Finding, error) { return a.engine.Doctor(c.Context(), r) })
			return a.give(request, err, format, diagnosis(found).answer())
		},
	}
	flags.addFile(c)
	c.Flags().StringVar(&context, "context", "", "also look at the cluster of this `context` of the kubeconfig")
	c.Flags().StringVar(&kubeconfig, "kubeconfig", "", "the kubeconfig `file` of the cluster; with it alone, its current context")
	completeFlag(c, "kubeconfig", files("yaml", "yml", "conf"))
	c.Flags().StringArrayVar(&webhooks, "webhook", nil, "the `URL` of the probe address of a replica of the webhook; can be repeated. By default the pods of its service are asked")
	format.add(c)
	return c
}

// diagnosis prints findings.
type diagnosis []doctor.Finding

func (d diagnosis) answer() answer {
	out := answer{
		table: d.text, markdown: d.markdown,
		document: func(e ending) any {
			return struct {
				Findings []doctor.Finding `json:"findings"`
				ending
			}{append([]doctor.Finding{}, d...), e}
		},
	}
	if doctor.Counts(d) {
		n := 0
		for _, f := range d {
			if f.Severity != doctor.Note {
				n++
			}
		}
		m := diag.Errorf(diag.Pos{}, "%s", counted(n, "finding", "findings")).WithHint("run the commands, in their order")
		out.finding = &m
	}
	return out
}

func (d diagnosis) text(b *strings.Builder) {
	if len(d) == 0 {
		b.WriteString("nothing is wrong\n")
	}
	for _, f := range d {
		fmt.Fprintf(b, "%s %s: %s\n  %s\n", f.Severity, f.ID, f.Subject, strings.ReplaceAll(f.Explanation, "\n", "\n  "))
		if f.Hint != "" {
			fmt.Fprintf(b, "  hint: %s\n", strings.ReplaceAll(f.Hint, "\n", "\n  "))
		}
		if f.Command != "" {
			fmt.Fprintf(b, "  $ %s\n", f.Command)
		}
	}
}

func (d diagnosis) markdown() []byte {
	var b strings.Builder
	b.WriteString("# Doctor\n\n")
	if len(d) == 0 {
		b.WriteString("Nothing is wrong.\n")
	}
	for _, f := range d {
		fmt.Fprintf(&b, "- **%s %s** %s: %s\n", f.Severity, f.ID, plaintext.Code(f.Subject), plaintext.Markdown(f.Explanation))
		if f.Hint != "" {
			fmt.Fprintf(&b, "  %s\n", plaintext.Markdown(f.Hint))
		}
		if f.Command != "" {
			b.WriteString("\n  " + strings.ReplaceAll(strings.TrimSpace(plaintext.Fence("sh", f.Command)), "\n", "\n  ") + "\n")
		}
	}
	return []byte(b.String())
}
