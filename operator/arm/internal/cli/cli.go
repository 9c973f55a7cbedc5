package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/stratakube/strata/operator/arm/internal/config"
	"github.com/stratakube/strata/operator/arm/internal/identity"
	"github.com/stratakube/strata/operator/arm/internal/importing"
	"github.com/stratakube/strata/operator/arm/internal/rest"
)

// The exit codes.
const (
	Done   = 0
	Failed = 2
)

// Streams are what the command line talks through.
type Streams struct{ Out, Err io.Writer }

const usage = `strata arm is the ARM provider. The operator starts it as a plugin; people import with it.

usage: strata arm import [flags] ID...

import reads resources that exist and writes objects that adopt them, as YAML.

  --manifest FILE     what the generator wrote (default manifest.json)
  --crds DIR          the CRDs (default crds beside the manifest)
  --api-version V     of the API outside (default the newest that is served)
  --namespace N       of the objects
  --recursive         also what lies below, and what a resource group or subscription holds
  --output FILE       instead of stdout; written when all went well
  --config KEY=VALUE  the configuration of the provider, as often as needed
  --verbose           log the calls to ARM

Credentials are those of the environment, as AZURE_CLIENT_ID, or of az login.
`

// Run runs one command line, without the program's name, and gives the exit code.
func Run(ctx context.Context, args []string, s Streams) int {
	err := run(ctx, args, s)
	switch {
	case err == nil:
		return Done
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(s.Out, usage)
		return Done
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = errors.New("interrupted")
	}
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintf(s.Err, "strata arm: error: %s\n", visible(strings.TrimRight(line, "\n")))
	}
	return Failed
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
	manifest, crds, version, namespace, output string
	recursive, verbose                         bool
	config                                     settings
}

// settings are those of --config.
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

// parse reads flags wherever they stand; the other words are identifiers.
func parse(args []string) (*options, []string, error) {
	o := &options{config: settings{}}
	set := flag.NewFlagSet("", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&o.manifest, "manifest", "manifest.json", "")
	set.StringVar(&o.crds, "crds", "", "")
	set.StringVar(&o.version, "api-version", "", "")
	set.StringVar(&o.namespace, "namespace", "", "")
	set.StringVar(&o.output, "output", "", "")
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
	if len(ids) == 0 {
		return nil, nil, errors.New("want identifiers of resources, as /subscriptions/S/resourceGroups/G/providers/Microsoft.Batch/batchAccounts/a")
	}
	if o.crds == "" {
		o.crds = filepath.Join(filepath.Dir(o.manifest), "crds")
	}
	return o, ids, nil
}

// retries is how often a call is tried again: nobody else does.
const retries = 4

func (o *options) run(ctx context.Context, ids []string, s Streams) error {
	c, wrongConfig := config.Parse(o.config)
	manifest, wrongManifest := importing.ReadManifest(o.manifest)
	if err := errors.Join(wrongConfig, wrongManifest); err != nil {
		return err
	}
	client, err := identity.NewClients(c, rest.Options{Retries: retries, Log: o.log(s)}).For(nil)
	if err != nil {
		return err
	}
	lines := newProgress(s.Err)
	result, err := (&importing.Import{
		Client: client, Manifest: manifest, Definitions: importing.OpenDefinitions(o.crds),
		Version: o.version, Namespace: o.namespace, Recursive: o.recursive, Progress: lines.report,
	}).Run(ctx, ids)
	lines.end()
	if err != nil {
		return err
	}
	for _, note := range result.Notes {
		fmt.Fprintf(s.Err, "strata arm: warning: %s\n", visible(note))
	}
	if o.output == "" {
		_, err := s.Out.Write(result.YAML)
		return err
	}
	return replace(o.output, result.YAML)
}

func (o *options) log(s Streams) *slog.Logger {
	if !o.verbose {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(s.Err, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// replace writes a file whole or not at all.
func replace(file string, data []byte) error {
	part, err := os.CreateTemp(filepath.Dir(file), ".strata-arm-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	defer os.Remove(part.Name()) // no longer there when all went well
	_, err = part.Write(data)
	if err = errors.Join(err, part.Chmod(0o644), part.Close()); err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	if err := os.Rename(part.Name(), file); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}
