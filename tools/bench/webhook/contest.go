package webhook

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/corpus"
)

//go:embed testdata/program
var program embed.FS

const (
	provider = "Microsoft.Batch"
	resource = "Microsoft.Batch/batchAccounts/pools"
)

// lengths are how many steps there are between the versions that are converted and the hub.
var lengths = []int{1, 3, 10}

// Contest is the measuring program, with the chain that it measures.
type Contest struct {
	module corpus.Module
	flags  []string
	close  func()
}

// Open generates the types and builds the program. It repeats nothing that an earlier call has
// done. The caller must close the contest.
func Open(ctx context.Context, l *corpus.Lab) (*Contest, error) {
	p := corpus.Project{Schemas: l.Schemas(), Include: corpus.Of(provider), Like: "webhook"}
	m, unlock, err := corpus.OpenModule(l.Workspace, "webhook", p)
	if err != nil {
		return nil, err
	}
	c := &Contest{module: m, close: unlock}
	if err := c.build(ctx, l); err != nil {
		unlock()
		return nil, fmt.Errorf("open contest: %w", err)
	}
	return c, nil
}

// With opens a contest for as long as a function takes. It needs the real schemas.
func With(ctx context.Context, do func(*Contest, *corpus.Lab) error) (err error) {
	l, err := corpus.OpenLab(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if l.Missing != nil {
		return l.Missing
	}
	c, err := Open(ctx, l)
	if err != nil {
		return err
	}
	defer c.Close()
	return do(c, l)
}

// Close lets others open a contest.
func (c *Contest) Close() { c.close() }

func (c *Contest) build(ctx context.Context, l *corpus.Lab) error {
	if _, err := l.Generate(ctx, c.module.Project); err != nil {
		return err
	}
	files, err := sources()
	if err != nil {
		return err
	}
	if err := c.module.WriteFolder("program", files); err != nil {
		return err
	}
	if c.flags, err = chain(c.module.Output(), lengths); err != nil {
		return err
	}
	return c.module.Build(ctx, c.binary(), "./program")
}

func (c *Contest) binary() string { return filepath.Join(c.module.Dir, "bin", "program") }

// sources are the files of the program.
func sources() (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(program, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := program.ReadFile(path)
		files[entry.Name()] = body
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the program: %w", err)
	}
	return files, nil
}

// chain passes the program the versions of the main line that are so many steps from the hub.
func chain(output string, lengths []int) ([]string, error) {
	manifest, err := corpus.ReadManifest(output)
	if err != nil {
		return nil, err
	}
	var line []corpus.Resource
	for _, row := range manifest.Resources {
		if strings.EqualFold(row.Source.Type, resource) && !strings.Contains(row.Version, "preview") {
			line = append(line, row)
		}
	}
	slices.SortFunc(line, func(a, b corpus.Resource) int { return strings.Compare(a.Version, b.Version) })
	last := len(line) - 1
	if last < slices.Max(lengths) {
		return nil, fmt.Errorf("%s has only %d versions", resource, len(line))
	}
	var pairs []string
	for _, n := range lengths {
		pairs = append(pairs, fmt.Sprintf("%d=%s", n, line[last-n].Version))
	}
	return []string{"-hub=" + line[last].Version + "storage", "-other=" + line[last-2].Version, "-versions=" + strings.Join(pairs, ",")}, nil
}

// Check requires that all engines return the same values for the measured objects, and that plans
// refuse none of them.
func (c *Contest) Check(ctx context.Context) error {
	_, err := c.run(ctx, "-do=check")
	return err
}

// Measure measures the cases whose names match a regular expression, with so many rounds.
func (c *Contest) Measure(ctx context.Context, only string, rounds int) ([]Row, error) {
	var rows []Row
	return rows, c.ask(ctx, &rows, "-do=measure", "-only="+only, "-rounds="+strconv.Itoa(rounds))
}

// Memory returns the peak of memory beyond the review, by the name of the handler, for a review of
// 5,000 objects.
func (c *Contest) Memory(ctx context.Context) (map[string]uint64, error) {
	var peaks map[string]uint64
	return peaks, c.ask(ctx, &peaks, "-do=memory", "-only=^$")
}

// Point is what plans take for a review where one quantity has a value.
type Point struct {
	// Curve names the direction and the quantity, as in "from the hub, objects", and N is its value.
	Curve string
	N     float64
	// CPU is the processor time of a review in nanoseconds.
	CPU float64
}

// Curves measures how the time of a review grows with each quantity, with so many rounds.
func (c *Contest) Curves(ctx context.Context, rounds int) (points []Point, err error) {
	all := make([]int, slices.Max(lengths))
	for i := range all {
		all[i] = i + 1
	}
	flags, err := chain(c.module.Output(), all)
	if err != nil {
		return nil, err
	}
	longer := *c
	longer.flags = flags
	return points, longer.ask(ctx, &points, "-do=curves", "-only=^$", "-rounds="+strconv.Itoa(rounds))
}

// Profile has a handler answer the cases whose names match, and writes a profile of that to a file.
// It returns the number of reviews.
func (c *Contest) Profile(ctx context.Context, only, handler, file string) (reviews int, err error) {
	return reviews, c.ask(ctx, &reviews, "-do=profile", "-only="+only, "-handler="+handler, "-cpuprofile="+file)
}

func (c *Contest) ask(ctx context.Context, into any, flags ...string) error {
	out, err := c.run(ctx, flags...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		return fmt.Errorf("read what was measured: %w", err)
	}
	return nil
}

func (c *Contest) run(ctx context.Context, flags ...string) (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the working folder: %w", err)
	}
	return command.In{Dir: dir}.Output(ctx, c.binary(), append(slices.Clone(c.flags), flags...)...)
}
