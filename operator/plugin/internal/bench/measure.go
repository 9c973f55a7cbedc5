package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/host"
	latest "github.com/stratakube/strata/operator/plugin/provider"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	provider "github.com/stratakube/strata/operator/plugin/provider/v2"
)

// observer is the method that is measured.
type observer interface {
	Observe(context.Context, *provider.Subject) (*v1.ObserveResponse, error)
}

// start starts a plugin.
type start func(isPlain bool) (observer, func(), error)

// locked is computed once, as with a lock file.
var locked = sync.OnceValues(func() (host.Plugin, error) {
	p, err := host.Lock(os.Args[0])
	p.Args = []string{"-serve=ours"}
	p.Serves = []contract.Served{{ID: contract.ID{Kind: "provider", Number: 2}, Name: name}}
	return p, err
})

func startOurs(isPlain bool) (observer, func(), error) {
	p, err := locked()
	if err != nil {
		return nil, nil, err
	}
	h, err := host.Open(host.Options{Plugins: []host.Plugin{p}, Plain: isPlain})
	if err != nil {
		return nil, nil, err
	}
	stop := func() { h.Stop(context.Background()) }
	echo, err := latest.Get(context.Background(), h, name, nil)
	if err != nil {
		stop()
		return nil, nil, err
	}
	return echo, stop, nil
}

// sizes are the sizes of specs in bytes.
var sizes = []int{200, 5 << 10, 100 << 10}

const (
	batch = 20  // how many calls are measured together
	many  = 100 // the number of batches of a process
	warm  = 300 // how many calls precede the measurement
)

// page has the results, in Markdown and by name.
type page struct {
	strings.Builder
	ratios map[string]float64 // the time with the framework, as a multiple of that without it
}

func measure(ctx context.Context, rounds int) (*page, error) {
	out := &page{ratios: map[string]float64{}}
	out.WriteString(head)
	for _, isPlain := range []bool{false, true} {
		ours, bare, err := starts(ctx, isPlain, rounds)
		if err != nil {
			return nil, err
		}
		out.row("start until the first answer", isPlain, ours, bare)
	}
	for _, isPlain := range []bool{false, true} {
		for _, size := range sizes {
			what := fmt.Sprintf("call with %d bytes", size)
			ours, bare, err := calls(ctx, isPlain, size, rounds)
			if err != nil {
				return nil, err
			}
			out.row(what, isPlain, ours, bare)
		}
	}
	return out, nil
}

const head = `# What the plugin framework costs

Written by ` + "`go tool mage bench:plugin -write`" + `. The same interface is called as a plugin of the
framework and as a bare go-plugin, in short turns, in processes that are started anew again and
again. Time is the median of all turns, and its ratio that of the medians. CPU time is that of both
processes over all turns. A start of the framework includes the checksum of a program of 20 MB, a
health check, the list of versions, and the creation of the instance. Both include the first call.
Trust the ratios: the times depend on the machine and on what else it did.

![The plugin framework beside a bare go-plugin](plugin.svg)

| | | framework | bare go-plugin | ratio | CPU of framework | of bare go-plugin | ratio |
|---|---|---|---|---|---|---|---|
`

// cost is the measured cost of one case, in all turns.
type cost struct {
	times []time.Duration
	cpu   time.Duration // per call; 0 if it is not measured
}

// write writes the page and the ratios, sorted by name, into a folder.
func (p *page) write(folder string) error {
	text, err := json.MarshalIndent(p.ratios, "", "  ")
	if err != nil {
		return fmt.Errorf("write ratios: %w", err)
	}
	return errors.Join(
		os.WriteFile(filepath.Join(folder, "plugin.md"), []byte(p.String()), 0o644),
		os.WriteFile(filepath.Join(folder, "ratios.json"), text, 0o644),
	)
}

func (p *page) row(what string, isPlain bool, ours, bare cost) {
	a, b := median(ours.times), median(bare.times)
	tls := "mTLS"
	if isPlain {
		tls = "plain"
	}
	ratio := float64(a) / float64(b)
	p.ratios[what+", "+tls+", time"] = ratio
	fmt.Fprintf(p, "| %s | %s | %s | %s | %.2f | ", what, tls, inWords(a), inWords(b), ratio)
	if ours.cpu == 0 {
		p.WriteString("| | |\n")
		return
	}
	ratio = float64(ours.cpu) / float64(bare.cpu)
	p.ratios[what+", "+tls+", CPU"] = ratio
	fmt.Fprintf(p, "%s | %s | %.2f |\n", inWords(ours.cpu), inWords(bare.cpu), ratio)
}

func median(all []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

func inWords(d time.Duration) string {
	if d < time.Millisecond {
		return fmt.Sprintf("%.0f µs", float64(d)/float64(time.Microsecond))
	}
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

func starts(ctx context.Context, isPlain bool, rounds int) (ours, bare cost, err error) {
	once := func(s start) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			began := time.Now()
			o, stop, err := s(isPlain)
			if err != nil {
				return 0, err
			}
			defer stop()
			err = call(ctx, o, request(0), 1)
			return time.Since(began), err
		}
	}
	ours.times, bare.times, err = turns(rounds, once(startOurs), once(startBare))
	return ours, bare, err
}

// calls starts both again in each turn, since the placement of a process by the system affects the
// result more than its work.
func calls(ctx context.Context, isPlain bool, size, rounds int) (ours, bare cost, err error) {
	for i := range rounds {
		starts := []start{startOurs, startBare}
		callers := make([]*caller, 2)
		for j := range starts {
			k := (i + j) % 2
			if callers[k], err = newCaller(ctx, starts[k], isPlain, size); err != nil {
				return ours, bare, err
			}
		}
		a, b, err := turns(many, callers[0].batch, callers[1].batch)
		callers[0].stop()
		callers[1].stop()
		if err != nil {
			return ours, bare, err
		}
		ours.times, bare.times = append(ours.times, a...), append(bare.times, b...)
		ours.cpu += callers[0].cpu / time.Duration(many*batch*rounds)
		bare.cpu += callers[1].cpu / time.Duration(many*batch*rounds)
	}
	return ours, bare, nil
}

// caller calls one plugin, and adds up the CPU time of both processes.
type caller struct {
	observer
	ctx  context.Context
	stop func()
	in   *provider.Subject
	pid  string
	cpu  time.Duration
}

// newCaller starts a plugin and warms it up.
func newCaller(ctx context.Context, s start, isPlain bool, size int) (*caller, error) {
	o, stop, err := s(isPlain)
	if err != nil {
		return nil, err
	}
	c := &caller{observer: o, ctx: ctx, stop: stop, in: request(size)}
	out, err := o.Observe(ctx, c.in)
	c.pid = out.GetObservation().GetId()
	if err == nil {
		err = call(ctx, o, c.in, warm)
	}
	if err != nil {
		stop()
		return nil, err
	}
	return c, nil
}

// batch makes calls and returns the time of one.
func (c *caller) batch() (time.Duration, error) {
	before, err := used(c.pid)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if err := call(c.ctx, c.observer, c.in, batch); err != nil {
		return 0, err
	}
	took := time.Since(began)
	after, err := used(c.pid)
	c.cpu += after - before
	return took / batch, err
}

// turns runs both in turns, and alternates which one is first.
func turns(rounds int, a, b func() (time.Duration, error)) (ofA, ofB []time.Duration, err error) {
	for i := range rounds {
		order := []func() (time.Duration, error){a, b}
		results := make([]time.Duration, 2)
		for j := range order {
			k := (i + j) % 2
			if results[k], err = order[k](); err != nil {
				return nil, nil, err
			}
		}
		ofA, ofB = append(ofA, results[0]), append(ofB, results[1])
	}
	return ofA, ofB, nil
}

func request(size int) *provider.Subject {
	return &provider.Subject{Resource: &v1.Resource{Type: "things", ApiVersion: "2019-08-01", Spec: bytes.Repeat([]byte("x"), size)}}
}

// call makes n calls, each with a deadline, as hosts do.
func call(ctx context.Context, o observer, in *provider.Subject, n int) error {
	for range n {
		limited, cancel := context.WithTimeout(ctx, time.Minute)
		out, err := o.Observe(limited, in)
		cancel()
		if err != nil {
			return err
		}
		if got, want := len(out.GetObservation().GetStatus()), len(in.GetResource().GetSpec()); got != want {
			return fmt.Errorf("the answer has %d bytes, want %d", got, want)
		}
	}
	return nil
}
