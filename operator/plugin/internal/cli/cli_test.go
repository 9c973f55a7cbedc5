package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/operator/plugin/internal/cli"
	"github.com/stratakube/strata/operator/plugin/internal/commandline"
	"github.com/stratakube/strata/operator/plugin/lock"
	"github.com/stratakube/strata/operator/plugin/plugintest"
)

// run runs a command line and fails the test if the exit code differs.
func run(t *testing.T, code int, args ...string) (out, messages string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if got := cli.Program.Run(t.Context(), args, commandline.Streams{Out: &stdout, Err: &stderr}); got != code {
		t.Errorf("strata plugin %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, code, stdout.String(), stderr.String())
	}
	return stdout.String(), stderr.String()
}

// want fails the test if a text lacks a part.
func want(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q lacks %q", text, part)
		}
	}
}

// TestLockedFolder runs all commands on a folder of plugins.
func TestLockedFolder(t *testing.T) {
	if os.Getenv("STRATA_LONG") == "" && os.Getenv("STRATA_SOAK") == "" {
		t.Skip("needs STRATA_LONG=1: builds plugins")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "files")
	if err := os.Rename(plugintest.Build(t, "../../example/files"), program); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "README"), nil, 0o600); err != nil {
		t.Fatal(err)
	}

	_, messages := run(t, commandline.Findings, "verify", "--dir", dir)
	want(t, messages, "strata plugin: error: strata-plugins.lock does not exist: write it with --write")
	run(t, commandline.Done, "verify", "--dir", dir, "--write")
	out, _ := run(t, commandline.Done, "verify", "--dir="+dir)
	want(t, out, "plugins that match strata-plugins.lock and work: 1")

	run(t, commandline.Done, "verify", "--write", dir)
	out, _ = run(t, commandline.Done, "verify", dir)
	want(t, out, "plugins that match strata-plugins.lock and work: 1")
	_, messages = run(t, commandline.Failed, "verify", dir, "other")
	want(t, messages, "want one folder")
	_, messages = run(t, commandline.Failed, "verify", "--dir", dir, "other")
	want(t, messages, "--dir names the folder")

	_, messages = run(t, commandline.Failed, "verify", "--dir", dir, "--environment=files=AZURE_*")
	want(t, messages, "--environment is for --write")
	_, messages = run(t, commandline.Failed, "verify", "--dir", dir, "--write", "--environment=file=AZURE_*")
	want(t, messages, "no plugin is called file")
	run(t, commandline.Done, "verify", "--dir", dir, "--write", "--environment=files=AZURE_*", "--environment=files=OTHER")
	run(t, commandline.Done, "verify", "--dir", dir, "--write") // which preserves them
	file, err := lock.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(file.Plugins[0].Environment, " "); got != "AZURE_* OTHER" {
		t.Errorf("the plugin gets %q", got)
	}
	out, _ = run(t, commandline.Done, "list", "--dir", dir)
	digest := file.Plugins[0].SHA256
	table := "KIND      NAME               VERSION  USED     SHA-256       PROGRAM\n" +
		"provider  example.com/files  v1       adapted  " + digest[:12] + "  files\n"
	if out != table {
		t.Errorf("got\n%swant\n%s", out, table)
	}
	out, _ = run(t, commandline.Done, "list", "-o", "json", "--dir", dir)
	var rows []map[string]any
	if err := json.Unmarshal([]byte(out), &rows); err != nil || len(rows) != 1 || rows[0]["digest"] != digest || rows[0]["adapted"] != true {
		t.Errorf("got %s, %v", out, err)
	}

	change(t, program)
	_, messages = run(t, commandline.Findings, "verify", "--dir", dir)
	want(t, messages, "files has the SHA-256 ", "but "+digest+" is locked")
	if err := os.Rename(program, filepath.Join(dir, "other")); err != nil {
		t.Fatal(err)
	}
	_, messages = run(t, commandline.Findings, "verify", "--dir", dir)
	want(t, messages, "error: files is locked, but not there or not good\n", "error: other is not locked\n")
	if err := os.WriteFile(filepath.Join(dir, "other"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, messages = run(t, commandline.Findings, "verify", "--dir", dir, "--write")
	want(t, messages, "start plugin "+filepath.Join(dir, "other")+": it ended before the handshake")
}

// change appends to a program without affecting how it runs.
func change(t *testing.T, program string) {
	t.Helper()
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, append(data, 0), 0o700); err != nil {
		t.Fatal(err)
	}
}

func TestUsage(t *testing.T) {
	tests := []struct {
		reason string
		code   int
		args   []string
		out    string
		err    string
	}{
		{"help", commandline.Done, nil, "strata plugin verify [DIR] [--write [--environment FILE=PATTERN]]", ""},
		{"help for a command", commandline.Done, []string{"list", "--help"}, "usage: strata plugin list [DIR] [-o table|json]", ""},
		{"no such command", commandline.Failed, []string{"lst"}, "", "unknown command \"lst\"\nstrata plugin: hint: there are new, list, verify"},
		{"no such flag", commandline.Failed, []string{"list", "--all"}, "", "flag provided but not defined: -all"},
		{"no such format", commandline.Failed, []string{"list", "-o", "xml"}, "", "-o xml: want table or json"},
		{"a word too many", commandline.Failed, []string{"list", "--dir", ".", "x"}, "", `unexpected "x"`},
		{"no such folder", commandline.Failed, []string{"verify", "--dir", "nowhere"}, "", "there is no folder nowhere; name the folder"},
		{"no such folder to list", commandline.Failed, []string{"list", "nowhere"}, "", "there is no folder nowhere; name the folder"},
		{"a file", commandline.Failed, []string{"list", "cli_test.go"}, "", "cli_test.go is a file; name the folder"},
		{"no name", commandline.Failed, []string{"new"}, "", "want one name for the plugin"},
		{"a bad name", commandline.Failed, []string{"new", "Files!"}, "", `"Files!" is not the name of a plugin`},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			out, messages := run(t, test.code, test.args...)
			want(t, out, test.out)
			want(t, messages, test.err)
		})
	}
}

// TestNew writes the template and runs its own tests, built with this checkout.
func TestNew(t *testing.T) {
	if os.Getenv("STRATA_LONG") == "" && os.Getenv("STRATA_SOAK") == "" {
		t.Skip("needs STRATA_LONG=1: builds a plugin")
	}
	dir := filepath.Join(t.TempDir(), "blobs")
	out, _ := run(t, commandline.Done, "new", "example.org/blobs", "--dir", dir)
	want(t, out, "cd "+dir)
	_, messages := run(t, commandline.Failed, "new", "example.org/blobs", "--dir", dir)
	want(t, messages, " is there already")
	if testing.Short() {
		t.Skip("short: builds the template")
	}
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(module, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	requirements, err := os.ReadFile(filepath.Join(module, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	// go mod tidy would find these requirements, but needs the network: they are those of this
	// module.
	mod := strings.Replace(string(requirements), "module github.com/stratakube/strata/operator/plugin", "module example.org/blobs", 1) +
		"\nrequire github.com/stratakube/strata/operator/plugin v0.0.0\n\nreplace github.com/stratakube/strata/operator/plugin => " + module + "\n"
	for name, text := range map[string]string{"go.mod": mod, "go.sum": string(sums)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "test", "./...")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
