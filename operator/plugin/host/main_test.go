package host_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stratakube/strata/operator/plugin/host"
	"github.com/stratakube/strata/operator/plugin/plugintest"
	"github.com/stratakube/strata/operator/plugin/provider"
	providerv1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	providerv2 "github.com/stratakube/strata/operator/plugin/provider/v2"
)

// built has the files that tests share. They are a folder, the test plugin, which the first test
// that needs it builds, and the same with the race detector if the tests have it. The folder for
// sockets must be empty at the end.
var built struct {
	dir, sockets   string
	program, raced func() string
}

func TestMain(m *testing.M) {
	if os.Getenv(sacrificeVariable) != "" {
		sacrifice()
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("/tmp", "strata-test-")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer os.RemoveAll(dir)
	built.dir, built.sockets = dir, filepath.Join(dir, "s")
	built.program = sync.OnceValue(func() string { return build("testplugin") })
	if built.raced = built.program; len(raceFlags) > 0 {
		built.raced = sync.OnceValue(func() string { return build("raced", raceFlags...) })
	}
	if err := os.Mkdir(built.sockets, 0o700); err != nil {
		fmt.Println(err)
		return 1
	}
	code := m.Run()
	if left := leftovers(dir); len(left) > 0 {
		fmt.Println("left at the end:", left)
		return 1
	}
	return code
}

// build builds the test plugin. It panics if that fails.
func build(name string, flags ...string) (program string) {
	program = filepath.Join(built.dir, name)
	args := append([]string{"build", "-ldflags=-s -w", "-o", program}, flags...) // without what debuggers read, which takes half of the time
	if out, err := exec.Command("go", append(args, "../internal/testplugin")...).CombinedOutput(); err != nil {
		panic(fmt.Sprintf("build test plugin: %v\n%s", err, out))
	}
	return program
}

// leftovers returns the processes of programs in the folder, and sockets.
func leftovers(dir string) []string {
	left, _ := filepath.Glob(filepath.Join(dir, "s", "*"))
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range links {
		if program, err := os.Readlink(link); err == nil && strings.HasPrefix(program, dir) {
			left = append(left, link+" -> "+program)
		}
	}
	return left
}

// plugin returns the test plugin, unlocked.
func plugin(args ...string) host.Plugin { return host.Plugin{Path: built.program(), Args: args} }

// raced returns the test plugin with the race detector, if there is one.
func raced(args ...string) host.Plugin {
	return host.Plugin{Path: built.raced(), Args: args, Env: []string{"GORACE=atexit_sleep_ms=0"}}
}

// options returns those of a host that allows unlocked plugins and restarts them quickly.
func options(plugins ...host.Plugin) host.Options {
	return host.Options{Plugins: plugins, Unlocked: true, Plain: true, Sockets: built.sockets, Restart: host.Restart{First: 1, Longest: 1}}
}

// open opens a host of the test plugin.
func open(t *testing.T, args ...string) *host.Host {
	t.Helper()
	return plugintest.Open(t, options(plugin(args...)))
}

func get(t *testing.T, h *host.Host, name string) provider.Provider {
	t.Helper()
	return plugintest.Get(t, h, provider.Latest, name, nil)
}

const files = "example.com/files"

func resource(kind string) *providerv1.Resource { return &providerv1.Resource{Type: kind} }

// observe calls the method that may be repeated.
func observe(ctx context.Context, p provider.Provider, kind string) (*providerv1.Observation, error) {
	out, err := p.Observe(ctx, &providerv2.Subject{Resource: resource(kind)})
	return out.GetObservation(), err
}

// apply calls a method that may not be repeated.
func apply(ctx context.Context, p provider.Provider, kind string) (*providerv1.Observation, error) {
	out, err := p.Apply(ctx, &providerv2.ApplyRequest{Subject: &providerv2.Subject{Resource: resource(kind)}})
	return out.GetObservation(), err
}

func pid(t *testing.T, p provider.Provider) int {
	t.Helper()
	o, err := observe(within(t), p, "") // the host's own limit may be short
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscanf(string(o.GetStatus()), `{"pid":%d`, &pid); err != nil {
		t.Fatal(err)
	}
	return pid
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// contains fails the test if an error lacks a text.
func contains(t *testing.T, err error, want ...string) {
	t.Helper()
	for _, w := range want {
		if err == nil || !strings.Contains(err.Error(), w) {
			t.Errorf("error = %v, want it to contain %q", err, w)
		}
	}
}

// running returns the processes of the test plugin, whichever process has started them.
func running(t *testing.T) (pids []int) {
	t.Helper()
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range links {
		program, err := os.Readlink(link)
		if err != nil || filepath.Dir(program) != built.dir {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link)))
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

// timeoutOfTests is the longest time of operations that are usually immediate.
const timeoutOfTests = time.Minute

// children returns the running plugins of this process.
func children() (pids []int) {
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range links {
		program, err := os.Readlink(link)
		if err != nil || filepath.Dir(program) != built.dir {
			continue
		}
		stat, err := os.ReadFile(filepath.Join(filepath.Dir(link), "stat"))
		_, rest, _ := strings.Cut(string(stat), ") ")
		var pid, parent int
		var state string
		if _, scanned := fmt.Sscan(rest, &state, &parent); err != nil || scanned != nil || parent != os.Getpid() || state == "Z" {
			continue
		}
		if _, err := fmt.Sscan(string(stat), &pid); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
