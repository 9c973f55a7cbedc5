package webhook

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/stratakube/strata/tools/build/command"
)

// Where is where the processor time of a case goes, by the handler and the kind of work, in
// nanoseconds for each review.
type Where struct {
	Case string
	Time map[string]map[string]float64
}

// tables are the cases of which the report says where the time goes.
var tables = []string{"HTTP/2/1/6000/3-steps/up", "HTTP/2/1/36000/3-steps/down"}

// work is a kind of work: samples of a profile with a function of that kind. An earlier kind has
// precedence.
type work struct {
	name      string
	functions *regexp.Regexp
}

var works = []work{
	{"growing stacks", regexp.MustCompile(`^runtime\.(newstack|morestack)`)},
	{"allocating, and collecting garbage", regexp.MustCompile(`^runtime\.(mallocgc|gcBgMarkWorker|gcStart|gcAssistAlloc|bgsweep|bgscavenge|sweepone|growslice)`)},
	{"system calls", regexp.MustCompile(`^(internal/runtime/syscall|syscall\.|internal/poll\.|runtime\.netpoll)`)},
	{"TLS", regexp.MustCompile(`^(crypto/|vendor/golang.org/x/crypto/)`)},
	{"converting", regexp.MustCompile(`strata/runtime/`)},
	{"reading and writing the review, limits", regexp.MustCompile(`strata/webhook|^main\.echo`)},
	{"HTTP of the client", regexp.MustCompile(`^net/http\.\(\*(Client|Transport|http2Transport|http2ClientConn|http2clientStream|http2clientConnReadLoop|persistConn)\)|^main\.`)},
	{"HTTP of the server", regexp.MustCompile(`^net/http\.|^vendor/golang.org/x/net/`)},
	{"switching goroutines", regexp.MustCompile(`^runtime\.(schedule|mcall|park_m|goexit0|findRunnable|ready|goready|newproc)`)},
}

const otherWork = "other"

// whereOf returns where the time goes in the cases of tables that match.
func (c *Contest) whereOf(ctx context.Context, only string) ([]Where, error) {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return nil, fmt.Errorf("read the expression of cases: %w", err)
	}
	var all []Where
	for _, name := range tables {
		if !pattern.MatchString(name) {
			continue
		}
		w := Where{name, map[string]map[string]float64{}}
		for _, handler := range []string{Planned, Echo} {
			if w.Time[handler], err = c.where(ctx, name, handler); err != nil {
				return nil, err
			}
		}
		all = append(all, w)
	}
	return all, nil
}

func (c *Contest) where(ctx context.Context, name, handler string) (map[string]float64, error) {
	dir, err := os.MkdirTemp("", "strata-profile-")
	if err != nil {
		return nil, fmt.Errorf("write profile: %w", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "profile")
	reviews, err := c.Profile(ctx, "^"+regexp.QuoteMeta(name)+"$", handler, file)
	if err != nil {
		return nil, err
	}
	traces, err := command.In{Dir: dir}.Output(ctx, "go", "tool", "pprof", "-traces", c.binary(), file)
	if err != nil {
		return nil, fmt.Errorf("read profile: %w", err)
	}
	took := timesOf(traces)
	for work := range took {
		took[work] /= float64(reviews)
	}
	return took, nil
}

// timesOf adds up the samples of a profile by the kind of work. Each has its time before the
// innermost function, and then one function a line.
func timesOf(traces string) map[string]float64 {
	times := map[string]float64{}
	for trace := range strings.SplitSeq(traces, "-----------+-") {
		var took time.Duration
		var functions []string
		for line := range strings.Lines(trace) {
			words := strings.Fields(strings.TrimSuffix(strings.TrimSpace(line), " (inline)"))
			if len(words) == 2 && took == 0 {
				if took, _ = time.ParseDuration(words[0]); took > 0 {
					words = words[1:]
				}
			}
			if took > 0 && len(words) == 1 {
				functions = append(functions, words[0])
			}
		}
		times[workOf(functions)] += float64(took)
	}
	return times
}

// workOf returns the kind of work of a sample.
func workOf(functions []string) string {
	for _, w := range works {
		for _, f := range functions {
			if w.functions.MatchString(f) {
				return w.name
			}
		}
	}
	return otherWork
}

func (r Results) writeWhere(out *strings.Builder) {
	if len(r.Where) == 0 {
		return
	}
	out.WriteString("\n## Where the time goes\n\n" +
		"By a CPU profile of each handler. A sample counts for the first kind of work that one of its\n" +
		"functions has. Client and server are one process. `go tool mage bench:webhook` prints the tables.\n")
	for _, w := range r.Where {
		fmt.Fprintf(out, "\n`%s`, microseconds a review:\n\n| | planned | echo | more than echo |\n|---|---|---|---|\n", w.Case)
		sum := map[string]float64{}
		for _, one := range append(works, work{name: otherWork}) {
			w.writeLine(out, one.name, w.Time[Planned][one.name], w.Time[Echo][one.name])
			for _, handler := range []string{Planned, Echo} {
				sum[handler] += w.Time[handler][one.name]
			}
		}
		w.writeLine(out, "all", sum[Planned], sum[Echo])
	}
}

func (w Where) writeLine(out *strings.Builder, name string, planned, echo float64) {
	fmt.Fprintf(out, "| %s | %.1f | %.1f | %.1f |\n", name, planned/1000, echo/1000, (planned-echo)/1000)
}
