package install

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apix "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/testcluster/apiserver"
	"github.com/stratakube/strata/tools/testcluster/kubectl"
	"github.com/stratakube/strata/tools/testcluster/process"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

const namespace = "strata-system"

// site is a cluster with a copy of the generated files, and the webhook as a process.
type site struct {
	*apiserver.Cluster
	dir     string // the copy
	group   *process.Group
	process *env.Webhook
}

func newSite(t *testing.T) *site {
	t.Helper()
	if testing.Short() {
		t.Skip("short: does without an API server")
	}
	s := &site{dir: packages(t)}
	var err error
	if s.Cluster, err = apiserver.Start(t.Context(), apiserver.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { check(t, s.Stop()) })
	if s.group, err = process.Open("strata-install-"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { check(t, s.group.Close()) })
	return s
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// webhook applies what brings the webhook, and starts it for the first time.
func (s *site) webhook(t *testing.T) {
	t.Helper()
	for _, name := range []string{"namespace.yaml", "webhook.yaml"} {
		s.kubectl(t, "", "apply", "--server-side", "-f", filepath.Join(s.dir, "config", name))
	}
	if s.process == nil {
		s.starts(t)
	}
}

// starts starts the webhook as its pod would be started, since no pods run, and lets the service
// lead to it.
func (s *site) starts(t *testing.T) {
	t.Helper()
	file, err := env.BuildWebhook(t.Context(), s.group.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if s.process, err = env.StartWebhook(t.Context(), s.group, file, s.flags(t)...); err != nil {
		t.Fatal(err)
	}
	s.expose(t)
	s.lead(t)
}

// expose lets the service lead to this machine, where the webhook's process is.
func (s *site) expose(t *testing.T) {
	t.Helper()
	s.kubectl(t, "", "patch", "service", "strata-webhook", "-n", namespace, "--type=merge", "-p", `{"spec":{"type":"ExternalName","externalName":"localhost","clusterIP":null,"clusterIPs":null}}`)
}

// flags are those that the webhook's pod would be started with, with the rights that it would have.
func (s *site) flags(t *testing.T) []string {
	t.Helper()
	arguments := s.kubectl(t, "", "get", "deployment", "strata-webhook", "-n", namespace, "-o", `jsonpath={range .spec.template.spec.containers[0].args[*]}{@}{"\n"}{end}`)
	return append(strings.Fields(arguments), "--kubeconfig="+s.as(t, "strata-webhook").Kubeconfig)
}

// lead makes the definitions name the port of the process: a service of type ExternalName maps
// none.
func (s *site) lead(t *testing.T) {
	t.Helper()
	_, port, err := net.SplitHostPort(s.process.Conversions)
	if err != nil {
		t.Fatal(err)
	}
	s.rewrite(t, "port: 443\n", "port: "+port+"\n")
}

func (s *site) rewrite(t *testing.T, old, now string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.dir, "crds", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no definitions: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(text), old) != 1 {
			t.Fatalf("%s does not have %q once", file, old)
		}
		if err := os.WriteFile(file, []byte(strings.Replace(string(text), old, now, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// ready waits for the webhook, as `kubectl rollout status` does.
func (s *site) ready(t *testing.T) {
	t.Helper()
	if err := s.process.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// only is the definition of persons with some versions, of which the last is stored.
func (s *site) only(t *testing.T, strategy apix.ConversionStrategyType, versions ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, "crds", "persons.crm.example.com.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var crd apix.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(text, &crd); err != nil {
		t.Fatal(err)
	}
	crd.Spec.Versions = slices.DeleteFunc(crd.Spec.Versions, func(v apix.CustomResourceDefinitionVersion) bool { return !slices.Contains(versions, v.Name) })
	for i := range crd.Spec.Versions {
		crd.Spec.Versions[i].Storage = crd.Spec.Versions[i].Name == versions[len(versions)-1]
	}
	if strategy == apix.NoneConverter {
		crd.Spec.Conversion = &apix.CustomResourceConversion{Strategy: strategy}
	}
	out, err := yaml.Marshal(map[string]any{"apiVersion": crd.APIVersion, "kind": crd.Kind, "metadata": map[string]any{"name": crd.Name}, "spec": crd.Spec})
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// as is kubectl as a service account of the package's namespace.
func (s *site) as(t *testing.T, account string) kubectl.Client {
	t.Helper()
	user, err := s.User("system:serviceaccount:"+namespace+":"+account, "system:serviceaccounts", "system:serviceaccounts:"+namespace, "system:authenticated")
	if err != nil {
		t.Fatal(err)
	}
	client, err := s.KubectlAs(user)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// kubectl calls kubectl as the administrator, which must succeed.
func (s *site) kubectl(t *testing.T, input string, args ...string) string {
	t.Helper()
	out, _, err := s.Kubectl().Run(t.Context(), input, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// eventually calls kubectl until it succeeds: an API server takes a moment to serve a new CRD.
func (s *site) eventually(t *testing.T, input string, args ...string) (out string) {
	t.Helper()
	shared.Eventually(t, crds.Patience, "kubectl "+strings.Join(args, " "), func() (err error) {
		out, _, err = s.Kubectl().Run(t.Context(), input, args...)
		return err
	})
	return out
}
