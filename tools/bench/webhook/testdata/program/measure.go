package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// Row is what a case took.
type Row struct {
	Case
	// CPU is the processor time of a review in nanoseconds by the name of the handler: the median of the rounds.
	CPU map[string]float64
	// Ratio is how often that of plans goes into it: the median of the ratios within a round.
	Ratio map[string]float64
	// Allocations is how many there were for a review.
	Allocations map[string]float64
}

// send sends a review through a handler once, and fails if there is no answer.
type send func(review []byte) error

// turn is what a measurement of one handler takes.
const turn = 12 * time.Millisecond

// measure measures all cases, round by round in turn.
func (c *contest) measure(cases []Case) ([]Row, error) {
	senders, end := c.senders()
	defer end()
	var rows []Row
	for _, one := range cases {
		fmt.Fprintln(os.Stderr, one)
		row, err := c.row(one, senders[one.Transport])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", one, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (c *contest) row(one Case, senders []send) (Row, error) {
	row := Row{Case: one, CPU: map[string]float64{}, Ratio: map[string]float64{}, Allocations: map[string]float64{}}
	repeats, warm := make([]int, len(senders)), make([]bool, len(senders))
	for i, s := range senders {
		took, err := cpuOf(s, one.review, 1, true)
		if err != nil {
			return row, fmt.Errorf("%s: %w", c.handlers[i].name, err)
		}
		repeats[i] = int(max(1, min(2000, turn/max(took, time.Microsecond))))
		warm[i] = took < 4*turn
	}
	cpu := make([][]float64, len(senders))
	for round := range *rounds {
		for k := range senders {
			i := (k + round) % len(senders)
			took, err := cpuOf(senders[i], one.review, repeats[i], warm[i])
			if err != nil {
				return row, err
			}
			cpu[i] = append(cpu[i], float64(took)/float64(repeats[i]))
		}
	}
	for i, h := range c.handlers {
		row.CPU[h.name] = median(slices.Clone(cpu[i]))
		row.Ratio[h.name] = median(ratios(cpu[i], cpu[0]))
		row.Allocations[h.name] = allocations(senders[i], one.review, warm[i])
	}
	return row, nil
}

func ratios(of, to []float64) []float64 {
	var all []float64
	for i := range of {
		all = append(all, of[i]/to[i])
	}
	return all
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// cpuOf is the processor time of the process for so many reviews, behind a collection of garbage and, where that makes a
// difference, one review that nobody counts.
func cpuOf(s send, review []byte, times int, warm bool) (time.Duration, error) {
	runtime.GC()
	if warm {
		if err := s(review); err != nil {
			return 0, err
		}
	}
	before := used()
	for range times {
		if err := s(review); err != nil {
			return 0, err
		}
	}
	return used() - before, nil
}

func used() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err) // the process always knows of itself
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// allocations is how many there are for a review, once what is kept for the next is there.
func allocations(s send, review []byte, warm bool) float64 {
	times := 1
	if warm {
		times = 4
		_ = s(review)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		_ = s(review)
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(times)
}

// exercise has a handler answer reviews of each case for a while, and returns how many.
func (c *contest) exercise(cases []Case, handler string) (reviews int, err error) {
	senders, end := c.senders()
	defer end()
	for i, h := range c.handlers {
		if h.name != handler {
			continue
		}
		for _, one := range cases {
			for began := used(); used()-began < 4*time.Second; reviews++ {
				if err := senders[one.Transport][i](one.review); err != nil {
					return reviews, err
				}
			}
		}
	}
	return reviews, nil
}
