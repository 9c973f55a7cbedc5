package operator

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/stratakube/strata/operator/plugin/host"
	"github.com/stratakube/strata/operator/plugin/lock"
	"github.com/stratakube/strata/operator/provider"
	"github.com/stratakube/strata/runtime"
)

// Exit codes of a command.
const (
	exitDone    = 0
	exitFailed  = 1
	exitMisused = 2
)

// Main is the main function of an operator for the types that add registers. It parses the flags
// of the process, and reconciles until SIGTERM or SIGINT. It exits with 0 after all running calls
// have ended, with 1 after an error, and with 2 for invalid flags. A second signal ends the
// process at once.
func Main(add ...func(*k8sruntime.Scheme) error) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	context.AfterFunc(ctx, stop)
	os.Exit(Command(ctx, os.Args, os.Stdout, os.Stderr, add...))
}

// Command is Main without the process: it reconciles until ctx is done, and returns the exit
// code. The first of args is the name of the command.
func Command(ctx context.Context, args []string, stdout, stderr io.Writer, add ...func(*k8sruntime.Scheme) error) int {
	f := newFlags(args[0])
	switch err := f.parse(args[1:]); {
	case errors.Is(err, flag.ErrHelp):
		f.help(stdout)
		return exitDone
	case err != nil:
		for line := range strings.Lines(err.Error()) {
			fmt.Fprintf(stderr, "%s: error: %s\n", f.name, strings.TrimSuffix(line, "\n"))
		}
		fmt.Fprintf(stderr, "%s: hint: --help lists all flags\n", f.name)
		return exitMisused
	}
	if err := f.run(ctx, stderr, add); err != nil {
		fmt.Fprintf(stderr, "%s: error: %v\n", f.name, err)
		return exitFailed
	}
	return exitDone
}

// run starts an operator with the options of the flags.
func (f *flags) run(ctx context.Context, stderr io.Writer, add []func(*k8sruntime.Scheme) error) (err error) {
	o := f.options
	o.Log = f.logger(stderr)
	o.Scheme = k8sruntime.NewScheme()
	if err := runtime.AddToScheme(o.Scheme, add...); err != nil {
		return fmt.Errorf("register types: %w", err)
	}
	if f.providers != "" {
		if o.Providers, err = provider.ReadFile(f.providers); err != nil {
			return err
		}
	}
	if o.Config, err = clientcmd.BuildConfigFromFlags("", f.kubeconfig); err != nil {
		return fmt.Errorf("reach the API server: %w", err)
	}
	o.Config.UserAgent = f.name
	if o.Host, err = f.open(o.Log); err != nil {
		return err
	}
	return Run(ctx, o)
}

// open returns a host of the plugins in the folder.
func (f *flags) open(log *slog.Logger) (*host.Host, error) {
	load := lock.Load
	if f.unlocked {
		load = lock.Programs
	}
	plugins, err := load(f.plugins)
	if err != nil {
		return nil, fmt.Errorf("plugins of %s: %w", f.plugins, err)
	}
	return host.Open(host.Options{Plugins: plugins, Environment: f.environment, CallTimeout: f.options.CallTimeout, Log: log})
}

func (f *flags) logger(stderr io.Writer) *slog.Logger {
	if f.logLevel == off {
		return slog.New(slog.DiscardHandler)
	}
	options := &slog.HandlerOptions{Level: f.level}
	if f.logFormat == "text" {
		return slog.New(slog.NewTextHandler(stderr, options))
	}
	return slog.New(slog.NewJSONHandler(stderr, options))
}
