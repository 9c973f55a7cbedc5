package cli

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/engine"
	"github.com/stratakube/strata/generator/internal/plaintext"
	"github.com/stratakube/strata/generator/internal/progress"
	"github.com/stratakube/strata/generator/internal/scaffold"
)

func (a *app) init() *cobra.Command {
	var request engine.InitRequest
	var words initWords
	yes := false
	c := &cobra.Command{
		Use:   "init",
		Short: "find sources in a folder, and write a strata.yaml for them",
		Long: "init searches the folder for Go packages with markers, CRDs, OpenAPI documents and schemas. It writes a\n" +
			"commented strata.yaml, and the JSON schema by which editors check it. On a terminal it asks for settings\n" +
			"that no flag sets. It ends with the commands that follow.\n\n" +
			"With --new it writes the first Go file of a new API. With --webhook it also writes a main.go that serves the\n" +
			"conversions. With --operator it also writes a main.go of an operator for an external API, and the files that\n" +
			"build and install both. In a project that has a strata.yaml, it adds what --webhook, --operator and --checkout\n" +
			"need, and leaves the rest. With --write it edits the Go and build files of a kubebuilder project, so that\n" +
			"conversions can be generated for its types; hand-written ones stay where strata import has a finding or a refusal.",
		Example: "  strata init\n  strata init --new shop.example.com/Widget --go-module example.com/demo --webhook\n" +
			"  strata init --source go=./shop --webhook=cmd/converter --yes\n  strata init --source arm=schemas --suffix example.com --operator",
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := words.parse(&request.Choices); err != nil {
				return err
			}
			request.Request = engine.Request{Messages: &diag.List{}, Sources: diag.NewSources(nil), Progress: progress.New(a.streams.Err, a.streams.Terminal)}
			if a.streams.Interactive && !yes {
				q := questions{in: bufio.NewReader(a.streams.In), out: a.streams.Err, print: func(err error) { a.usage(err) }}
				request.Ask = q.ask
			}
			result, err := within(c.Context(), func() (engine.InitResult, error) { return a.engine.Init(c.Context(), request) })
			request.Progress.Stop()
			if request.Messages.AddError(interrupted(err)); request.Messages.Err() != nil {
				a.code = Failed
			}
			if a.code != Failed && needsCheckout(result) {
				request.Messages.Add(diag.Notef(diag.Pos{}, "this strata is no release, and the go command cannot download the modules that generated code requires").
					WithHint("git clone https://github.com/stratakube/strata, and run strata init --checkout with its folder"))
			}
			a.print(request.Messages.Messages(), request.Sources)
			if a.code == Failed {
				return nil
			}
			return emit(a.streams.Out, plaintext.VisibleLines(initText(result, request.Dir, a.program(request.Dir), a.quiet)))
		},
	}
	f := c.Flags()
	f.StringVar(&request.Dir, "dir", ".", "the folder of the project")
	f.StringVar(&words.api, "new", "", "begin a new API in Go with this group and kind, such as shop.example.com/Widget")
	f.StringVar(&words.versions, "versions", "", "its versions, the oldest first, such as v1alpha1,v1 (v1alpha1)")
	f.StringVar(&words.folder, "folder", "", "the folder of its Go package (the first label of the group)")
	f.StringArrayVar(&words.sources, "source", nil, "a kind and a folder below --dir: go=./shop, crd=config/crd, openapi=docs, arm=schemas, bicep=types; may be repeated")
	f.StringVar(&request.Choices.GoModule, "go-module", "", "also write a go.mod for this module, if the folder is in none")
	f.StringVar(&request.Choices.Output, "output", "", "the folder for generated files (api, if nothing else is in it)")
	f.StringVar(&request.Choices.Module, "module", "", "the import path of that folder (from go.mod)")
	f.StringVar(&request.Choices.Suffix, "suffix", "", "the end of API groups that the source does not name (example.com)")
	f.StringVar(&request.Choices.Webhook, "webhook", "", "a folder for a main.go that serves the conversions, with what builds its image")
	f.Lookup("webhook").NoOptDefVal = "cmd/webhook"
	f.StringVar(&request.Choices.Operator, "operator", "", "a folder for a main.go of an operator, with a Dockerfile, a lock file for plugins and a package; includes --webhook")
	f.Lookup("operator").NoOptDefVal = "cmd/operator"
	f.StringVar(&request.Choices.Checkout, "checkout", "", "also write a go.work that uses Strata's modules from this checkout of its repository, relative to --dir")
	f.BoolVar(&yes, "yes", false, "ask no questions")
	f.BoolVar(&request.Choices.Write, "write", false, "edit the Go files: add the field for hidden values to statuses, remove the conversions that are generated from now on, register the generated package, and use the generated CRDs")
	f.BoolVar(&request.Force, "force", false, "overwrite existing files")
	completeFlag(c, "source", completeSource)
	for _, folder := range []string{"dir", "output", "webhook", "operator", "checkout"} {
		completeFlag(c, folder, folders)
	}
	return c
}

// needsCheckout reports whether the project requires modules of Strata that nobody has published,
// and has no checkout of them.
func needsCheckout(r engine.InitResult) bool {
	return !isReleased() && r.Choices.Checkout == "" && !r.Found.HasRuntime
}

// initWords are flags that are parsed after all of them are known.
type initWords struct {
	api, versions, folder string
	sources               []string
}

func (w initWords) parse(c *scaffold.Choices) (err error) {
	if w.api != "" {
		if c.New, err = scaffold.ParseNewAPI(w.api); err != nil {
			return err
		}
		c.New.Folder = w.folder
	} else if w.versions+w.folder != "" {
		return diag.Errorf(diag.Pos{}, "--versions and --folder are about a new API").WithHint("name it, such as --new shop.example.com/Widget")
	}
	if w.versions != "" {
		if c.New.Versions, err = scaffold.ParseVersions(w.versions); err != nil {
			return err
		}
	}
	for _, text := range w.sources {
		s, err := scaffold.ParseSource(text)
		if err != nil {
			return err
		}
		c.Sources = append(c.Sources, s)
	}
	return nil
}

// program returns how the user called strata, for commands that run in a folder.
func (a *app) program(dir string) string {
	called := a.streams.Program
	if called == "" || !strings.ContainsRune(called, filepath.Separator) {
		return "strata"
	}
	if absolute, err := filepath.Abs(called); err == nil && filepath.Clean(dir) != "." {
		called = absolute
	}
	return scaffold.ShellWord(called)
}

// initText reports what was written, and what comes next. If it is quiet, it reports only what the
// user has to do.
func initText(r engine.InitResult, dir, program string, quiet bool) string {
	var b strings.Builder
	if !quiet {
		summary(&b, r, dir)
	}
	for _, kind := range r.Kept {
		fmt.Fprintf(&b, "kept the conversions of %s: %s import lists what they do beyond strata.yaml\n", kind, program)
	}
	if len(r.Patch) > 0 {
		fmt.Fprintf(&b, "%s init --write also changes what builds and installs CRDs, as this patch does:\n%s", program, r.Patch)
	}
	for _, refused := range r.Refused {
		fmt.Fprintf(&b, "not changed: %s: %v. Write:\n%s", plaintext.Line(path.Join(dir, refused.Path)), refused.Refusal, indented(refused.Paste))
	}
	if r.Unregistered != "" {
		fmt.Fprintf(&b, "not registered: no program was found that adds your packages to a scheme. Add this to the one that does:\n  import versions %q\n  utilruntime.Must(versions.AddToScheme(scheme))\n", r.Unregistered)
	}
	if statuses, conversions := r.Found.ToEdit(r.Choices); statuses+conversions > 0 {
		fmt.Fprintf(&b, "to edit: %s without a field for hidden values, %s with conversions that are to be generated\n",
			counted(statuses, "status", "statuses"), counted(conversions, "package", "packages"))
	}
	if quiet {
		return b.String()
	}
	if len(r.Files)+len(r.Edited)+len(r.Removed) == 0 {
		fmt.Fprintln(&b, "nothing to write")
	}
	b.WriteString("next")
	if filepath.Clean(dir) != "." {
		b.WriteString(", in " + dir)
	}
	b.WriteString(":\n")
	if len(r.Kept) > 0 {
		fmt.Fprintf(&b, "  %s import\nuntil it lists no finding and no refusal. Do what it says for each, or delete the conversions. Then:\n  %[1]s init --write\n  %[1]s generate\n", program)
		return b.String()
	}
	for _, command := range r.Choices.Next(r.Found, program) {
		fmt.Fprintln(&b, " ", plaintext.Line(command))
	}
	return b.String()
}

// summary prints the sources, and what was written, edited and removed.
func summary(b *strings.Builder, r engine.InitResult, dir string) {
	for _, s := range r.Choices.Sources {
		fmt.Fprintln(b, "from", plaintext.Line(s.String()))
	}
	for _, left := range r.Found.Left {
		fmt.Fprintln(b, "not from", plaintext.Line(left.String()))
	}
	for _, name := range r.Files {
		fmt.Fprintln(b, "wrote", plaintext.Line(path.Join(dir, name)))
	}
	for _, name := range r.Edited {
		fmt.Fprintln(b, "edited", plaintext.Line(path.Join(dir, name)))
	}
	for _, name := range r.Removed {
		fmt.Fprintln(b, "removed", plaintext.Line(path.Join(dir, name)))
	}
	for _, kind := range r.Stubs {
		fmt.Fprintf(b, "replaced the conversions of %s: they copied only metadata, and generated ones convert all fields\n", kind)
	}
}

// indented returns lines to paste.
func indented(lines string) string {
	var b strings.Builder
	for line := range strings.Lines(lines) {
		b.WriteString("  " + line)
	}
	return b.String()
}

// questions asks the user on a terminal.
type questions struct {
	in    *bufio.Reader
	out   io.Writer
	print func(error)
}

// ask asks every question that is open; an empty answer takes what is in brackets.
func (q *questions) ask(found *scaffold.Found, c scaffold.Choices) (scaffold.Choices, error) {
	for _, question := range scaffold.Questions(found, c, isReleased()) {
		if !question.Asked(c) {
			continue
		}
		for {
			answer, err := q.one(question.Text, question.Proposal(c))
			if err != nil {
				return c, err
			}
			if err = question.Set(&c, answer); err == nil {
				break
			}
			q.print(err)
		}
	}
	return c, nil
}

// one asks one question. The end of the input is an error: nobody is there.
func (q *questions) one(question, otherwise string) (string, error) {
	fmt.Fprintf(q.out, "%s [%s]: ", question, plaintext.Line(otherwise))
	line, err := q.in.ReadString('\n')
	if err != nil {
		return "", diag.Errorf(diag.Pos{}, "no answer: %v", err).WithHint("with --yes nothing is asked")
	}
	if line = strings.TrimSpace(line); line == "" {
		return otherwise, nil
	}
	return line, nil
}
