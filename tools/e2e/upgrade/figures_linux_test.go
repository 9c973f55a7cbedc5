package upgrade_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratakube/strata/tools/testcluster/shared"
)

var (
	figuresOf = flag.Int("figures", 0, "the number of objects of TestFigures, which then compares its rate with the goal")
	figuresIn = flag.String("figures-page", "", "the file for the figures, as Markdown")
)

// The goals of an upgrade.
const (
	goalRate   = 200.0    // objects a second
	goalMemory = 64 << 20 // bytes that the command has in memory
)

// figure is what a command has cost.
type figure struct {
	command string
	objects int
	written int
	took    time.Duration // of the stage Rewrite
	whole   time.Duration
	memory  int64
	cpu     time.Duration
}

func (f *figure) rate() float64 { return float64(f.objects) / f.took.Seconds() }

// TestFigures measures how fast an upgrade is, and how much memory its command needs. The goal of
// the memory holds for any number of objects.
func TestFigures(t *testing.T) {
	if testing.Short() {
		t.Skip("short: builds two releases of the worked example")
	}
	count := 1000
	if *figuresOf > 0 {
		count = *figuresOf
	}
	s := &storming{upgraded: openUpgraded(t)}
	s.kind = s.old.kinds[0]
	s.fill(count)
	s.protect(s.kind, s.names[0])
	s.planned()
	var all []figure
	for _, args := range [][]string{s.args("apply", s.plan), s.args("apply", s.plan), s.args("rollback", nameOf(t, s.plan))} {
		f := s.measured(append(args, "--rate", "10000"))
		all = append(all, f)
		t.Logf("%+v: %.0f a second", f, f.rate())
		if f.memory > goalMemory {
			t.Errorf("%s of %d objects had %d MiB in memory, and the goal is %d", f.command, count, f.memory>>20, goalMemory>>20)
		}
	}
	if all[0].written != count || all[2].written != count {
		t.Errorf("apply wrote %d objects, and rollback %d, of %d", all[0].written, all[2].written, count)
	}
	all[1].command, all[1].written = "apply again", 0
	if *figuresOf > 0 && all[0].rate() < goalRate {
		t.Errorf("apply wrote %.0f objects a second, and the goal is %.0f", all[0].rate(), goalRate)
	}
	if *figuresIn != "" {
		if err := os.WriteFile(*figuresIn, []byte(figuresPage(all)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// measured runs a command, and returns what it has cost.
func (s *storming) measured(args []string) figure {
	s.t.Helper()
	c := s.command(args...)
	began := time.Now()
	if out, err := c.CombinedOutput(); err != nil {
		s.t.Fatalf("%s: %v\n%s", args[0], err, out)
	}
	f := figure{command: args[0], objects: len(s.names), whole: time.Since(began), memory: peak(s.t, c), cpu: c.ProcessState.UserTime() + c.ProcessState.SystemTime()}
	out := shared.Must(s.t)(s.client.Resource(storageUpgrades).Get(s.t.Context(), nameOf(s.t, s.plan), metav1.GetOptions{}))
	var of struct {
		Status struct {
			Stages []struct {
				Name              string
				Started, Finished time.Time
			}
			Kinds []struct {
				CRD     string
				Written int
			}
		}
	}
	text, err := out.MarshalJSON()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := json.Unmarshal(text, &of); err != nil {
		s.t.Fatal(err)
	}
	for _, stage := range of.Status.Stages {
		if stage.Name == "Rewrite" {
			f.took = max(time.Second, stage.Finished.Sub(stage.Started)) // they are whole seconds
		}
	}
	for _, k := range of.Status.Kinds {
		if k.CRD == s.kind.Name {
			f.written = k.Written
		}
	}
	return f
}

// peak returns the most memory that a process had, in bytes.
func peak(t testing.TB, c *exec.Cmd) int64 {
	t.Helper()
	usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		t.Fatal("the system does not measure the memory of processes")
	}
	return usage.Maxrss << 10
}

func figuresPage(all []figure) string {
	var out strings.Builder
	fmt.Fprintf(&out, `# What an upgrade costs

Written by `+"`go tool mage bench:upgrade -write`"+`. The objects are persons of the worked example, a
fourth of them drawn at random, and written through all versions of a release. A later release has
another hub. A real API server, etcd, the conversion webhook and the command share %d processors. The
rate is that of the stage Rewrite, whose times are whole seconds. Memory is the largest resident set
of the command's process. The goals are %.0f objects a second, and %d MiB.

| command | objects | written | objects a second | whole run | CPU of the command | memory |
|---|---|---|---|---|---|---|
`, runtime.NumCPU(), goalRate, goalMemory>>20)
	for _, f := range all {
		rate := fmt.Sprintf("%.0f", f.rate())
		if f.written == 0 {
			rate = ""
		}
		fmt.Fprintf(&out, "| %s | %d | %d | %s | %.1f s | %.1f s | %.0f MiB |\n", f.command, f.objects, f.written, rate, f.whole.Seconds(), f.cpu.Seconds(), float64(f.memory)/(1<<20))
	}
	return out.String()
}
