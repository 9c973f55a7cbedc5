package code

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/corpus"
)

// Code is generated code that is measured.
type Code struct {
	Name     string
	Versions int // of resources
	// Packages are the import paths of the packages that register types.
	Packages []string
	// Prefix begins the import paths of all generated packages. It ends with a slash.
	Prefix string
	// Dir is the folder of a module that can import them. The programs become folders of it.
	Dir string
	// WithEngine makes the program build the engine of a conversion webhook, too.
	WithEngine bool
}

// Figures are the costs of code.
type Figures struct {
	Name     string
	Versions int
	Lines    int           // of Go, without tests
	Compile  time.Duration // processor time for the generated packages; zero if it was not measured
	Binary   int64         // bytes that the program is larger than one that registers nothing
	Start    time.Duration // processor time until types are registered, beyond that of the same program
	Heap     int64         // bytes after that, beyond those of the same program
}

// each divides a cost by the number of resource versions.
func (f Figures) each(cost float64) float64 { return cost / float64(f.Versions) }

//go:embed testdata/program/main.go
var program []byte

// starts is how often a program is started.
const starts = 21

// Measure measures everything but the time to compile.
func (c Code) Measure(ctx context.Context) (Figures, error) {
	f := Figures{Name: c.Name, Versions: c.Versions}
	var err error
	if f.Lines, err = c.lines(ctx); err != nil {
		return f, err
	}
	without := c
	without.Packages, without.WithEngine = nil, false
	baseline, err := without.program(ctx, "without")
	if err != nil {
		return f, err
	}
	all, err := c.program(ctx, "with")
	if err != nil {
		return f, err
	}
	f.Binary = all.size - baseline.size
	var cpu, cpuWithout []time.Duration
	var heap, heapWithout []uint64
	for range starts {
		one, err := all.start(ctx)
		if err != nil {
			return f, err
		}
		other, err := baseline.start(ctx)
		if err != nil {
			return f, err
		}
		cpu, cpuWithout = append(cpu, one.CPU), append(cpuWithout, other.CPU)
		heap, heapWithout = append(heap, one.Heap), append(heapWithout, other.Heap)
	}
	f.Start, f.Heap = median(cpu)-median(cpuWithout), int64(median(heap))-int64(median(heapWithout))
	return f, nil
}

func median[T cmp.Ordered](all []T) T {
	slices.Sort(all)
	return all[len(all)/2]
}

// built is a program that registers types.
type built struct {
	file string
	size int64
}

// program builds the program that registers the packages, in a folder of the module.
func (c Code) program(ctx context.Context, folder string) (built, error) {
	dir := filepath.Join(c.Dir, "registering", folder)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return built{}, fmt.Errorf("write program: %w", err)
	}
	err := errors.Join(
		os.WriteFile(filepath.Join(dir, "main.go"), program, 0o644),
		os.WriteFile(filepath.Join(dir, "add.go"), []byte(c.added()), 0o644),
	)
	if err != nil {
		return built{}, fmt.Errorf("write program: %w", err)
	}
	file := filepath.Join(dir, "program")
	if err := c.in().Go(ctx, "build", "-o", file, "./registering/"+folder); err != nil {
		return built{}, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return built{}, fmt.Errorf("build program: %w", err)
	}
	return built{file, info.Size()}, nil
}

func (c Code) in() command.In { return command.In{Dir: c.Dir, Env: corpus.GoEnv, Stdout: os.Stderr} }

// added is the file with the functions that the program calls.
func (c Code) added() string {
	var imports, calls strings.Builder
	for i, path := range c.Packages {
		fmt.Fprintf(&imports, "\tp%d %q\n", i, path)
		fmt.Fprintf(&calls, "\tp%d.AddToScheme,\n", i)
	}
	engine := "nil"
	if c.WithEngine {
		fmt.Fprintf(&imports, "\t%q\n", "github.com/stratakube/strata/webhook")
		engine = "func(s *k8sruntime.Scheme) (any, error) { return webhook.EngineOf(s) }"
	}
	return fmt.Sprintf(`package main

import (
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
%s)

var add = []func(*k8sruntime.Scheme) error{
%s}

var engine func(*k8sruntime.Scheme) (any, error) = %s
`, imports.String(), calls.String(), engine)
}

// usage is what a program prints.
type usage struct {
	CPU  time.Duration
	Heap uint64
}

func (b built) start(ctx context.Context) (u usage, err error) {
	cmd := exec.CommandContext(ctx, b.file)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return u, fmt.Errorf("start program: %w", err)
	}
	if err := json.Unmarshal(out, &u); err != nil {
		return u, fmt.Errorf("start program: %w", err)
	}
	return u, nil
}

// lines counts the lines of the generated packages that the registered ones import.
func (c Code) lines(ctx context.Context) (lines int, err error) {
	args := append([]string{"list", "-deps", "-json=ImportPath,Dir,GoFiles"}, c.Packages...)
	in := c.in()
	in.Stdout = nil
	text, err := in.Output(ctx, "go", args...)
	if err != nil {
		return 0, err
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	for decoder.More() {
		var p struct {
			ImportPath, Dir string
			GoFiles         []string
		}
		if err := decoder.Decode(&p); err != nil {
			return 0, fmt.Errorf("count lines: %w", err)
		}
		if !strings.HasPrefix(p.ImportPath, c.Prefix) {
			continue
		}
		for _, name := range p.GoFiles {
			body, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				return 0, fmt.Errorf("count lines: %w", err)
			}
			lines += bytes.Count(body, []byte("\n"))
		}
	}
	return lines, nil
}

// compiles is how often code is compiled.
const compiles = 3

// Compile returns the processor time that it takes to compile the generated packages of each code.
// The codes take turns. What they import is compiled before.
func Compile(ctx context.Context, codes ...Code) ([]time.Duration, error) {
	all := make([][]time.Duration, len(codes))
	for range compiles {
		for i, c := range codes {
			took, err := c.compile(ctx)
			if err != nil {
				return nil, err
			}
			all[i] = append(all[i], took)
		}
	}
	out := make([]time.Duration, len(codes))
	for i := range codes {
		out[i] = median(all[i])
	}
	return out, nil
}

// compile compiles the generated packages with a flag that no run before had, so that none of them
// is in the build cache. The flag has no effect. It subtracts the time of the go command itself,
// which is that of a second run.
func (c Code) compile(ctx context.Context) (time.Duration, error) {
	unique := fmt.Sprintf("-gcflags=%s...=-D=/%d", c.Prefix, time.Now().UnixNano())
	var took [2]time.Duration
	for i := range took {
		cmd := exec.CommandContext(ctx, "go", append([]string{"build", unique}, c.Packages...)...)
		cmd.Dir, cmd.Stderr = c.Dir, os.Stderr
		cmd.Env = append(cmd.Environ(), corpus.GoEnv...)
		cost, err := corpus.Measure(cmd)
		if err != nil {
			return 0, fmt.Errorf("compile %s: %w", c.Name, err)
		}
		took[i] = cost.CPU
	}
	return took[0] - took[1], nil
}
