package releases_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stratakube/strata/operator/plugin/internal/releases"
	"github.com/stratakube/strata/operator/plugin/plugintest"
	"github.com/stratakube/strata/operator/plugin/provider"
	providerv1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	providerv2 "github.com/stratakube/strata/operator/plugin/provider/v2"
	"github.com/stratakube/strata/operator/plugin/releasetest"
)

// TestPluginsOfReleases uses the plugin of each release with the present host. The plugin has two
// forms: built with its own framework, and its source built with the present framework.
func TestPluginsOfReleases(t *testing.T) {
	if os.Getenv("STRATA_LONG") == "" && os.Getenv("STRATA_SOAK") == "" {
		t.Skip("needs STRATA_LONG=1: builds the framework of each release")
	}
	const record = "../../" + releases.Folder
	for _, r := range releasetest.Releases(t, record) {
		t.Run(r.Name+" frozen", func(t *testing.T) { use(t, r.Build(t)) })
		t.Run(r.Name+" source", func(t *testing.T) {
			dir := t.TempDir()
			program, err := releases.Unpack(record, r.Name, dir)
			if err != nil {
				t.Fatal(err)
			}
			use(t, plugintest.Build(t, filepath.Join(dir, program, "main.go"))) // with the packages of this module
		})
	}
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
