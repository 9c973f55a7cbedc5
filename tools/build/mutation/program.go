package mutation

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/stratakube/strata/tools/build/command"
)

// program is the tests of a package, built.
type program struct {
	folder  string // of the package
	path    string
	scratch string // for temporary files
	costly  string // matches tests that are left out
	tests   []test // in the order of their costs
}

// test is a function of a program.
type test struct {
	name      string
	cpu, wall time.Duration // that it took with no mutant
	reaches   map[int]bool  // the numbers of mutants; nil for all
}

// limits are for a run of tests.
type limits struct{ cpu, wait time.Duration }

const (
	slower = 4                // times the usual time, after which tests will not end
	least  = 10 * time.Second // for a run that uses little CPU, which gets a tenth of it as CPU time
	last   = time.Hour        // for any run, however busy the machine is
)

// limitsOf follow from the usual times of the tests.
func limitsOf(tests []test, least time.Duration) limits {
	var sum limits
	for _, t := range tests {
		sum.cpu, sum.wait = sum.cpu+t.cpu, sum.wait+t.wall
	}
	return limits{slower*sum.cpu + least/10, max(slower*sum.wait, least)}
}

// errEndless is the error of tests that do not end.
var errEndless = errors.New("the tests do not end")

// compile builds the program, with the same flags for its imports as `mage test`. In one folder,
// the same sources give the same program. A package without tests has no program.
func (p *program) compile(ctx context.Context, overlay string) error {
	_, err := command.In{Dir: p.folder}.Output(ctx, "go", "test", "-c", "-buildvcs=false", "-vet=off", "-ldflags=-s -w",
		"-overlay="+overlay, "-o", p.path, ".")
	return err
}

// learn runs all tests of the program, which must pass. Then it runs each test alone, and records
// its cost and the mutants that it reaches.
func (p *program) learn(ctx context.Context, workers int) error {
	list, err := p.in().Output(ctx, p.path, "-test.list=^(Test|Example|Fuzz)")
	if err != nil {
		return err
	}
	costly, err := regexp.Compile(p.costly)
	if err != nil {
		return fmt.Errorf("costly tests: %w", err)
	}
	for _, name := range strings.Fields(list) {
		if p.costly == "" || !costly.MatchString(name) {
			p.tests = append(p.tests, test{name: name})
		}
	}
	if err := p.test(ctx, p.tests, limits{}); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(workers, 1))
	for i := range p.tests {
		group.Go(func() error { return p.observe(ctx, &p.tests[i], strconv.Itoa(i)) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	slices.SortStableFunc(p.tests, func(a, b test) int { return cmp.Compare(a.cpu+a.wall, b.cpu+b.wall) })
	return nil
}

// observe runs a test alone, and records its cost and the mutants that it reaches.
func (p *program) observe(ctx context.Context, t *test, name string) error {
	notes := filepath.Join(p.scratch, name+".reached")
	defer os.Remove(notes)
	start := time.Now()
	in := p.in("STRATA_MUTANT_REACHED=" + notes)
	in.Ended = func(s *os.ProcessState) { t.cpu = s.UserTime() + s.SystemTime() }
	_, err := in.Output(ctx, p.path, "-test.run="+pattern([]test{*t}), "-test.timeout="+last.String())
	t.wall = time.Since(start)
	if err != nil {
		return ctx.Err() // it cannot bear to be observed, and counts for all mutants
	}
	text, err := os.ReadFile(notes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a program without the package writes none
		return fmt.Errorf("observe %s: %w", t.name, err)
	}
	t.reaches = map[int]bool{}
	for _, line := range strings.Fields(string(text)) {
		n, err := strconv.Atoi(line)
		if err != nil {
			return fmt.Errorf("observe %s: %w", t.name, err)
		}
		t.reaches[n] = true
	}
	return nil
}

// reaching are the tests that may notice a mutant.
func (p *program) reaching(number int) []test {
	var reaching []test
	for _, t := range p.tests {
		if t.reaches == nil || t.reaches[number] {
			reaching = append(reaching, t)
		}
	}
	return reaching
}

// test runs some tests, up to the first one that fails.
func (p *program) test(ctx context.Context, tests []test, l limits, env ...string) error {
	var printed bytes.Buffer
	status := 0
	scratch, err := os.MkdirTemp(p.scratch, "t")
	if err != nil {
		return fmt.Errorf("run tests: %w", err)
	}
	defer os.RemoveAll(scratch)
	in := p.in(append(env, "TMPDIR="+scratch, milliseconds("STRATA_MUTANT_CPU", l.cpu), milliseconds("STRATA_MUTANT_WAIT", l.wait))...)
	in.Stdout, in.Stderr = &printed, &printed
	in.Ended = func(s *os.ProcessState) { status = s.ExitCode() }
	err = in.Run(ctx, p.path, "-test.failfast", "-test.timeout="+last.String(), "-test.run="+pattern(tests))
	switch {
	case err == nil:
		return nil
	case status == endless:
		return errEndless
	}
	return fmt.Errorf("%w\n%s", err, printed.Bytes()[max(0, printed.Len()-most):])
}

// in returns how the program is run: tests that draw at random draw the same for each mutant, and
// write nothing into the folder of the package, on which stored verdicts depend.
func (p *program) in(env ...string) command.In {
	return command.In{Dir: p.folder, Env: append(env, "RAPID_SEED=1", "RAPID_NOFAILFILE=true", "RAPID_SHRINKTIME=1ms")}
}

func milliseconds(name string, d time.Duration) string {
	return name + "=" + strconv.FormatInt(d.Milliseconds(), 10)
}

// pattern matches the names of tests.
func pattern(tests []test) string {
	names := make([]string, len(tests))
	for i, t := range tests {
		names[i] = regexp.QuoteMeta(t.name)
	}
	return "^(" + strings.Join(names, "|") + ")$"
}

// most is how much of what failing tests print is worth reading.
const most = 4 << 10
