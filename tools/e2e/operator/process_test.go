package operator_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stratakube/strata/operator/annotation"
	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/host"
	"github.com/stratakube/strata/operator/plugin/lock"
	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/programs"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/loopback"
	"github.com/stratakube/strata/tools/testcluster/process"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// TestProcess runs the operator of the worked example as a process, with a locked plugin of
// version 1 whose API is a folder. The operator becomes ready, reconciles, counts, and ends on a
// signal.
func TestProcess(t *testing.T) {
	p := newSandbox(t)
	group, err := process.Open("strata-operator-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = group.Close() })
	folder, cloud := filepath.Join(group.Dir, "plugins"), filepath.Join(group.Dir, "cloud")
	for _, dir := range []string{folder, cloud} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	binary := filepath.Join(group.Dir, "strata-operator")
	for output, pkg := range map[string]string{binary: "cmd/strata-operator", filepath.Join(folder, "files"): "plugin/example/files"} {
		if err := programs.Build(t.Context(), command.In{}, output, "github.com/stratakube/strata/operator/"+pkg); err != nil {
			t.Fatal(err)
		}
	}
	trust(t, folder)
	providers := filepath.Join(group.Dir, "providers.yaml")
	text := fmt.Sprintf("apiVersion: strata.dev/v1alpha1\nkind: Providers\nproviders:\n- name: example.com/files\n  config: {folder: %q}\n", cloud)
	if err := os.WriteFile(providers, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	metrics, probes := shared.Free(t), shared.Free(t)
	log := filepath.Join(group.Dir, "operator.log")
	program, err := group.Start(binary, log, "--kubeconfig="+p.Kubeconfig, "--plugins="+folder, "--providers="+providers,
		"--namespaces="+p.namespace, "--metrics-address="+metrics, "--probe-address="+probes,
		"--leader-elect", "--leader-election-namespace="+p.namespace, "--concurrency-for=crm.example.com/Person=2")
	if err != nil {
		t.Fatal(err)
	}
	shared.Eventually(t, crds.Patience, "the operator is ready", func() error { return get("http://"+probes+"/readyz", "") })
	p.write("Person", "v20190909", "ada", p.filled(t, "Person", "v20190909"))
	p.ready("Person", "ada")
	file := filepath.Join(cloud, "ada")
	if body, err := os.ReadFile(file); err != nil || !strings.Contains(string(body), "Lovelace") {
		t.Errorf("outside is %s (%v)", body, err)
	}
	if m := annotation.Read(p.stored("Person", "ada")); m.ID != file {
		t.Errorf("it is remembered as %+v", m)
	}
	if err := get("http://"+metrics+"/metrics", `strata_operator_provider_calls_total{method="Apply",provider="example.com/files",result="Done"} 1`); err != nil {
		t.Error(err)
	}
	if err := program.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-program.Done():
		if !strings.Contains(program.Err().Error(), "exit status 0") {
			t.Errorf("it ended with %v\n%s", program.Err(), program.Output())
		}
	case <-time.After(crds.Patience):
		t.Fatalf("it does not end:\n%s", program.Output())
	}
}

// trust locks the only plugin of a folder.
func trust(t *testing.T, folder string) {
	t.Helper()
	locked, err := host.Lock(filepath.Join(folder, "files"))
	if err != nil {
		t.Fatal(err)
	}
	served := []contract.Served{{ID: contract.ID{Kind: "provider", Number: 1}, Name: "example.com/files"}}
	if err := (&lock.File{Plugins: []lock.Entry{lock.EntryOf(locked, served)}}).Write(folder); err != nil {
		t.Fatal(err)
	}
}

// get requires an answer with status 200 and a text in its body.
func get(url, holds string) error {
	text, err := loopback.Get(context.Background(), http.DefaultClient, url)
	if err == nil && !strings.Contains(text, holds) {
		return fmt.Errorf("%s answers %s", url, text)
	}
	return err
}
