package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/stratakube/strata/generator/internal/analysis/migrate"
	"github.com/stratakube/strata/generator/internal/augmentation"
	"github.com/stratakube/strata/generator/internal/config"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/emit"
	"github.com/stratakube/strata/generator/internal/plan"
	"github.com/stratakube/strata/generator/internal/scaffold"
	"github.com/stratakube/strata/generator/internal/subprocess"
)

// Import reports what hand-written conversions do beyond the plan, and compares how both read
// stored objects.
func (Engine) Import(ctx context.Context, r ImportRequest) (ImportResult, error) {
	c, err := config.Read(r.Config, r.Sources)
	if err != nil {
		return ImportResult{}, err
	}
	planned, err := newRun(r.Request, c).toPlan(ctx, planOptions{Importing: true})
	if err != nil {
		return ImportResult{}, err
	}
	var patterns []string
	for _, s := range c.Sources {
		if s.Go != nil {
			patterns = append(patterns, s.Go.Packages...)
		}
	}
	if patterns == nil {
		return ImportResult{}, diag.Errorf(c.At("sources"), "no source names Go packages").WithHint("such as `- go: {packages: [\"./api/...\"]}`")
	}
	if err := planned.enter(ctx, "reading conversions"); err != nil {
		return ImportResult{}, err
	}
	code, err := migrate.Read(ctx, c.Dir, patterns)
	if err != nil {
		return ImportResult{}, err
	}
	out := ImportResult{Conversions: len(code.Conversions), Findings: migrate.Find(code, planned.plan, planned.formatPosition)}
	migrate.Sort(out.Findings)
	if err := planned.enter(ctx, "comparing readings"); err != nil {
		return ImportResult{}, err
	}
	if r.Cases > 0 {
		out.Readings, err = planned.readings(ctx, code, r.Cases)
		migrate.MarkStubs(out.Readings, code, planned.plan)
	}
	return out, err
}

// formatPosition formats a position for messages, relative to the folder of the configuration.
func (run *Run) formatPosition(pos token.Position) string {
	if dir, err := filepath.Abs(run.config.Dir); err == nil {
		if below, err := filepath.Rel(dir, pos.Filename); err == nil && !strings.HasPrefix(below, "..") {
			pos.Filename = filepath.ToSlash(below)
		}
	}
	return pos.String()
}

// comparer is the folder of the comparing program in the module. It exists only in an overlay.
const comparer = "strata_import_readings"

// readings builds and runs the program that compares how stored objects are read. An overlay adds
// the generated code and the program to the module for the go command.
func (pl Plan) readings(ctx context.Context, code *migrate.Code, cases int) ([]migrate.Reading, error) {
	options := pl.options()
	options.Own = nil
	layout := pl.layout()
	program := migrate.Program(code, pl.plan, layout, cases)
	if program == nil {
		return nil, nil
	}
	temp, err := os.MkdirTemp("", "strata-import-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	root, err := moduleRoot(pl.config.Dir)
	if err != nil {
		return nil, err
	}
	o := overlay{temp: temp, Replace: map[string]string{}}
	if err := o.add(filepath.Join(root, comparer, "main.go"), program); err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(pl.config.Output.Dir)
	if err != nil {
		return nil, err
	}
	files := emit.Files(ctx, plan.Decide(ctx, pl.chain, options), layout, runtime.GOMAXPROCS(0))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for _, f := range files {
		if strings.HasSuffix(f.Path, "_test.go") {
			continue
		}
		if err := o.add(filepath.Join(dir, filepath.FromSlash(f.Path)), f.Body); err != nil {
			return nil, err
		}
	}
	for _, p := range pl.UserTypes {
		o.Replace[filepath.Join(p.Dir, augmentation.File)] = "" // without its generated code
	}
	return o.run(ctx, root)
}

// overlay lists the files that the go command reads in place of those on disk.
type overlay struct {
	temp    string
	Replace map[string]string
}

// add adds a file to the overlay.
func (o *overlay) add(name string, body []byte) error {
	lies := filepath.Join(o.temp, fmt.Sprintf("%d.go", len(o.Replace)))
	o.Replace[name] = lies
	return os.WriteFile(lies, body, 0o600)
}

// run builds and runs the program.
func (o *overlay) run(ctx context.Context, root string) ([]migrate.Reading, error) {
	body, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	list, binary := filepath.Join(o.temp, "overlay.json"), filepath.Join(o.temp, "readings")
	if err := os.WriteFile(list, body, 0o600); err != nil {
		return nil, err
	}
	build := subprocess.New(ctx, root, "go", "build", "-buildvcs=false", "-ldflags=-s -w", "-overlay", list, "-o", binary, "./"+comparer)
	build.Env = append(os.Environ(), "GOTMPDIR="+o.temp) // removed even after a kill
	output, err := build.Print()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, diag.Errorf(diag.Pos{}, "the program that compares readings does not compile: %v\n%s", err, strings.TrimSpace(string(output)+build.Errors.String())).
			WithHint("the module must require what generated code imports: go get %s/... sigs.k8s.io/controller-runtime; hand-written steps must compile", scaffold.RuntimeModule)
	}
	results := filepath.Join(o.temp, "results.json")
	compare := subprocess.New(ctx, "", binary, results)
	err = compare.Read(func(io.Reader) error { return nil }) // what conversions print
	switch exit := (*exec.ExitError)(nil); {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &exit):
		return nil, fmt.Errorf("compare readings: %w: %s", err, strings.TrimSpace(compare.Errors.String()))
	case err != nil:
		return nil, fmt.Errorf("compare readings: %w", err)
	}
	text, err := os.ReadFile(results)
	if err != nil {
		return nil, fmt.Errorf("compare readings: %w", err)
	}
	return migrate.ParseReadings(text)
}
