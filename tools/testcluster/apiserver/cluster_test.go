//go:build unix

package apiserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stratakube/strata/tools/testcluster/apiserver"
	"github.com/stratakube/strata/tools/testcluster/await"
	"github.com/stratakube/strata/tools/testcluster/binaries"
	"github.com/stratakube/strata/tools/testcluster/kubectl"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

func TestMain(m *testing.M) { shared.Main(m) }

const widgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {size: {type: integer}}}
`

const widget = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"one","namespace":"%s"},"spec":{"size":1}}`

func TestProgramsAreOfPinnedVersion(t *testing.T) {
	if os.Getenv(binaries.Variable) != "" {
		t.Skipf("needs built programs: %s names others", binaries.Variable)
	}
	type version struct {
		GitVersion, Major, Minor string
	}
	var got struct{ ClientVersion, ServerVersion version }
	if err := json.Unmarshal([]byte(run(t, shared.Of(t).Kubectl(), "", "version", "-o", "json")), &got); err != nil {
		t.Fatal(err)
	}
	want := version{"v1.37.1", "1", "37"}
	if got.ClientVersion != want || got.ServerVersion != want {
		t.Errorf("kubectl and the server are %v, want %v", got, want)
	}
}

func TestPathsThatClusterServes(t *testing.T) {
	c := shared.Of(t)
	client, err := rest.HTTPClientFor(c.Config)
	if err != nil {
		t.Fatal(err)
	}
	const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	tests := []struct{ reason, path, accept, want string }{
		{"policies refuse", "/apis/admissionregistration.k8s.io/v1", "*/*", `"kind":"ValidatingAdmissionPolicy"`},
		{"policies mend", "/apis/admissionregistration.k8s.io/v1", "*/*", `"kind":"MutatingAdmissionPolicy"`},
		{"clients learn everything at once", "/apis", aggregated, `"kind":"APIGroupDiscoveryList"`},
		{"schemas can be read", "/openapi/v3", "*/*", `"apis/apiextensions.k8s.io/v1"`},
		{"there are the usual namespaces", "/api/v1/namespaces/kube-system", "*/*", `"phase":"Active"`},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.Config.Host+test.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Accept", test.accept)
			response, err := client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if text, err := io.ReadAll(response.Body); err != nil || !bytes.Contains(text, []byte(test.want)) {
				t.Errorf("%s does not hold %s (%v):\n%.2000s", test.path, test.want, err, text)
			}
		})
	}
}

// TestObjectsOfACRD goes through kubectl, and then past the server.
func TestObjectsOfACRD(t *testing.T) {
	c := shared.Of(t)
	k := c.Kubectl()
	shop := fmt.Sprintf("shop-%d", time.Now().UnixNano())
	run(t, k, "", "create", "namespace", shop)
	run(t, k, widgets, "apply", "--server-side", "-f", "-")
	run(t, k, "", "wait", "--for=condition=Established", "crd/widgets.example.com", "--timeout=60s")
	served(t, k)
	run(t, k, fmt.Sprintf(widget, shop), "apply", "--server-side", "-f", "-")

	key := "/registry/example.com/widgets/" + shop + "/one"
	stored, err := c.Stored(t.Context(), key)
	if err != nil || !strings.Contains(string(stored), `"size":1`) {
		t.Fatalf("etcd holds %q (%v)", stored, err)
	}
	wrong := strings.Replace(string(stored), `"size":1`, `"size":"past the server"`, 1)
	if err := c.Store(t.Context(), key, []byte(wrong)); err != nil {
		t.Fatal(err)
	}
	if size := run(t, k, "", "get", "widget", "one", "-n", shop, "-o", "jsonpath={.spec.size}"); size != "past the server" {
		t.Errorf("the server says that the size is %q", size)
	}
	if none, err := c.Stored(t.Context(), key+"-more"); none != nil || err != nil {
		t.Errorf("etcd holds %q (%v) where there is nothing", none, err)
	}

	many := map[string][]byte{} // too many for one transaction, and too large
	for i := range 300 {
		name := fmt.Sprintf("copy-%d", i)
		copied := strings.ReplaceAll(string(stored), `"name":"one"`, `"name":"`+name+`","labels":{"copied":"yes"},"annotations":{"long":"`+strings.Repeat("x", 10_000)+`"}`)
		many[strings.TrimSuffix(key, "one")+name] = []byte(copied)
	}
	if err := c.StoreAll(t.Context(), many); err != nil {
		t.Fatal(err)
	}
	err = await.Success(t.Context(), time.Minute, func() error {
		names := run(t, k, "", "get", "widgets", "-n", shop, "-l", "copied=yes", "-o", "jsonpath={.items[*].metadata.name}")
		if n := len(strings.Fields(names)); n != len(many) {
			return fmt.Errorf("the server has %d of %d copies", n, len(many))
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestRolesOfUser(t *testing.T) {
	c := shared.Of(t)
	readers := fmt.Sprintf("readers-%d", time.Now().UnixNano())
	config, err := c.User("ann", readers)
	if err != nil {
		t.Fatal(err)
	}
	ann, err := c.KubectlAs(config)
	if err != nil {
		t.Fatal(err)
	}
	_, stderr, err := ann.Run(t.Context(), "", "get", "configmaps")
	if err == nil || !strings.Contains(stderr, `User "ann" cannot list resource "configmaps"`) {
		t.Errorf("without a role: %v", err)
	}
	run(t, c.Kubectl(), "", "create", "clusterrole", readers, "--verb=list", "--resource=configmaps")
	run(t, c.Kubectl(), "", "create", "clusterrolebinding", readers, "--clusterrole="+readers, "--group="+readers)
	for range 100 { // the server's authorizer learns of roles by watching
		if _, _, err = ann.Run(t.Context(), "", "get", "configmaps"); err == nil {
			break
		}
	}
	if err != nil {
		t.Errorf("with a role: %v", err)
	}
}

func TestOnlyThisUserCanReadKubeconfig(t *testing.T) {
	file := shared.Of(t).Kubeconfig
	for path, want := range map[string]fs.FileMode{file: 0o600, filepath.Dir(file): 0o700 | fs.ModeDir} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s is %v (%v), want %v", path, info.Mode(), err, want)
		}
	}
}

func TestStoppedClustersLeaveNoFiles(t *testing.T) {
	shared.Of(t) // one that goes on, beside the one that is stopped
	c, err := apiserver.Start(t.Context(), apiserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run(t, c.Kubectl(), "", "create", "namespace", "shop")
	for range 2 {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	}
	mustBeGone(t, remains{filepath.Dir(c.Kubeconfig), c.Processes()})
}

func TestRestartedServerHasItsState(t *testing.T) {
	if testing.Short() {
		t.Skip("short: does without an API server")
	}
	c, err := apiserver.Start(t.Context(), apiserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	}()
	run(t, c.Kubectl(), "", "create", "namespace", "kept")
	before := c.Processes()[0]
	if err := c.RestartServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if before.Runs() || before == c.Processes()[0] {
		t.Error("the server is the same process")
	}
	run(t, c.Kubectl(), "", "get", "namespace", "kept")
}

func TestClusterThatDoesNotStart(t *testing.T) {
	if testing.Short() {
		t.Skip("short: does without an API server")
	}
	logs := t.TempDir()
	_, err := apiserver.Start(t.Context(), apiserver.Options{Logs: logs, Flags: []string{"--feature-gates=Nonsense=true"}})
	if err == nil || !strings.Contains(err.Error(), "Nonsense") {
		t.Errorf("error = %v, want what the server says", err)
	}
	if _, err := os.Stat(filepath.Join(logs, "kube-apiserver.log")); err != nil {
		t.Error(err)
	}
}

func TestStartIsGivenUp(t *testing.T) {
	if testing.Short() {
		t.Skip("short: does without an API server")
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	programs, err := binaries.Build(ctx, func(string) {}, binaries.Server...)
	if err != nil {
		t.Fatal(err)
	}
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	cancel(errors.New("given up"))
	if _, err := apiserver.Start(ctx, apiserver.Options{Programs: programs}); err == nil || err.Error() != "start cluster: given up" {
		t.Errorf("error = %v, want the reason to give up", err)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("%v are left (%v)", left, err)
	}
}

// served waits until the server has a kind whose definition is established, which takes it another
// second.
func served(t *testing.T, k kubectl.Client) {
	t.Helper()
	var err error
	for range 100 {
		if _, _, err = k.Run(t.Context(), "", "get", "widgets", "-A"); err == nil {
			return
		}
	}
	t.Fatal(err)
}

func run(t *testing.T, k kubectl.Client, input string, args ...string) string {
	t.Helper()
	printed, _, err := k.Run(t.Context(), input, args...)
	if err != nil {
		t.Fatal(err)
	}
	return printed
}

func mustNotExist(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is left (%v)", path, err)
	}
}
