package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/stratakube/strata/generator/internal/cli"
	"github.com/stratakube/strata/generator/internal/engine"
)

// call is one run of strata: what a process gets when it starts.
type call struct {
	Dir  string
	Env  []string
	Args []string
}

// result is what a run leaves.
type result struct {
	Code     int
	Out, Err string
}

// serve runs strata once for each call that it reads, and writes the results. Scripts run strata in
// few processes, since the start of a process takes longer than most runs. A process has the folder
// and the environment of the call that it serves.
func serve(calls io.Reader, results io.Writer) error {
	in, out := json.NewDecoder(calls), json.NewEncoder(results)
	for {
		var c call
		if err := in.Decode(&c); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		r, err := c.run()
		if err != nil {
			return err
		}
		if err := out.Encode(r); err != nil {
			return err
		}
	}
}

func (c call) run() (result, error) {
	os.Clearenv()
	for _, v := range c.Env {
		name, value, _ := strings.Cut(v, "=")
		if err := os.Setenv(name, value); err != nil {
			return result{}, err
		}
	}
	if err := os.Chdir(c.Dir); err != nil {
		return result{}, err
	}
	var stdout, stderr bytes.Buffer
	streams := cli.Streams{Program: "strata", In: noInput{}, Out: &stdout, Err: &stderr}
	code := cli.Run(context.Background(), c.Args, streams, engine.Engine{})
	return result{code, stdout.String(), stderr.String()}, nil
}

// noInput is the standard input of a run in a script.
type noInput struct{}

func (noInput) Read([]byte) (int, error) {
	return 0, errors.New("run passes no standard input: write exec strata in this script")
}

// residents are processes that call serve, and wait for a call. They end with the process of the
// tests.
var residents = make(chan *resident, 64)

type resident struct {
	calls   *json.Encoder
	results *json.Decoder
	stderr  *os.File
}

// within runs strata in a process of residents, or in a new one if all have calls.
func within(c call) (result, error) {
	var p *resident
	select {
	case p = <-residents:
	default:
		var err error
		if p, err = newResident(); err != nil {
			return result{}, err
		}
	}
	if err := p.calls.Encode(c); err != nil {
		return result{}, p.died(err)
	}
	var r result
	if err := p.results.Decode(&r); err != nil {
		return result{}, p.died(err)
	}
	select {
	case residents <- p:
	default:
		p.stderr.Close()
	}
	return r, nil
}

func newResident() (*resident, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := exec.Command(program)
	c.Args[0] = "strata-resident" // testscript makes the command of the name
	stdin, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	stderr, err := os.CreateTemp("", "strata-resident-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(stderr.Name()); err != nil {
		return nil, err
	}
	c.Stderr = stderr
	return &resident{json.NewEncoder(stdin), json.NewDecoder(stdout), stderr}, c.Start()
}

// died describes the end of a process by what it wrote.
func (p *resident) died(err error) error {
	defer p.stderr.Close()
	text, _ := io.ReadAll(io.NewSectionReader(p.stderr, 0, 1<<20))
	return fmt.Errorf("the process that runs strata ended: %w\n%s", err, text)
}

// variables is the key under which a script stores the names of the variables that it starts with.
type variables struct{}

// sets matches a line of a script that sets variables.
var sets = regexp.MustCompile(`(?m)^(?:\[[^]]*\] )?env (.*)$`)

// environment returns the variables of a script of a folder: those that it starts with, and those
// that it sets.
func environment(ts *testscript.TestScript, dir string) []string {
	script, err := os.ReadFile(filepath.Join(dir, ts.Name()+".txtar"))
	ts.Check(err)
	words := slices.Clone(ts.Value(variables{}).([]string))
	for _, line := range sets.FindAllSubmatch(script, -1) {
		words = append(words, strings.Fields(string(line[1]))...)
	}
	var all []string
	for _, word := range words {
		name, _, _ := strings.Cut(word, "=")
		if value := ts.Getenv(name); value != "" {
			all = append(all, name+"="+value)
		}
	}
	return append(all, "PWD="+ts.MkAbs("."))
}
