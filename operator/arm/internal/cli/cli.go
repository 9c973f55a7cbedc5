package cli

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/stratakube/strata/operator/arm/internal/armid"
	"github.com/stratakube/strata/operator/arm/internal/config"
	"github.com/stratakube/strata/operator/arm/internal/identity"
	"github.com/stratakube/strata/operator/arm/internal/importing"
	"github.com/stratakube/strata/operator/arm/internal/rest"
)

// The exit codes. Incomplete means that an import has written its result, although the external
// API reports more resources than it returned.
const (
	Done       = 0
	Incomplete = 1
	Failed     = 2
)

// errIncomplete ends an import with the exit code Incomplete.
var errIncomplete = errors.New("the import is incomplete: run it again, or divide the query")

// Streams are the input and the outputs of the command line.
type Streams struct {
	In       io.Reader // nil for none
	Out, Err io.Writer
}

const usage = `strata arm is the ARM provider. The operator starts it as a plugin; people import with it.

usage: strata arm import [flags] [ID...]

import reads resources that exist and writes objects that adopt them, as YAML: those of the IDs, of what subscriptions
and resource groups hold, or of what a query of Resource Graph finds. What the cloud does not have, or does not give
out, and was found by listing, is left out with a warning. Objects whose owners are imported too name these.

The exit code is 0 when all was imported, 1 when Resource Graph reports more resources than its pages have (what was
found is written), and 2 after an error (nothing is written).

  --subscription S    all that the subscription holds; as often as needed
  --resource-group G  all that the resource group holds: a name in the one --subscription, or an ID; as often as needed
  --query KQL         what Resource Graph finds, within the subscriptions if there are any: "resources | where ..."
  --ids FILE          a file of IDs, a line each; - for stdin
  --recursive         also what lies below, and what an ID of a resource group or subscription holds
  --manifest FILE     what the generator wrote (default manifest.json)
  --crds DIR          the CRDs (default crds beside the manifest)
  --api-version V     of the external API (default the newest that is served)
  --namespace N       of the objects
  --output FILE       instead of stdout; written when all went well
  --output-dir DIR    a new folder of Kustomize packages, in order of ownership: level-0 has no owners in the call
  --config KEY=VALUE  the configuration of the provider, as often as needed
  --verbose           log the calls to ARM

Credentials are those of the environment, as AZURE_CLIENT_ID, or of az login.
`

// Run runs one command line, without the program's name, and returns the exit code. Once the
// context ends, it returns within a second, even if the command waits for a system call.
func Run(ctx context.Context, args []string, s Streams) int {
	messages := &messages{out: s.Err}
	err := within(ctx, grace, func() error {
		err := run(ctx, args, Streams{In: s.In, Out: s.Out, Err: messages})
		if errors.Is(err, flag.ErrHelp) {
			_, err = io.WriteString(s.Out, usage)
		}
		return err
	})
	code, text := outcome(ctx, err)
	_ = within(ctx, lastGrace, func() error { messages.last(text); return nil })
	return code
}

// outcome returns the exit code of a command that ended with err, and its last messages.
func outcome(ctx context.Context, err error) (code int, text string) {
	switch {
	case err == nil:
		return Done, ""
	case errors.Is(err, errIncomplete):
		return Incomplete, fmt.Sprintf("strata arm: warning: %s\n", err)
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		err = errors.New("interrupted")
	}
	var lines strings.Builder
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintf(&lines, "strata arm: error: %s\n", visible(strings.TrimRight(line, "\n")))
	}
	return Failed, lines.String()
}

func run(ctx context.Context, args []string, s Streams) error {
	if len(args) == 0 || args[0] == "help" || args[0] == "--help" || args[0] == "-h" {
		return flag.ErrHelp
	}
	if args[0] != "import" {
		return fmt.Errorf("unknown command %q: there is import", args[0])
	}
	o, ids, err := parse(args[1:])
	if err != nil {
		return err
	}
	return o.run(ctx, ids, s)
}

type options struct {
	manifest, crds, version, namespace, output, folder string
	query, ids                                         string
	subscriptions, groups                              several
	recursive, verbose                                 bool
	config                                             settings
}

// several has the values of a flag that may be repeated.
type several []string

func (s *several) String() string { return "" }

func (s *several) Set(text string) error {
	if text == "" {
		return errors.New("want a value")
	}
	*s = append(*s, text)
	return nil
}

// settings has the values of --config.
type settings map[string]string

func (s settings) String() string { return "" }

func (s settings) Set(text string) error {
	key, value, ok := strings.Cut(text, "=")
	if !ok {
		return errors.New("want KEY=VALUE")
	}
	s[key] = value
	return nil
}

// parse parses flags at any position. The other arguments are identifiers.
func parse(args []string) (*options, []string, error) {
	o := &options{config: settings{}}
	set := flag.NewFlagSet("", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&o.manifest, "manifest", "manifest.json", "")
	set.StringVar(&o.crds, "crds", "", "")
	set.StringVar(&o.version, "api-version", "", "")
	set.StringVar(&o.namespace, "namespace", "", "")
	set.StringVar(&o.output, "output", "", "")
	set.StringVar(&o.folder, "output-dir", "", "")
	set.StringVar(&o.query, "query", "", "")
	set.StringVar(&o.ids, "ids", "", "")
	set.Var(&o.subscriptions, "subscription", "")
	set.Var(&o.groups, "resource-group", "")
	set.BoolVar(&o.recursive, "recursive", false, "")
	set.BoolVar(&o.verbose, "verbose", false, "")
	set.Var(o.config, "config", "")
	var ids []string
	for len(args) > 0 {
		if err := set.Parse(args); err != nil {
			return nil, nil, err
		}
		if args = set.Args(); len(args) > 0 {
			ids, args = append(ids, args[0]), args[1:]
		}
	}
	if len(ids)+len(o.subscriptions)+len(o.groups) == 0 && o.query == "" && o.ids == "" {
		return nil, nil, errors.New("want identifiers of resources, such as /subscriptions/S/resourceGroups/G/providers/Microsoft.Batch/batchAccounts/a, or a scope, such as --resource-group G --subscription S")
	}
	if o.output != "" && o.folder != "" {
		return nil, nil, errors.New("want either --output or --output-dir")
	}
	if o.crds == "" {
		o.crds = filepath.Join(filepath.Dir(o.manifest), "crds")
	}
	return o, ids, nil
}

// retries is how often a failed call is repeated. No other code repeats calls.
const retries = 4

func (o *options) run(ctx context.Context, ids []string, s Streams) error {
	c, wrongConfig := config.Parse(o.config)
	manifest, wrongManifest := importing.ReadManifest(o.manifest)
	scopes, wrongScopes := o.scopes()
	more, wrongIDs := o.listed(s.In)
	ids = append(ids, more...)
	if err := errors.Join(wrongConfig, wrongManifest, wrongScopes, wrongIDs, importing.CheckFolder(o.folder)); err != nil {
		return err
	}
	client, err := identity.NewClients(c, rest.Options{Retries: retries, Log: o.log(s)}).For(nil)
	if err != nil {
		return err
	}
	lines := newProgress(s.Err)
	defer lines.end()
	lines.report(importing.State{Reading: o.crds})
	result, err := (&importing.Import{
		Client: client, Manifest: manifest, Definitions: importing.OpenDefinitions(o.crds),
		Version: o.version, Namespace: o.namespace, Recursive: o.recursive, Scopes: scopes, Query: o.query, Progress: lines.report,
	}).Run(ctx, ids)
	if err != nil {
		return err
	}
	for _, note := range result.Notes {
		fmt.Fprintf(s.Err, "strata arm: warning: %s\n", visible(note))
	}
	if len(result.Objects)+len(result.Notes) == 0 {
		fmt.Fprintln(s.Err, "strata arm: warning: no resource was found: no object is written")
	}
	if err := o.write(ctx, result, s.Out, lines.report); err != nil {
		return err
	}
	if result.IsIncomplete {
		return errIncomplete
	}
	return nil
}

// write writes the objects to a folder, a file or stdout.
func (o *options) write(ctx context.Context, result *importing.Result, stdout io.Writer, progress importing.Progress) error {
	switch {
	case o.folder != "":
		return result.WriteFolder(ctx, o.folder, progress)
	case o.output != "":
		return replace(ctx, o.output, func(out io.Writer) error { return result.Write(ctx, out, progress) })
	}
	return result.Write(ctx, stdout, progress)
}

// scopes returns the scopes of the flags.
func (o *options) scopes() ([]armid.ID, error) {
	var texts []string
	var errs []error
	for _, group := range o.groups {
		switch {
		case strings.HasPrefix(group, "/"):
			texts = append(texts, group)
		case len(o.subscriptions) == 1:
			texts = append(texts, "/subscriptions/"+strings.TrimPrefix(o.subscriptions[0], "/subscriptions/")+"/resourceGroups/"+group)
		default:
			errs = append(errs, fmt.Errorf("--resource-group %s: want one --subscription that has it, or its identifier", group))
		}
	}
	if len(o.groups) == 0 {
		for _, subscription := range o.subscriptions {
			texts = append(texts, "/subscriptions/"+strings.TrimPrefix(subscription, "/subscriptions/"))
		}
	}
	if o.query != "" && len(o.groups) > 0 {
		errs = append(errs, errors.New("--query looks in subscriptions: name the resource group in the query, as | where resourceGroup =~ 'g'"))
	}
	var scopes []armid.ID
	for _, text := range texts {
		id, err := armid.Parse(text)
		if err == nil && id.Type() != armid.Subscription && id.Type() != armid.ResourceGroup {
			err = fmt.Errorf("%q is neither a subscription nor a resource group", text)
		}
		errs = append(errs, err)
		scopes = append(scopes, id)
	}
	return scopes, errors.Join(errs...)
}

// maxList limits a file of identifiers, in bytes.
const maxList = 64 << 20

// listed returns the identifiers in the file of --ids.
func (o *options) listed(in io.Reader) ([]string, error) {
	if o.ids == "" {
		return nil, nil
	}
	if o.ids != "-" {
		file, err := os.Open(o.ids)
		if err != nil {
			return nil, fmt.Errorf("read identifiers: %w", err)
		}
		defer func() { _ = file.Close() }() // the file was only read
		in = file
	}
	if in == nil {
		return nil, errors.New("read identifiers: there is no stdin")
	}
	data, err := io.ReadAll(io.LimitReader(in, maxList+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read identifiers: %w", err)
	case len(data) > maxList:
		return nil, fmt.Errorf("read identifiers: more than %d bytes", maxList)
	}
	var ids []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			ids = append(ids, line)
		}
	}
	return ids, nil
}

func (o *options) log(s Streams) *slog.Logger {
	if !o.verbose {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(s.Err, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// replace writes a file completely or not at all.
func replace(ctx context.Context, file string, write func(io.Writer) error) error {
	part, err := os.CreateTemp(filepath.Dir(file), ".strata-arm-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	defer os.Remove(part.Name()) // does nothing after success
	buffered := bufio.NewWriter(part)
	err = write(buffered)
	if err = errors.Join(err, buffered.Flush(), part.Chmod(0o644), part.Close()); err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := os.Rename(part.Name(), file); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}
