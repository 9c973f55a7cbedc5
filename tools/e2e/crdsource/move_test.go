package crdsource_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/programs"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// move has the page on clusters of Azure Service Operator, for the kind of this suite.
type move struct {
	dir    string
	blocks []block
	env    []string
}

// block is a block of text on the page.
type block struct{ language, text string }

// indented finds blocks, which may be within a list.
var indented = regexp.MustCompile("(?ms)^( *)```([a-z]+)\n(.*?)^ *```$")

func readMove(t *testing.T, s *site) move {
	t.Helper()
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(w.Root, "docs", "guide", "howto", "move-from-azure-service-operator.md"))
	if err != nil {
		t.Fatal(err)
	}
	m := move{dir: t.TempDir()}
	for _, found := range indented.FindAllStringSubmatch(string(text), -1) {
		body := strings.ReplaceAll("\n"+found[3], "\n"+found[1], "\n")
		m.blocks = append(m.blocks, block{found[2], strings.NewReplacer(
			"storage.azure.com", s.depots.Spec.Group, "storageaccounts", s.depots.Spec.Names.Plural, "example.com/azure/api", "example.com/goods/api",
			"strata cluster migrate", "strata cluster migrate --server "+s.host,
		).Replace(strings.TrimPrefix(body, "\n"))})
	}
	bin := filepath.Join(m.dir, "bin")
	for name, pkg := range map[string]string{"strata": "./generator/cmd/strata", "strata-cluster": "./operator/cluster/cmd/strata-cluster"} {
		if err := programs.Build(t.Context(), command.In{Dir: w.Root}, filepath.Join(bin, name), pkg); err != nil {
			t.Fatal(err)
		}
	}
	path := strings.Join([]string{bin, filepath.Dir(s.kubectl.Path), os.Getenv("PATH")}, string(os.PathListSeparator))
	m.env = append(s.kubectl.Command(t.Context()).Env, "PATH="+path, "XDG_CACHE_HOME="+filepath.Join(m.dir, "cache"))
	return m
}

// run runs the block of the page that begins with some words, or has them in its first line.
func (m move) run(t *testing.T, words string) {
	t.Helper()
	i := slices.IndexFunc(m.blocks, func(b block) bool { return b.language == "sh" && strings.Contains(b.text, words) })
	if i < 0 {
		t.Fatalf("no command of the page has %q", words)
	}
	m.shell(t, m.blocks[i].text)
}

func (m move) shell(t *testing.T, script string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", script)
	cmd.Dir, cmd.Env = m.dir, m.env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// generates runs the generator with the configuration of the page, on the CRDs that kubectl saved.
// The CRD of the kind must be that of the suite.
func (m move) generates(t *testing.T, want *crds.Kind) {
	t.Helper()
	i := slices.IndexFunc(m.blocks, func(b block) bool { return b.language == "yaml" })
	if err := os.WriteFile(filepath.Join(m.dir, "strata.yaml"), []byte(m.blocks[i].text), 0o600); err != nil {
		t.Fatal(err)
	}
	m.shell(t, "printf 'module example.com/goods\n\ngo 1.26\n' > go.mod\nstrata generate")
	got := crds.Read(t, filepath.Join(m.dir, "api", "crds", want.Name+".yaml"))
	if diff := cmp.Diff(want.Spec.Versions, got.Spec.Versions); diff != "" {
		t.Errorf("the CRD of what kubectl saved is another one (-want +got):\n%s", diff)
	}
	if got.Hub != want.Hub {
		t.Errorf("the hub is %s, want %s", got.Hub, want.Hub)
	}
}

// scales creates the Deployment of the other operator, and stops it as the page says.
func (m move) scales(t *testing.T, s *site) {
	t.Helper()
	const namespace, name = "azureserviceoperator-system", "azureserviceoperator-controller-manager"
	create := func(resource schema.GroupVersionResource, in string, object map[string]any) {
		shared.Must(t)(s.client.Resource(resource).Namespace(in).Create(t.Context(), &unstructured.Unstructured{Object: object}, metav1.CreateOptions{}))
	}
	create(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, "", object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": namespace}})
	deployments, labels := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}, object{"app": name}
	create(deployments, namespace, object{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": object{"name": name},
		"spec": object{"replicas": int64(2), "selector": object{"matchLabels": labels}, "template": object{
			"metadata": object{"labels": labels}, "spec": object{"containers": []any{object{"name": "manager", "image": "example.com/manager"}}},
		}},
	})
	m.run(t, "kubectl -n "+namespace+" scale")
	got := shared.Must(t)(s.client.Resource(deployments).Namespace(namespace).Get(t.Context(), name, metav1.GetOptions{}))
	if n, _, _ := unstructured.NestedInt64(got.Object, "spec", "replicas"); n != 0 {
		t.Errorf("%d replicas of the operator run", n)
	}
}

func (m move) hasBackup(t *testing.T, names ...string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(m.dir, "backup.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.Contains(string(text), fmt.Sprintf("name: %s\n", name)) {
			t.Errorf("the backup lacks %s", name)
		}
	}
}

// storedIn returns the version in which etcd has an object.
func (m move) storedIn(t *testing.T, namespace, name string) string {
	t.Helper()
	text, err := shared.Of(t).Stored(t.Context(), "/registry/goods.azure.com/depots/"+namespace+"/"+name)
	if err != nil {
		t.Fatal(err)
	}
	var stored struct{ APIVersion string }
	if err := json.Unmarshal(text, &stored); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return strings.TrimPrefix(stored.APIVersion, "goods.azure.com/")
}

// storedVersions returns the versions in which objects of the kind may be stored.
func (m move) storedVersions(t *testing.T, s *site) []string {
	t.Helper()
	got := shared.Must(t)(s.client.Resource(crds.Definitions).Get(t.Context(), s.depots.Name, metav1.GetOptions{}))
	versions, _, err := unstructured.NestedStringSlice(got.Object, "status", "storedVersions")
	if err != nil {
		t.Fatal(err)
	}
	return versions
}
