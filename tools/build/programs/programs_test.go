package programs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/programs"
)

const module = `
-- go.mod --
module example.com/m
go 1.26.0
-- cmd/hello/main.go --
package main
import ("fmt"; "os"; "time")
var greeting = "hello"
func main() { fmt.Print(greeting, os.Args[1:]); if len(os.Args) == 1 { time.Sleep(time.Minute) } }
-- cmd/broken/main.go --
package main
func main() { undefined() }
`

func TestBuild(t *testing.T) {
	tests := []struct {
		reason, path string
		pkg          string
		flags        []string
		want         string // what the program prints, or what the error contains
		fails        bool
	}{
		{reason: "the program is written, and not started", pkg: "./cmd/hello", want: "hello[a]"},
		{reason: "flags are those of go build", pkg: "./cmd/hello", flags: []string{"-ldflags=-X main.greeting=bye"}, want: "bye[a]"},
		{reason: "without cp", path: "go", pkg: "./cmd/hello", flags: []string{"-trimpath"}, want: "hello[a]"},
		{reason: "the error has the message of the compiler", pkg: "./cmd/broken", want: "main.go:2:15: undefined: undefined", fails: true},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			root, file := extract(t), filepath.Join(t.TempDir(), "new", "program")
			if test.path != "" {
				onlyGo(t)
			}
			err := programs.Build(t.Context(), command.In{Dir: root, Env: []string{"GOWORK=off"}}, file, test.pkg, test.flags...)
			if test.fails {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("error = %v, want it to contain %q", err, test.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(file, "a").CombinedOutput(); string(out) != test.want {
				t.Errorf("the program prints %q (%v), want %q", out, err, test.want)
			}
		})
	}
}

// TestProgramThatRunsIsReplaced starts a program and builds it again to its file, by each command.
func TestProgramThatRunsIsReplaced(t *testing.T) {
	for _, without := range []string{"", "cp"} {
		t.Run("without "+without, func(t *testing.T) {
			root, dir := extract(t), t.TempDir()
			file := filepath.Join(dir, "program")
			if without != "" {
				onlyGo(t)
			}
			build := func(flags ...string) {
				t.Helper()
				in := command.In{Dir: root, Env: []string{"GOWORK=off"}}
				if err := programs.Build(t.Context(), in, file, "./cmd/hello", flags...); err != nil {
					t.Fatal(err)
				}
			}
			build()
			running := exec.Command(file)
			if err := running.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _, _ = running.Process.Kill(), running.Wait() }()
			build("-ldflags=-X main.greeting=bye")
			if out, err := exec.Command(file, "a").CombinedOutput(); string(out) != "bye[a]" {
				t.Errorf("the new program prints %q (%v), want bye[a]", out, err)
			}
			if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
				t.Errorf("the folder has %v (error %v), want the program alone", entries, err)
			}
		})
	}
}

// TestProgramIsLinkedOnce counts the calls of the linker.
func TestProgramIsLinkedOnce(t *testing.T) {
	root, linked := extract(t), filepath.Join(t.TempDir(), "linked")
	tool := filepath.Join(t.TempDir(), "tool")
	script := "#!/bin/sh\ncase \"$1 $2\" in\n*/link\\ -o) echo once >> '" + linked + "' ;;\nesac\nexec \"$@\"\n"
	if err := os.WriteFile(tool, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	version := "-ldflags=-X main.greeting=" + root // of this run only
	for range 2 {
		file := filepath.Join(t.TempDir(), "program")
		if err := programs.Build(t.Context(), command.In{Dir: root, Env: []string{"GOWORK=off"}}, file, "./cmd/hello", "-toolexec="+tool, version); err != nil {
			t.Fatal(err)
		}
	}
	if times, err := os.ReadFile(linked); err != nil || string(times) != "once\n" {
		t.Errorf("the linker ran %d times (%v), want once", strings.Count(string(times), "\n"), err)
	}
}

// onlyGo makes go the only program that can be found.
func onlyGo(t *testing.T) {
	t.Helper()
	program, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := os.Symlink(program, filepath.Join(bin, "go")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
}

func extract(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := txtar.Write(txtar.Parse([]byte(module)), root); err != nil {
		t.Fatal(err)
	}
	return root
}
