package mutation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/stratakube/strata/tools/build/modules"
)

// Options configure a measurement.
type Options struct {
	Only    *regexp.Regexp // matches the folders of packages; nil matches all
	Workers int            // how many mutants are run at once
	Least   time.Duration  // that tests may wait, however quick they usually are, and a tenth of it as CPU time; 10 s if it is 0
	Report  func(line string)
}

// Result is a mutant with its verdict, which is empty where there was no time for one.
type Result struct {
	Mutant
	Verdict Verdict
	Reason  string // why it is equivalent
}

// Measured is a target with the results of its mutants.
type Measured struct {
	Target
	Results []Result
}

// Measure runs the mutants of the targets that Only matches. When the context ends, it returns
// the results so far, with an error. The next run continues from there.
func Measure(ctx context.Context, w *modules.Workspace, targets []Target, o Options) ([]Measured, error) {
	listed, err := readEquivalents(equivalents)
	if err != nil {
		return nil, err
	}
	var all []Measured
	var errs []error
	for _, t := range targets {
		if o.Only != nil && !o.Only.MatchString(t.Folder) || !isIn(w, t) {
			continue
		}
		results, err := measure(ctx, w, t, o)
		errs = append(errs, err)
		if ctx.Err() != nil && results == nil {
			break // the targets that follow would fail alike
		}
		if results == nil {
			continue
		}
		errs = append(errs, excuse(t, results, listed))
		all = append(all, Measured{t, results})
	}
	if len(errs) == 0 {
		return nil, errors.New("no package of tools/build/mutation/target.go is asked for")
	}
	return all, errors.Join(errs...)
}

// HasTargets reports whether a workspace has any of the targets.
func HasTargets(w *modules.Workspace) bool {
	return slices.ContainsFunc(Targets, func(t Target) bool { return isIn(w, t) })
}

// isIn reports whether the workspace has a target.
func isIn(w *modules.Workspace, t Target) bool {
	info, err := os.Stat(filepath.Join(w.Root, filepath.FromSlash(t.Folder)))
	return err == nil && info.IsDir()
}

func measure(ctx context.Context, w *modules.Workspace, t Target, o Options) ([]Result, error) {
	dir, err := os.MkdirTemp("", "strata-mutation-*")
	if err != nil {
		return nil, fmt.Errorf("measure %s: %w", t.Folder, err)
	}
	defer os.RemoveAll(dir)
	o.Report("finding mutants of " + t.Folder)
	mutants, err := find(ctx, w, t)
	if err != nil {
		return nil, err
	}
	l, key, err := open(ctx, w, t, mutants, dir, o)
	if err != nil {
		return nil, err
	}
	stored, err := openStore(t, key)
	if err != nil {
		return nil, err
	}
	b := bench{l, stored, progress{report: o.Report, folder: t.Folder, all: len(mutants)}}
	return b.run(ctx, mutants, o.Workers)
}

// bench judges the mutants of one target.
type bench struct {
	laboratory
	stored   *store
	progress progress
}

func (b *bench) run(ctx context.Context, mutants []Mutant, workers int) ([]Result, error) {
	results := make([]Result, len(mutants))
	for i, m := range mutants {
		results[i].Mutant = m
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(workers, 1))
	for _, i := range shuffled(mutants) {
		group.Go(func() error {
			v, err := b.verdict(ctx, mutants[i])
			results[i].Verdict = v
			if err != nil {
				return err
			}
			b.progress.add(mutants[i], v)
			return nil
		})
	}
	return results, group.Wait()
}

// shuffled is the order in which mutants are judged. It depends on their names only, and a run that
// is stopped is a sample.
func shuffled(mutants []Mutant) []int {
	order, hashes := make([]int, len(mutants)), make([]uint64, len(mutants))
	for i, m := range mutants {
		hash := fnv.New64a()
		fmt.Fprintf(hash, "%+v", m.Name)
		order[i], hashes[i] = i, hash.Sum64()
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(hashes[a], hashes[b]) })
	return order
}

// verdict is the stored one, or that of a run of the tests.
func (b *bench) verdict(ctx context.Context, m Mutant) (Verdict, error) {
	if v := b.stored.verdict(m.Name); v != "" || ctx.Err() != nil {
		return v, ctx.Err()
	}
	v, err := b.judge(ctx, m)
	if err != nil {
		return "", err
	}
	return v, b.stored.add(m.Name, v)
}

// progress reports how far a target is, and which mutants survive.
type progress struct {
	report func(string)
	folder string
	all    int
	mu     sync.Mutex
	done   int
}

const between = 25 // mutants, between two lines

func (p *progress) add(m Mutant, v Verdict) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if v == Survived || v == NotReached {
		p.report(fmt.Sprintf("%s: %s/%s:%d: %s: %s", v, p.folder, m.File, m.Line, m.Change, m.Source))
	}
	if p.done%between == 0 || p.done == p.all {
		p.report(fmt.Sprintf("%s: %d of %d mutants", p.folder, p.done, p.all))
	}
}
