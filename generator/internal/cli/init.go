package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/plaintext"
	"github.com/stratakube/strata/generator/internal/scaffold"
)

func (a *app) init() *cobra.Command {
	var request engine.InitRequest
	var sources []string
	yes := false
	c := &cobra.Command{
		Use:   "init",
		Short: "find sources in a folder, and write a strata.yaml for them",
		Long: "init searches the folder for Go packages with markers, CRDs, OpenAPI documents and schemas. It writes a\n" +
			"commented strata.yaml, and the JSON schema by which editors check it. On a terminal it asks for settings\n" +
			"that no flag sets. With --webhook it also writes a main.go that serves the conversions. With --operator it\n" +
			"also writes a main.go of an operator for an external API, and the files that build and install both.",
		Example: "  strata init\n  strata init --source go=./shop --webhook=cmd/converter --yes\n  strata init --source arm=schemas --suffix example.com --operator",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			for _, text := range sources {
				s, err := scaffold.ParseSource(text)
				if err != nil {
					return err
				}
				request.Choices.Sources = append(request.Choices.Sources, s)
			}
			if a.streams.Interactive && !yes {
				q := questions{in: bufio.NewReader(a.streams.In), out: a.streams.Err, webhook: c.Flags().Changed("webhook") || c.Flags().Changed("operator")}
				request.Ask = q.ask
			}
			result, err := within(c.Context(), func() (engine.InitResult, error) { return a.engine.Init(c.Context(), request) })
			if err != nil {
				return interrupted(err)
			}
			return emit(a.streams.Out, plaintext.VisibleLines(initText(result, request.Dir)))
		},
	}
	f := c.Flags()
	f.StringVar(&request.Dir, "dir", ".", "the folder of the project")
	f.StringArrayVar(&sources, "source", nil, "a kind and a folder below --dir: go=./shop, crd=config/crd, openapi=docs, arm=schemas, bicep=types; may be repeated")
	f.StringVar(&request.Choices.Output, "output", "", "the folder for generated files (api, if no source is in it)")
	f.StringVar(&request.Choices.Module, "module", "", "the import path of that folder (from go.mod)")
	f.StringVar(&request.Choices.Suffix, "suffix", "", "the end of API groups that the source does not name (example.com)")
	f.StringVar(&request.Choices.Webhook, "webhook", "", "a folder for a main.go that serves the conversions")
	f.Lookup("webhook").NoOptDefVal = "cmd/webhook"
	f.StringVar(&request.Choices.Operator, "operator", "", "a folder for a main.go of an operator, with a Dockerfile, a lock file for plugins and a package; includes --webhook")
	f.Lookup("operator").NoOptDefVal = "cmd/operator"
	f.BoolVar(&yes, "yes", false, "ask no questions")
	f.BoolVar(&request.Force, "force", false, "overwrite existing files")
	return c
}

// text reports what was written, and what comes next.
func initText(r engine.InitResult, dir string) string {
	var b strings.Builder
	for _, s := range r.Choices.Sources {
		fmt.Fprintln(&b, "from", s)
	}
	for _, name := range r.Files {
		fmt.Fprintln(&b, "wrote", path.Join(dir, name))
	}
	b.WriteString("next: strata generate\n")
	switch {
	case r.Choices.Operator != "":
		fmt.Fprintf(&b, "then: go get -tool %s %s\n", scaffold.ARMProgram, scaffold.PluginProgram)
		b.WriteString("      go mod tidy\n")
		fmt.Fprintf(&b, "      go build -o plugins/ %s && strata plugin verify --write --dir plugins\n", scaffold.ARMProgram)
		fmt.Fprintf(&b, "      go run ./%s --help\n", r.Choices.Operator)
	case r.Choices.Webhook != "":
		fmt.Fprintf(&b, "then: go mod tidy, go run ./%s --help\n", r.Choices.Webhook)
	}
	return b.String()
}

// questions asks the user on a terminal.
type questions struct {
	in      *bufio.Reader
	out     io.Writer
	webhook bool // has been decided
}

// ask asks for every choice; an empty answer takes what is in brackets.
func (q *questions) ask(found *scaffold.Found, c scaffold.Choices) (scaffold.Choices, error) {
	if len(c.Sources) == 0 {
		c.Sources = found.Sources
	}
	err := q.sources(&c)
	one := func(to *string, question string) {
		if complete, cannot := c.Complete(found); cannot == nil {
			complete.Module = c.Module // it follows from the output
			c = complete
		}
		if err == nil {
			*to, err = q.one(question, *to)
		}
	}
	one(&c.Output, "folder of what is generated")
	if c.Module == "" && found.Module != "" {
		c.Module = path.Join(found.Module, c.Output)
	}
	one(&c.Module, "its import path")
	if scaffold.NeedsSuffix(c.Sources) {
		one(&c.Suffix, "what API groups end in")
	}
	if !q.webhook {
		one(&c.Webhook, "folder of a main that serves the conversions, empty for none")
	}
	return c, err
}

func (q *questions) sources(c *scaffold.Choices) error {
	var texts []string
	for _, s := range c.Sources {
		texts = append(texts, s.String())
	}
	for {
		answer, err := q.one("sources, such as go=./shop crd=config/crd", strings.Join(texts, " "))
		if err != nil {
			return err
		}
		if answer == strings.Join(texts, " ") {
			return nil
		}
		var chosen []scaffold.Source
		for _, text := range strings.Fields(answer) {
			s, wrong := scaffold.ParseSource(text)
			if wrong != nil {
				err = errors.Join(err, wrong)
			}
			chosen = append(chosen, s)
		}
		if err == nil {
			c.Sources = chosen
			return nil
		}
		fmt.Fprintln(q.out, err)
	}
}

// one asks one question. The end of the input is an error: nobody is there.
func (q *questions) one(question, otherwise string) (string, error) {
	fmt.Fprintf(q.out, "%s [%s]: ", question, otherwise)
	line, err := q.in.ReadString('\n')
	if err != nil {
		return "", diag.Errorf(diag.Pos{}, "no answer: %v", err).WithHint("with --yes nothing is asked")
	}
	if line = strings.TrimSpace(line); line == "" {
		return otherwise, nil
	}
	return line, nil
}
