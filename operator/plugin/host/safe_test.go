package host_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/host"
	"github.com/stratakube/strata/operator/plugin/internal/launch"
	"github.com/stratakube/strata/operator/plugin/plugintest"
	"github.com/stratakube/strata/operator/plugin/provider"
	providerv1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	providerv2 "github.com/stratakube/strata/operator/plugin/provider/v2"
)

// copied returns a copy of the program, which the test may change.
func copied(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(built.program())
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "copied")
	if err := os.WriteFile(program, data, 0o700); err != nil {
		t.Fatal(err)
	}
	return program
}

func TestProgramIsCheckedAtEveryStart(t *testing.T) {
	locked, err := host.Lock(copied(t))
	if err != nil {
		t.Fatal(err)
	}
	o := options(locked)
	o.Unlocked, o.Plain = false, false
	p := get(t, plugintest.Open(t, o), files)
	first := pid(t, p)
	// The copy is renamed over it, since the file of a running program cannot be written.
	other := filepath.Join(t.TempDir(), "other")
	if err := errors.Join(os.WriteFile(other, []byte("#!/bin/sh\n"), 0o700), os.Rename(other, locked.Path)); err != nil {
		t.Fatal(err)
	}
	if pid(t, p) != first {
		t.Fatal("the process is another")
	}
	_, err = apply(t.Context(), p, "crash")
	contains(t, err, "exit status 5")
	_, err = apply(t.Context(), p, "")
	var changed *launch.ChecksumError
	if !errors.As(err, &changed) || changed.Want != locked.Digest {
		t.Errorf("error = %v, want a ChecksumError", err)
	}
	contains(t, err, "it has been changed")
}

func TestPluginsMustBeLocked(t *testing.T) {
	_, err := host.Open(host.Options{Plugins: []host.Plugin{plugin(), plugin()}, Environment: []string{"["}})
	contains(t, err, built.program()+" is not locked: its SHA-256 is not known", `environment "[": syntax error`)
}

func TestLockedPluginServesItsContracts(t *testing.T) {
	p := plugin("-serve=provider.v1=example.com/files")
	p.Serves = []contract.Served{{ID: contract.ID{Kind: "provider", Number: 2}, Name: files}}
	_, err := observe(t.Context(), get(t, plugintest.Open(t, options(p)), files), "")
	contains(t, err, "it does not serve provider example.com/files v2, as its lock file or an earlier start states")
}

func TestEnvironment(t *testing.T) {
	t.Setenv("STRATA_TEST_SECRET", "x")
	t.Setenv("STRATA_TEST_SHOWN", "x")
	p := plugin()
	p.Env = []string{"OWN=1"}
	o := options(p)
	o.Environment = []string{"*_SHOWN"}
	got, err := observe(t.Context(), get(t, plugintest.Open(t, o), files), "environment")
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(got.GetId())
	isAllowed := map[string]bool{"STRATA_TEST_SHOWN": true, "OWN": true}
	for _, name := range host.Harmless {
		isAllowed[name] = true
	}
	seen := map[string]bool{}
	for _, name := range names {
		seen[name] = true
		if !isAllowed[name] && !strings.HasPrefix(name, "PLUGIN_") && !strings.HasPrefix(name, "STRATA_PLUGIN") {
			t.Errorf("the plugin sees %s", name)
		}
	}
	if !seen["STRATA_TEST_SHOWN"] || !seen["OWN"] || !seen["PATH"] {
		t.Errorf("the plugin sees only %v", names)
	}
}

// TestPluginHasEnvironmentOfItsOwn uses patterns of a plugin, as in a lock file. Those of all
// plugins do not apply to it.
func TestPluginHasEnvironmentOfItsOwn(t *testing.T) {
	t.Setenv("STRATA_TEST_OTHERS", "x")
	t.Setenv("STRATA_TEST_SHOWN", "x")
	for _, patterns := range [][]string{{"*_SHOWN"}, {}} {
		p := plugin()
		p.Environment = patterns
		o := options(p)
		o.Environment = []string{"STRATA_TEST_*"}
		got, err := observe(t.Context(), get(t, plugintest.Open(t, o), files), "environment")
		if err != nil {
			t.Fatal(err)
		}
		if isPassed := strings.Contains(got.GetId(), "STRATA_TEST_SHOWN"); isPassed != (len(patterns) > 0) || strings.Contains(got.GetId(), "STRATA_TEST_OTHERS") {
			t.Errorf("with %q, the plugin sees %s", patterns, got.GetId())
		}
	}
}

func TestMessagesThatAreTooLarge(t *testing.T) {
	o := options(plugin())
	o.MessageLimit = 5 << 20 // more than the default of gRPC, 4 MiB
	p := get(t, plugintest.Open(t, o), files)
	fits := &providerv2.ApplyRequest{Subject: &providerv2.Subject{Resource: &providerv1.Resource{Spec: bytes.Repeat([]byte("x"), 5<<20-100)}}}
	if _, err := p.Apply(t.Context(), fits); err != nil {
		t.Errorf("a message just below the limit: %v", err)
	}
	if _, err := observe(t.Context(), p, "large 5242000"); err != nil {
		t.Errorf("an answer just below the limit: %v", err)
	}
	first := pid(t, p)
	_, err := p.Apply(t.Context(), &providerv2.ApplyRequest{Subject: &providerv2.Subject{Resource: &providerv1.Resource{Spec: bytes.Repeat([]byte("x"), 5<<20)}}})
	var size *contract.SizeError
	if !errors.As(err, &size) || size.What != "request" {
		t.Errorf("error = %v, want a SizeError of the request", err)
	}
	contains(t, err, "the request has 52428", "more than the limit of 5242880")
	_, err = observe(t.Context(), p, "large 6000000")
	if !errors.As(err, &size) || size.What != "answer" {
		t.Errorf("error = %v, want a SizeError of the answer", err)
	}
	contains(t, err, "the answer has 60000", "more than the limit of 5242880")
	if pid(t, p) != first {
		t.Error("the process was not spared")
	}
}

func TestLogsAreForwarded(t *testing.T) {
	var log plugintest.Log
	o := options(plugin())
	o.Log = log.Logger()
	h := plugintest.Open(t, o)
	secret := &providerv1.Resource{
		Type: "log hello", Spec: []byte(`{}`),
		Secrets:     []*providerv1.Secret{{Path: "password", Value: []byte("hunter2")}},
		Credentials: &providerv1.Credentials{Source: "env", Values: map[string][]byte{"key": []byte("hunter2")}},
	}
	out, err := plugintest.Get(t, h, provider.Latest, files, nil).Observe(t.Context(), &providerv2.Subject{Resource: secret})
	if err != nil || out == nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"level=WARN msg=hello plugin=testplugin answer=42", `level=INFO msg="printed hello" plugin=testplugin`, "level=DEBUG msg=request",
	} {
		until(t, func() bool { return strings.Contains(log.String(), want) }, "the log never has %s", want)
	}
	h.Stop(t.Context())
	for _, value := range []string{"hunter2", "aHVudGVyMg"} {
		if strings.Contains(log.String(), value) {
			t.Errorf("the log shows %s:\n%s", value, log.String())
		}
	}
}

// TestSocketsArePrivateAndGone looks for sockets while a plugin runs: only its connection may
// remain.
func TestSocketsArePrivateAndGone(t *testing.T) {
	h := open(t)
	pid(t, get(t, h, files))
	homes, _ := filepath.Glob(filepath.Join(built.sockets, "strata-*"))
	for _, home := range homes {
		if info, err := os.Stat(home); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s has mode %v, %v", home, info.Mode(), err)
		}
		if inside, _ := filepath.Glob(filepath.Join(home, "*")); len(inside) != 1 {
			t.Errorf("%s holds %v, want nothing but the lock of the host", home, inside)
		}
	}
	if len(homes) == 0 {
		t.Error("there is no folder of sockets")
	}
}

func TestLongFolderOfSockets(t *testing.T) {
	o := options(plugin())
	o.Sockets = "/tmp/" + strings.Repeat("x", 60)
	_, err := host.Get(t.Context(), plugintest.Open(t, o), provider.Latest, files, nil)
	contains(t, err, "too long for sockets below it")
}
