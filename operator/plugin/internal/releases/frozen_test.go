package releases_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/stratakube/strata/operator/plugin/internal/releases"
	"github.com/stratakube/strata/operator/plugin/plugintest"
	"github.com/stratakube/strata/operator/plugin/provider"
	providerv1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	providerv2 "github.com/stratakube/strata/operator/plugin/provider/v2"
)

// TestPluginsOfReleases uses the plugin of each release with today's host in two forms: as it was
// built then, with its framework, and its source built with today's framework.
func TestPluginsOfReleases(t *testing.T) {
	if testing.Short() {
		t.Skip("short: builds the framework of each release")
	}
	for _, r := range read(t) {
		archive, err := txtar.ParseFile(filepath.Join(folder, r.Release, releases.FrameworkFile))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(r.Release+" frozen", func(t *testing.T) { use(t, frozen(t, archive)) })
		t.Run(r.Release+" source", func(t *testing.T) { use(t, source(t, archive)) })
	}
}

// frozen builds the plugin with the framework of its release.
func frozen(t *testing.T, archive *txtar.Archive) string {
	dir := t.TempDir()
	if err := txtar.Write(archive, dir); err != nil {
		t.Fatal(err)
	}
	return build(t, dir, "./"+releases.Example, "GOWORK=off")
}

// source builds the source of the plugin with today's framework, as an overlay of the module.
func source(t *testing.T, archive *txtar.Archive) string {
	i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == releases.Example+"/main.go" })
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, archive.Files[i].Data, 0o600); err != nil {
		t.Fatal(err)
	}
	return build(t, ".", file)
}

func build(t *testing.T, dir, pkg string, env ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "plugin")
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", program, pkg)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return program
}

// use creates, observes and deletes a resource.
func use(t *testing.T, program string) {
	h := plugintest.Process(t, program)
	out := t.TempDir()
	p := plugintest.Get(t, h, provider.Latest, "example.com/files", map[string]string{"folder": out})
	r := &providerv1.Resource{Place: &providerv1.Place{Name: "a"}, Spec: []byte(`{"size":1}`)}

	if _, err := p.Apply(t.Context(), &providerv2.ApplyRequest{Subject: &providerv2.Subject{Resource: r}}); err != nil {
		t.Fatal(err)
	}
	if written, err := os.ReadFile(filepath.Join(out, "a")); err != nil || string(written) != `{"size":1}` {
		t.Errorf("the outside has %s, %v", written, err)
	}
	got, err := p.Observe(t.Context(), &providerv2.Subject{Resource: r})
	if err != nil || !got.GetObservation().GetExists() || string(got.GetObservation().GetStatus()) != `{"size":1}` {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := p.Delete(t.Context(), &providerv2.Subject{Resource: r}); err != nil {
		t.Error(err)
	}
	if got, err := p.Observe(t.Context(), &providerv2.Subject{Resource: r}); err != nil || got.GetObservation().GetExists() {
		t.Errorf("after Delete, got %v, %v", got, err)
	}
	wrong := plugintest.Get(t, h, provider.Latest, "example.com/files", nil)
	if _, err := wrong.Observe(t.Context(), &providerv2.Subject{Resource: r}); err == nil {
		t.Error("the plugin has no folder and does not say so")
	}
}
