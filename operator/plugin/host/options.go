package host

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/internal/launch"
	"github.com/stratakube/strata/operator/plugin/internal/serving"
	"github.com/stratakube/strata/operator/plugin/internal/wire"
)

// Plugin is a program that serves plugins.
type Plugin struct {
	Path string
	Args []string
	Env  []string // in the form NAME=value, beside the variables of the host
	// Environment lists the variables of the host that the plugin gets, such as AZURE_TENANT_ID or
	// AZURE_*, beside Harmless. nil means Options.Environment.
	Environment []string

	// Digest is the SHA-256 that the program must have at every start, in hexadecimal.
	Digest string
	// Serves lists what the program serves, if that is known. The program then starts only when
	// it is used.
	Serves []contract.Served

	memory *serving.Server
}

// InMemory returns a plugin without a process. It is for package plugintest.
func InMemory(name string, s *serving.Server) Plugin { return Plugin{Path: name, memory: s} }

// Options configure a host: its plugins, and their rights and limits.
type Options struct {
	Plugins []Plugin
	// Unlocked allows plugins without a digest: the host runs any program at their path. It is for
	// development and tests.
	Unlocked bool
	// Environment applies to plugins that have none of their own. The environment in a lock file
	// always belongs to a plugin.
	Environment []string
	// Plain disables TLS. Then only the permissions of the socket's folder protect the connection.
	Plain bool
	// Sockets is where the folder of the sockets is created; its path must be short. Empty means
	// the folder of temporary files.
	Sockets string

	// CallTimeout is for calls whose context has no deadline; default 1 minute. In a call that
	// streams it limits the wait for each message, and not the whole.
	CallTimeout  time.Duration
	StartTimeout time.Duration // default 10 seconds
	StopTimeout  time.Duration // until a plugin that was asked to end is killed; default and maximum 2 seconds
	HangTimeout  time.Duration // for any answer of a plugin after a missed deadline; default 2 seconds
	MessageLimit int           // the largest message in bytes, in both directions; default 16 MiB
	StreamLimit  int64         // the largest sum of the messages of a call that streams, in bytes, with 5 for each; default 64 GiB, and none if it is negative
	Parallel     int           // how many plugins start at the same time; default one per processor, and at least 2
	Restart      Restart
	Log          *slog.Logger // default slog.Default
}

// Restart configures how plugins that have ended are restarted: with the next call, after a pause
// that doubles each time.
type Restart struct {
	First    time.Duration // the first pause; default 100 ms
	Longest  time.Duration // the longest pause; default 10 seconds
	Limit    int           // how many ends in a row are a crash loop; default 5
	Stable   time.Duration // how long a plugin must run to reset the count; default 1 minute
	Cooldown time.Duration // after which a plugin in a crash loop is started once more; default 5 minutes
}

// Harmless are the variables that every plugin gets.
var Harmless = []string{"PATH", "HOME", "TMPDIR", "TZ", "LANG", "SSL_CERT_FILE", "SSL_CERT_DIR"}

// defaultStream is the default of StreamLimit: no stream is without end.
const defaultStream = 64 << 30

func (o Options) complete() (Options, error) {
	o.CallTimeout = or(o.CallTimeout, time.Minute)
	o.StartTimeout = or(o.StartTimeout, 10*time.Second)
	o.StopTimeout = or(o.StopTimeout, 2*time.Second)
	o.HangTimeout = or(o.HangTimeout, 2*time.Second)
	o.MessageLimit = or(o.MessageLimit, wire.DefaultLimit)
	o.StreamLimit = or(o.StreamLimit, defaultStream)
	o.Parallel = or(o.Parallel, max(2, runtime.GOMAXPROCS(0)))
	o.Restart.First = or(o.Restart.First, 100*time.Millisecond)
	o.Restart.Longest = or(o.Restart.Longest, 10*time.Second)
	o.Restart.Limit = or(o.Restart.Limit, 5)
	o.Restart.Stable = or(o.Restart.Stable, time.Minute)
	o.Restart.Cooldown = or(o.Restart.Cooldown, 5*time.Minute)
	if o.Log == nil {
		o.Log = slog.Default()
	}
	var wrong []error
	for _, p := range o.Plugins {
		if p.Digest == "" && !o.Unlocked && p.memory == nil {
			wrong = append(wrong, fmt.Errorf("plugin %s is not locked: its SHA-256 is not known", p.Path))
		}
		wrong = append(wrong, CheckEnvironment(p.Environment))
	}
	wrong = append(wrong, CheckEnvironment(o.Environment))
	return o, errors.Join(wrong...)
}

// CheckEnvironment reports invalid patterns of variables.
func CheckEnvironment(patterns []string) error {
	var wrong []error
	for _, pattern := range patterns {
		if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
			wrong = append(wrong, fmt.Errorf("environment %q: %w", pattern, path.ErrBadPattern))
		}
	}
	return errors.Join(wrong...)
}

func or[T comparable](given, otherwise T) T {
	var none T
	if given == none {
		return otherwise
	}
	return given
}

// environment returns the variables of the host that a plugin gets.
func (o Options) environment(p Plugin) []string {
	allowed := p.Environment
	if allowed == nil {
		allowed = o.Environment
	}
	return slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return !slices.Contains(Harmless, name) && !slices.ContainsFunc(allowed, func(pattern string) bool {
			isAllowed, _ := path.Match(pattern, name)
			return isAllowed
		})
	})
}

func (o Options) launcher(p Plugin, sockets *launch.Sockets, log *slog.Logger) launch.Launcher {
	if p.memory != nil {
		return &launch.Memory{Server: p.memory, Limit: o.MessageLimit}
	}
	return &launch.Binary{
		Path: p.Path, Args: p.Args, Env: append(o.environment(p), p.Env...), Digest: p.Digest,
		Limit: o.MessageLimit, Plain: o.Plain, Sockets: sockets, Log: log,
	}
}
