// Command program measures the processor time of handlers of conversion reviews, side by side.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"runtime/pprof"
	"strings"

	"github.com/go-logr/logr"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
)

var (
	do       = flag.String("do", "measure", "check, measure, curves, memory or profile")
	hub      = flag.String("hub", "", "the hub's storage version")
	versions = flag.String("versions", "", "the versions that are so many steps from the hub, as in 1=v2,3=v1")
	other    = flag.String("other", "", "a version that an object was written in")
	only     = flag.String("only", ".", "which cases are measured")
	rounds   = flag.Int("rounds", 15, "how often each handler has its turn")
	profile  = flag.String("cpuprofile", "", "where a profile is written")
	handler  = flag.String("handler", "planned", "whose profile is written")
)

func main() {
	flag.Parse()
	ctrllog.SetLogger(logr.Discard())
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	pattern, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	contest, err := newContest()
	if err != nil {
		return err
	}
	cases, err := contest.cases(pattern)
	if err != nil {
		return err
	}
	switch *do {
	case "check":
		return contest.check(cases)
	case "memory":
		return write(contest.memory())
	case "measure":
		// All work is done one after another: what is measured is work, not the search for it by idle processors.
		runtime.GOMAXPROCS(1)
		return write(contest.measure(cases))
	case "curves":
		runtime.GOMAXPROCS(1)
		return write(contest.curves())
	case "profile":
		runtime.GOMAXPROCS(1)
		var reviews int
		err := profiled(func() (err error) {
			reviews, err = contest.exercise(cases, *handler)
			return err
		})
		return write(reviews, err)
	default:
		return errors.New("-do says nothing that can be done")
	}
}

func write(result any, err error) error {
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

func profiled(f func() error) error {
	out, err := os.Create(*profile)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := pprof.StartCPUProfile(out); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	return f()
}

// chains are the versions by their steps from the hub.
func chains() (all []chain) {
	for pair := range strings.SplitSeq(*versions, ",") {
		var c chain
		if _, err := fmt.Sscanf(pair, "%d=%s", &c.steps, &c.version); err == nil {
			all = append(all, c)
		}
	}
	return all
}

type chain struct {
	steps   int
	version string
}
