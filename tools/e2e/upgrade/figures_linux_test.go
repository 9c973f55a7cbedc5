package upgrade_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/stratakube/strata/tools/build/ratios"
	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

var (
	figuresOf = flag.Int("figures", 500, "the number of objects of TestFigures")
	figuresIn = flag.String("figures-reports", "", "a folder that upgrade.md and ratios.json are written to")
)

// The goals of an upgrade.
const (
	goalRate   = 200.0    // objects a second
	goalMemory = 64 << 20 // bytes that the command has in memory
)

// bareWrites is the command of the figure without a command.
const bareWrites = "bare writes"

// figure is what a command has cost.
type figure struct {
	command string
	objects int
	written int
	took    time.Duration // in the stage Rewrite
	whole   time.Duration
	memory  int64
	cpu     time.Duration // of the command
	all     time.Duration // of the API server, etcd and the webhook in this stage, and of the command
	asked   int           // conversions by the webhook in this stage
}

// rate returns the objects a second that were measured.
func (f *figure) rate() float64 { return float64(f.objects) / f.took.Seconds() }

// idle returns the objects a second of two processors that do nothing else.
func (f *figure) idle() float64 { return 2 * float64(f.objects) / f.all.Seconds() }

// TestFigures measures how fast an upgrade is, and how much memory its command needs. The goal of
// the memory holds for any number of objects. For the page it also measures a kind that has two
// versions after the upgrade.
func TestFigures(t *testing.T) {
	if testing.Short() {
		t.Skip("short: builds two releases of the worked example")
	}
	if *figuresIn == "" {
		tier.Soak(t, "measures upgrades of many objects")
	}
	pairs := [][]string{{"2014-04-04", "2015-05-05"}}
	if *figuresIn != "" {
		pairs = append(pairs, []string{"2011-01-01", "2012-02-02"})
	}
	var tables []table
	for _, pair := range pairs {
		t.Run(pair[1], func(t *testing.T) { tables = append(tables, measure(t, *figuresOf, pair...)) })
	}
	if *figuresIn != "" {
		if err := os.WriteFile(filepath.Join(*figuresIn, "upgrade.md"), []byte(figuresPage(*figuresOf, tables)), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := ratiosOf(tables).Write(filepath.Join(*figuresIn, ratios.File)); err != nil {
			t.Fatal(err)
		}
	}
}

// ratiosOf returns what the figures say on any machine: the conversions and the writes of each
// object.
func ratiosOf(tables []table) ratios.Set {
	set := ratios.Set{}
	for _, of := range tables {
		for _, f := range of.figures {
			name := fmt.Sprintf("%s, %d versions, ", f.command, of.versions)
			set[name+"writes an object"] = float64(f.written) / float64(f.objects)
			if f.written > 0 {
				set[name+"conversions a write"] = float64(f.asked) / float64(f.written)
			}
		}
	}
	return set
}

// table has the figures of one upgrade.
type table struct {
	versions int // API versions that the CRD has after the upgrade
	figures  []figure
}

// measure upgrades objects from one release to another, does that again, and rolls back.
func measure(t *testing.T, count int, releases ...string) table {
	t.Helper()
	s := &storming{upgraded: openUpgraded(t, made(t, releases...))}
	s.kind = s.old.kinds[0]
	s.fill(count)
	s.protect(s.kind, s.names[0])
	s.planned()
	var all []figure
	for _, args := range [][]string{s.args("apply", s.plan), s.args("apply", s.plan), s.args("rollback", nameOf(t, s.plan))} {
		f := s.measured(append(args, "--rate", "10000"))
		all = append(all, f)
		t.Logf("%+v: %.0f a second, and %.0f on two idle processors", f, f.rate(), f.idle())
		if f.memory > goalMemory {
			t.Errorf("%s of %d objects had %d MiB in memory, and the goal is %d", f.command, count, f.memory>>20, goalMemory>>20)
		}
	}
	if all[0].written != count || all[2].written != count {
		t.Errorf("apply wrote %d objects, and rollback %d, of %d", all[0].written, all[2].written, count)
	}
	all[1].command, all[1].written = "apply again", 0
	return table{len(s.next.kinds[0].Versions), append(all, s.bare())}
}

// bare upgrades again, lets the CRD store the old hub, and writes each object by a loop that does
// nothing else: it sends an empty patch through the old hub's version, eight at a time. So it
// measures what the API server, etcd and the webhook cost without the command.
func (s *storming) bare() figure {
	s.t.Helper()
	s.does(append(s.args("apply", s.plan), "--rate", "10000")...)
	s.store(s.kind.Hub)
	config := rest.CopyConfig(s.Config)
	config.QPS = -1
	config.Impersonate = rest.ImpersonationConfig{UserName: account, Groups: []string{"system:masters"}}
	objects := crds.Objects{T: s.t, Client: shared.Client(s.t, config), Kind: s.kind, Namespace: s.namespace}
	f := figure{command: bareWrites, objects: len(s.names), written: len(s.names)}
	servers, asked, began := s.cpu(), s.conversions(), time.Now()
	next := make(chan string)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for name := range next {
				if err := send(objects, s.kind.Hub, name, types.MergePatchType, map[string]any{}); err != nil {
					s.t.Errorf("write %s: %v", name, err)
				}
			}
		})
	}
	for _, name := range s.names {
		next <- name
	}
	close(next)
	group.Wait()
	f.took = time.Since(began)
	f.whole, f.all, f.asked = f.took, s.cpu()-servers, s.conversions()-asked
	s.stored("after bare writes", s.kind.Hub)
	return f
}

// store makes a version the storage version of the CRD, and waits until the API server stores
// objects in it.
func (s *storming) store(version string) {
	s.t.Helper()
	shared.Eventually(s.t, crds.Patience, "another storage version", func() error {
		d, err := s.client.Resource(crds.Definitions).Get(s.t.Context(), s.kind.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		versions, _, _ := unstructured.NestedSlice(d.Object, "spec", "versions")
		for _, v := range versions {
			v := v.(map[string]any)
			v["storage"] = v["name"] == version
		}
		if err := unstructured.SetNestedSlice(d.Object, versions, "spec", "versions"); err != nil {
			return err
		}
		_, err = s.client.Resource(crds.Definitions).Update(s.t.Context(), d, metav1.UpdateOptions{})
		return err
	})
	s.await([]*crds.Kind{s.kind})
}

// measured runs a command, and returns what it has cost.
func (s *storming) measured(args []string) figure {
	s.t.Helper()
	c := s.command(args...)
	output := &stageWatch{s: s}
	c.Stdout, c.Stderr = output, output
	began := time.Now()
	if err := c.Start(); err != nil {
		s.t.Fatal(err)
	}
	memory := peak(c.Process.Pid)
	if err := c.Wait(); err != nil {
		s.t.Fatalf("%s: %v\n%s", args[0], err, &output.text)
	}
	f := figure{command: args[0], objects: len(s.names), whole: time.Since(began), memory: <-memory, cpu: c.ProcessState.UserTime() + c.ProcessState.SystemTime()}
	f.asked = output.asked[1] - output.asked[0]
	f.all, f.took = output.servers[1]-output.servers[0]+f.cpu, output.at[1].Sub(output.at[0])
	out := shared.Must(s.t)(s.client.Resource(storageUpgrades).Get(s.t.Context(), nameOf(s.t, s.plan), metav1.GetOptions{}))
	var of struct {
		Status struct {
			Kinds []struct {
				CRD     string
				Written int
			}
		}
	}
	if err := recode(out.Object, &of); err != nil {
		s.t.Fatal(err)
	}
	for _, k := range of.Status.Kinds {
		if k.CRD == s.kind.Name {
			f.written = k.Written
		}
	}
	return f
}

// stageWatch is the output of a command. It measures from the begin of the stage Rewrite to its
// end.
type stageWatch struct {
	s       *storming
	text    bytes.Buffer
	servers [2]time.Duration
	asked   [2]int
	at      [2]time.Time
}

// Write writes lines.
func (w *stageWatch) Write(lines []byte) (int, error) {
	for i, line := range []string{"Rewrite: begins", "Rewrite: done"} {
		if strings.Contains(string(lines), line) {
			w.servers[i], w.at[i] = w.s.cpu(), time.Now()
			w.asked[i] = w.s.conversions()
		}
	}
	return w.text.Write(lines)
}

// peak follows a process until it ends, and then sends the most memory that it has had. What the
// system reports afterwards is that of the parent, if it had more.
func peak(pid int) <-chan int64 {
	out := make(chan int64, 1)
	go func() {
		most := int64(0)
		for {
			text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
			_, after, has := strings.Cut(string(text), "VmHWM:")
			var size int64
			if _, scanErr := fmt.Sscanf(after, "%d kB", &size); err != nil || !has || scanErr != nil {
				out <- most
				return
			}
			most = max(most, size<<10)
			time.Sleep(20 * time.Millisecond)
		}
	}()
	return out
}

// cpu returns the time that the API server, etcd and the webhook have used.
func (s *storming) cpu() (all time.Duration) {
	s.t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		s.t.Fatal(err)
	}
	servers := 0
	for _, file := range processes {
		command, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		isServer := strings.HasPrefix(string(command), s.next.webhook+"\x00")
		for _, p := range s.Processes() {
			isServer = isServer || filepath.Base(filepath.Dir(file)) == fmt.Sprint(p.PID)
		}
		if !isServer {
			continue
		}
		text, err := os.ReadFile(filepath.Join(filepath.Dir(file), "stat"))
		if err != nil {
			s.t.Fatal(err)
		}
		_, after, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(after)
		for _, field := range fields[11:13] { // of the user and of the system, in hundredths of a second
			ticks, err := strconv.Atoi(field)
			if err != nil {
				s.t.Fatal(err)
			}
			all += time.Duration(ticks) * 10 * time.Millisecond
		}
		servers++
	}
	if servers < 3 {
		s.t.Fatalf("%d servers run", servers)
	}
	return all
}

// conversions returns how often the API server has converted objects of the kind by the webhook.
func (s *storming) conversions() (all int) {
	s.t.Helper()
	text, _, err := s.Kubectl().Run(s.t.Context(), "", "get", "--raw", "/metrics")
	if err != nil {
		s.t.Fatal(err)
	}
	of := fmt.Sprintf("apiserver_crd_conversion_webhook_duration_seconds_count{crd_name=%q,", s.kind.Name)
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, of) {
			continue
		}
		count, err := strconv.Atoi(strings.TrimSpace(line[strings.LastIndex(line, " "):]))
		if err != nil {
			s.t.Fatal(err)
		}
		all += count
	}
	if all == 0 {
		s.t.Fatal("the API server reports no conversion")
	}
	return all
}

func figuresPage(objects int, tables []table) string {
	var out strings.Builder
	fmt.Fprintf(&out, `# What an upgrade costs

Written by `+"`go tool mage bench:upgrade -write -objects=%d`"+`. The objects are persons of the worked
example, a fourth of them drawn at random, and written through all versions of a release. A later
release has another hub. A real API server, etcd, the conversion webhook and the command share the
machine with others: trust the processor time. CPU of all is that of these four while objects are
written. The rate on two processors is what they reach if they do nothing else. The measured rate is
that of the stage Rewrite. Memory is the largest resident set of the command's process. The goals
are %.0f objects a second on two processors, and %d MiB.

Conversions are those that the API server has asked the webhook for in this stage, for each written
object. The API server has a cache for each served version. For each cache it converts the object as
it was before the write, and as it is now. It also converts, several times, to the versions that
managers of the object name. So the time of a write grows with the number of versions.

The row "bare writes" is a loop that only sends an empty patch for each object, eight at a time. It
shows what the cluster costs without the command. The loop runs in the process of the test, whose
time is not counted. Where even this loop is below the goal, no command that writes each object
through the API server reaches the goal on two processors.

![What an upgrade does for an object](upgrade.svg)
`, objects, goalRate, goalMemory>>20)
	for _, of := range tables {
		fmt.Fprintf(&out, `
## %d versions

| command | objects | written | a second on two processors | measured | whole run | CPU of all | CPU of the command | conversions | memory |
|---|---|---|---|---|---|---|---|---|---|
`, of.versions)
		for _, f := range of.figures {
			idle, rate, asked := fmt.Sprintf("%.0f", f.idle()), fmt.Sprintf("%.0f", f.rate()), ""
			if f.written == 0 {
				idle, rate = "", ""
			} else {
				asked = fmt.Sprintf("%.1f", float64(f.asked)/float64(f.written))
			}
			whole, cpu, memory := fmt.Sprintf("%.1f s", f.whole.Seconds()), fmt.Sprintf("%.1f s", f.cpu.Seconds()), fmt.Sprintf("%.0f MiB", float64(f.memory)/(1<<20))
			if f.command == bareWrites {
				whole, cpu, memory = "", "", ""
			}
			fmt.Fprintf(&out, "| %s | %d | %d | %s | %s | %s | %.1f s | %s | %s | %s |\n",
				f.command, f.objects, f.written, idle, rate, whole, f.all.Seconds(), cpu, asked, memory)
		}
	}
	return out.String()
}
