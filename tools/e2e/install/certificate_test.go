package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/testcluster/ca"
	"github.com/stratakube/strata/tools/testcluster/process"
)

// TestCertManager generates the package for cert-manager, and starts the webhook as that package
// does, with the certificate where the package mounts it.
func TestCertManager(t *testing.T) {
	if testing.Short() {
		t.Skip("short: builds two commands")
	}
	pod := deployment(t, generated(t, "certificates: cert-manager")).Spec.Template.Spec
	mount := pod.Containers[0].VolumeMounts[0]
	if secret := pod.Volumes[0].Secret; pod.Volumes[0].Name != mount.Name || secret == nil || secret.SecretName != "strata-webhook-serving" {
		t.Errorf("%+v is mounted, of %+v", mount, pod.Volumes)
	}
	group, err := process.Open("strata-install-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { check(t, group.Close()) })
	by, err := ca.New("cert-manager")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := by.WriteServer(filepath.Join(group.Dir, "tls.crt"), filepath.Join(group.Dir, "tls.key")); err != nil {
		t.Fatal(err)
	}
	var flags []string
	for _, argument := range pod.Containers[0].Args {
		flags = append(flags, strings.Replace(argument, mount.MountPath+"/", group.Dir+"/", 1))
	}
	file, err := env.BuildWebhook(t.Context(), group.Dir)
	if err != nil {
		t.Fatal(err)
	}
	w, err := env.StartWebhook(t.Context(), group, file, flags...)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// generated generates the worked example in a folder of its own, with something else in its
// install, and returns the folder of its packages.
func generated(t *testing.T, install string) string {
	t.Helper()
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"schemas/crm", "operator/api"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join(w.Root, name))); err != nil {
			t.Fatal(err)
		}
	}
	config := filepath.Join(dir, "schemas", "crm", "strata.yaml")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "install: {", "install: {"+install+", ", 1)
	if key, _, _ := strings.Cut(install, ":"); key == "operator" {
		changed = strings.Replace(changed, ", operator: true}", "}", 1)
	}
	if err := os.WriteFile(config, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (command.In{Dir: w.Root}).Output(t.Context(), "go", "run", "./generator/cmd/strata", "generate", "--config", config); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "operator", "api")
}

// deployment is that of the webhook in a folder of packages, as Kustomize builds them.
func deployment(t *testing.T, dir string) (d appsv1.Deployment) {
	t.Helper()
	for document := range strings.SplitSeq(kustomize(t, filepath.Join(dir, "config")), "\n---\n") {
		if strings.Contains(document, "\nkind: Deployment\n") && strings.Contains(document, "\n  name: strata-webhook\n") {
			if err := yaml.UnmarshalStrict([]byte(document), &d); err != nil {
				t.Fatal(err)
			}
			return d
		}
	}
	t.Fatal("the package has no deployment")
	return d
}
