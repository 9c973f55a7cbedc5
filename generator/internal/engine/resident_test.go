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
	"syscall"
	"time"

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
	Out, Err []byte // not strings: JSON would replace what is not UTF-8
}

// residentName is the name by which the binary of the tests runs serve.
const residentName = "strata-resident"

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
	return result{code, stdout.Bytes(), stderr.Bytes()}, nil
}

// noInput is the standard input of a run in a script. A run leaves what `stdin` names to the next
// command.
type noInput struct{}

func (noInput) Read([]byte) (int, error) {
	return 0, errors.New("run passes no standard input: write exec strata in this script")
}

// residents are processes that call serve, and wait for a call.
var residents = make(chan *resident, 1024)

// resident is a process that calls serve. It ends when the process of the tests has ended, and it
// has served its call.
type resident struct {
	process *os.Process
	calls   *json.Encoder
	results *json.Decoder
	stderr  *os.File
}

// within runs strata in a process of residents, or in a new one if all have calls. The process is
// asked for its stack at the deadline. What it writes otherwise than to the streams of strata is an
// error, such as a report of the race detector.
func within(c call, deadline time.Time) (result, error) {
	var p *resident
	select {
	case p = <-residents:
	default:
		var err error
		if p, err = newResident(); err != nil {
			return result{}, err
		}
	}
	late := time.AfterFunc(time.Until(deadline), func() { _ = p.process.Signal(syscall.SIGQUIT) })
	defer late.Stop()
	var r result
	if err := errors.Join(p.calls.Encode(c), p.results.Decode(&r)); err != nil {
		return result{}, fmt.Errorf("the process that runs strata ended: %w\n%s", err, p.printed())
	}
	if text := p.printed(); text != "" {
		return result{}, fmt.Errorf("the process that runs strata printed\n%s", text)
	}
	residents <- p
	return r, nil
}

func newResident() (*resident, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := exec.Command(program)
	c.Args[0] = residentName
	stdin, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	stderr, err := os.CreateTemp("", residentName)
	if err != nil {
		return nil, err
	}
	if err := os.Remove(stderr.Name()); err != nil {
		return nil, err
	}
	c.Stderr = stderr
	if err := c.Start(); err != nil {
		return nil, err
	}
	return &resident{c.Process, json.NewEncoder(stdin), json.NewDecoder(stdout), stderr}, nil
}

// printed returns what the process has written to its own standard output and error.
func (p *resident) printed() string {
	text, err := io.ReadAll(io.NewSectionReader(p.stderr, 0, 1<<20))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// variables is the key under which a script stores the names of the variables that it starts with.
type variables struct{}

// sets matches a line of a script that sets variables.
var sets = regexp.MustCompile(`(?m)^[ \t]*(?:\[[^]]*\][ \t]*)*env[ \t]+(.*)$`)

// environment returns the variables of a script of a folder: those that it starts with, and those
// that it sets. It omits those that are set to nothing, since the script may not have set them yet.
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
