package install

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/stratakube/strata/tools/build/modules"
)

// kustomize builds a folder by the library of Kustomize, as its program, Flux and Argo CD do. It
// reads files of the folder only, and of the folders that its kustomization names.
func kustomize(t *testing.T, dir string) string {
	t.Helper()
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := built.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestKustomize builds the packages by the library of Kustomize. The result has the manifests of
// all files, as they are written.
func TestKustomize(t *testing.T) {
	dir := packages(t)
	for folder, patterns := range map[string][]string{
		".":      {"crds/*.yaml", "config/[^k]*.yaml"},
		"config": {"config/[^k]*.yaml"},
	} {
		want := map[string]map[string]any{}
		for _, pattern := range patterns {
			files, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
			if err != nil || len(files) < 3 {
				t.Fatalf("%s: %q, %v", pattern, files, err)
			}
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				for name, o := range objects(t, string(text)) {
					want[name] = o
				}
			}
		}
		got := objects(t, kustomize(t, filepath.Join(dir, folder)))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-files +kustomize):\n%s", folder, diff)
		}
	}
}

// kubectlBuildsTheSame builds the package by kubectl, which has a library of Kustomize of its own.
func (s *site) kubectlBuildsTheSame(t *testing.T) {
	library, own := objects(t, kustomize(t, s.dir)), objects(t, s.kubectl(t, "", "kustomize", s.dir))
	if diff := cmp.Diff(library, own); diff != "" {
		t.Errorf("(-library +kubectl):\n%s", diff)
	}
}

// TestOverlay sets images, replicas and providers by an overlay: the one of the guide, with what it
// says that can be patched.
func TestOverlay(t *testing.T) {
	dir := packages(t)
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(w.Root, "docs", "guide", "howto", "install-the-crds.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "```yaml\napiVersion: kustomize.config.k8s.io/")
	text, _, _ = strings.Cut("apiVersion: kustomize.config.k8s.io/"+text, "```")
	const ofGuide = "resources: [../api/config]\nimages:\n"
	if strings.Count(text, ofGuide) != 1 {
		t.Fatalf("the overlay of the guide is\n%s", text)
	}
	const digest = "sha256:55c68a9981525642d1d39808c067eb10ec4335747e7d9fd220af3b4c12267392"
	text = strings.Replace(text, ofGuide, "resources: [../config]\nimages:\n- {name: strata-operator, newName: registry.example.com/crm-operator, digest: \""+digest+"\"}\n", 1) +
		"patches:\n- patch: |\n    apiVersion: v1\n    kind: ConfigMap\n    metadata: {name: strata-operator-providers, namespace: strata-system}\n    data: {providers.yaml: 'providers: []'}\n"
	overlay := filepath.Join(dir, "overlay")
	if err := os.Mkdir(overlay, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(overlay, "kustomization.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	base, changed := objects(t, kustomize(t, filepath.Join(dir, "config"))), objects(t, kustomize(t, overlay))
	got := map[string]string{}
	for name, o := range changed {
		if cmp.Equal(base[name], o) {
			continue
		}
		switch o["kind"] {
		case "Deployment":
			spec := o["spec"].(map[string]any)
			pod := spec["template"].(map[string]any)["spec"].(map[string]any)
			got[name] = fmt.Sprint(spec["replicas"], " ", pod["containers"].([]any)[0].(map[string]any)["image"])
		default:
			got[name] = fmt.Sprint(o["data"])
		}
	}
	want := map[string]string{
		"Deployment/strata-webhook":           "3 registry.example.com/crm-webhook:v1",
		"Deployment/strata-operator":          "2 registry.example.com/crm-operator@" + digest,
		"ConfigMap/strata-operator-providers": "map[providers.yaml:map[providers:[]]]",
	}
	if diff := cmp.Diff(want, got); diff != "" || len(changed) != len(base) {
		t.Errorf("the overlay changes (-want +got):\n%s", diff)
	}
}

// packages copies the packages of the worked example into a folder of its own.
func packages(t *testing.T) string {
	t.Helper()
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	api, err := w.Module("operator/api")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(api.Dir)); err != nil {
		t.Fatal(err)
	}
	return dir
}
