// Command dockerfile reads a Dockerfile by BuildKit's own parser and checks, and prints its stages
// as JSON. Tests of package tutorial run it.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

// stage is what follows a FROM.
type stage struct {
	Name, Base string
	Steps      []step
}

// step is an instruction. Args are its words; those of ARG and ENV alternate names and values.
type step struct {
	Verb, From, Text string
	Args             []string
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "dockerfile: error: %v\n", err)
		os.Exit(1)
	}
}

// run prints the stages of a Dockerfile. It fails for what BuildKit refuses, and for what its
// checks warn of.
func run(in io.Reader, out io.Writer) error {
	file, err := parser.Parse(in)
	if err != nil {
		return err
	}
	var errs []error
	for _, w := range file.Warnings {
		errs = append(errs, errors.New(w.Short))
	}
	checks := linter.New(&linter.Config{Warn: func(rule, _, _, message string, _ []parser.Range) {
		errs = append(errs, fmt.Errorf("%s: %s", rule, message))
	}})
	parsed, _, err := instructions.Parse(file.AST, checks)
	if err != nil {
		return err
	}
	var stages []stage
	for _, p := range parsed {
		s := stage{Name: p.Name, Base: p.BaseName}
		for _, command := range p.Commands {
			next, err := stepOf(command)
			errs = append(errs, err)
			s.Steps = append(s.Steps, next)
		}
		stages = append(stages, s)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(stages)
}

func stepOf(command instructions.Command) (step, error) {
	s := step{Verb: command.Name(), Text: fmt.Sprint(command)}
	switch c := command.(type) {
	case *instructions.RunCommand:
		s.Args = c.CmdLine
	case *instructions.CopyCommand:
		s.From, s.Args = c.From, append(c.SourcePaths, c.DestPath)
	case *instructions.EnvCommand:
		for _, pair := range c.Env {
			s.Args = append(s.Args, pair.Key, pair.Value)
		}
	case *instructions.ArgCommand:
		for _, pair := range c.Args {
			s.Args = append(s.Args, pair.Key, pair.ValueString())
		}
	case *instructions.WorkdirCommand:
		s.Args = []string{c.Path}
	case *instructions.UserCommand:
		s.Args = []string{c.User}
	case *instructions.EntrypointCommand:
		if c.PrependShell {
			return s, errors.New("the entry point is started by a shell, which the images have not")
		}
		s.Args = c.CmdLine
	default:
		return s, fmt.Errorf("no test follows %v", command)
	}
	return s, nil
}
