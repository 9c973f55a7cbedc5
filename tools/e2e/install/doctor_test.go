package install

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/programs"
	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/ca"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// diagnosed is a finding of `strata cluster doctor`.
type diagnosed struct{ ID, Severity, Subject, Explanation, Command, Hint string }

// patient is a site, and a user who may read what the page of the command lists.
type patient struct {
	*site
	user     string // the kubeconfig of the user
	programs string // a folder with kubectl and strata
	probes   string // the address of the webhook's probes
}

// TestDoctor breaks an installation in each way that `strata cluster doctor` knows. The command
// finds it, as a user with the documented role, and what it prints mends it.
func TestDoctor(t *testing.T) {
	tier.Long(t, "breaks an installation in many ways")
	p := newPatient(t)
	p.site.webhook(t)
	p.available(t, 1)
	p.probes = p.process.ProbeURL()
	found := p.finds(t, "crd-missing", "policy-missing")
	if len(found) < 4 {
		t.Errorf("in an empty cluster there are only %+v", found)
	}
	for _, f := range found {
		p.runs(t, f)
	}
	p.ready(t)
	p.recovers(t)
	p.kubectl(t, migratorRole, "apply", "--server-side", "-f", "-")
	p.eventually(t, person, "apply", "--server-side", "-f", "-")

	t.Run("a version is not served", func(t *testing.T) {
		p.kubectl(t, "", "patch", "crd", crdOfPersons, "--type=json", "-p", `[{"op": "replace", "path": "/spec/versions/0/served", "value": false}]`)
		p.mends(t, "crd-differs")
	})
	t.Run("a policy has gone", func(t *testing.T) {
		p.kubectl(t, "", "delete", "validatingadmissionpolicybinding", "strata-webhook-hub-writers")
		p.mends(t, "policy-missing")
	})
	t.Run("a policy is changed", func(t *testing.T) {
		p.kubectl(t, "", "patch", "validatingadmissionpolicy", "strata-webhook-hub-writers", "--type=merge", "-p", `{"spec": {"failurePolicy": "Ignore"}}`)
		p.mends(t, "policy-changed")
	})
	t.Run("another CA", func(t *testing.T) {
		other, err := ca.New("other")
		if err != nil {
			t.Fatal(err)
		}
		var f diagnosed
		// The webhook checks its CRDs twice a minute, and may be faster than the command.
		shared.Eventually(t, crds.Patience, "ca-mismatch", func() error {
			p.kubectl(t, "", "patch", "crd", crdOfPersons, "--type=merge", "-p", fmt.Sprintf(clientConfig, base64.StdEncoding.EncodeToString(ca.Bundle(other))))
			for _, f = range p.examined(t) {
				if f.ID == "ca-mismatch" {
					return nil
				}
			}
			return errors.New("it is not found")
		})
		p.runs(t, f)
		p.recovers(t)
	})
	t.Run("no replicas", func(t *testing.T) {
		p.kubectl(t, "", "scale", "deployment/strata-webhook", "-n", namespace, "--replicas=0")
		p.mends(t, "webhook-stopped")
	})
	t.Run("no replica is ready", func(t *testing.T) {
		p.available(t, 0)
		f := p.finds(t, "webhook-not-ready")[0]
		p.runs(t, f)
		p.available(t, 1) // as the pods would become
		p.recovers(t)
	})
	t.Run("an older webhook", func(t *testing.T) {
		old := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"format": 1, "kinds": []}`)
		}))
		defer old.Close()
		was := p.probes
		p.probes = old.URL
		p.finds(t, "webhook-versions")
		p.probes = was
		p.recovers(t)
	})
	t.Run("no webhook", func(t *testing.T) {
		p.kubectl(t, "", "delete", "deployment", "strata-webhook", "-n", namespace)
		p.finds(t, "webhook-missing")
		p.kubectl(t, "", "apply", "--server-side", "--force-conflicts", "-f", filepath.Join(p.dir, "config", "webhook.yaml"), "--selector=app.kubernetes.io/name=strata-webhook")
		p.available(t, 1)
		p.recovers(t)
	})
	t.Run("an operator waits", func(t *testing.T) {
		condition := func(reason string) {
			p.kubectl(t, "", "patch", "persons.v20190909.crm.example.com", "ada", "--subresource=status", "--type=merge", "-p",
				`{"status": {"conditions": [{"type": "Ready", "status": "False", "reason": "`+reason+`", "message": "-", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}`)
		}
		condition("UpgradePending")
		p.finds(t, "operator-waits")
		condition("HubUnknown")
		p.finds(t, "operator-older")
		condition("Observed")
		p.recovers(t)
	})
	t.Run("an upgrade", func(t *testing.T) {
		crd, err := exec.CommandContext(t.Context(), filepath.Join(p.programs, "strata-cluster"), "upgrade", "crd").Output()
		if err != nil {
			t.Fatal(err)
		}
		p.kubectl(t, string(crd), "apply", "--server-side", "-f", "-")
		p.eventually(t, paused, "apply", "--server-side", "-f", "-")
		p.runs(t, p.finds(t, "upgrade-paused")[0])
		p.finds(t, "upgrade-unfinished")
		p.kubectl(t, "", "patch", "storageupgrade", "storage-1", "--subresource=status", "--type=merge", "-p",
			`{"status": {"conditions": [{"type": "Done", "status": "True", "reason": "Upgraded", "message": "-", "lastTransitionTime": "2026-01-01T00:00:00Z"}]}}`)
		p.recovers(t)
	})
	t.Run("another version is stored", func(t *testing.T) {
		p.kubectl(t, "", "patch", "crd", crdOfPersons, "--subresource=status", "--type=merge", "-p", `{"status": {"storedVersions": ["v20110101", "v20190909storage"]}}`)
		p.mends(t, "stored-versions")
	})
	t.Run("without rights", func(t *testing.T) {
		p.kubectl(t, "", "delete", "clusterrolebinding", "strata-doctor-user")
		if code, out := p.doctor(t); code != 2 || !strings.Contains(out, "list CRDs") {
			t.Errorf("exit code %d\n%s", code, out)
		}
	})
}

const (
	crdOfPersons = "persons.crm.example.com"
	clientConfig = `{"spec": {"conversion": {"webhook": {"clientConfig": {"caBundle": %q}}}}}`
	paused       = `apiVersion: cluster.strata.dev/v1alpha1
kind: StorageUpgrade
metadata: {name: storage-1}
spec: {plan: p, package: p, goal: Upgraded, paused: true, kinds: []}
`
)

func newPatient(t *testing.T) *patient {
	t.Helper()
	p := &patient{site: newSite(t), programs: t.TempDir()}
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	if err := programs.Build(t.Context(), command.In{Dir: w.Root}, filepath.Join(p.programs, "strata-cluster"), "./operator/cluster/cmd/strata-cluster"); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		// It is called as `strata cluster COMMAND`. Here the service default/kubernetes has no addresses.
		"strata":  "#!/bin/sh\nshift\n[ \"$1\" != migrate ] || set -- \"$@\" --settle 1s\nexec strata-cluster \"$@\"\n",
		"kubectl": "#!/bin/sh\nexec '" + p.Kubectl().Path + "' \"$@\"\n",
	} {
		if err := os.WriteFile(filepath.Join(p.programs, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(filepath.Join(w.Root, "docs", "guide", "howto", "find-what-is-wrong.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, role, found := strings.Cut(string(page), "```yaml\n")
	if role, _, _ = strings.Cut(role, "```"); !found {
		t.Fatal("the page has no role")
	}
	p.kubectl(t, "", "apply", "--server-side", "-f", filepath.Join(p.dir, "config", "namespace.yaml"))
	p.kubectl(t, role, "apply", "--server-side", "-f", "-")
	config, err := p.User("doctor")
	if err != nil {
		t.Fatal(err)
	}
	user, err := p.KubectlAs(config)
	if err != nil {
		t.Fatal(err)
	}
	p.user = user.Kubeconfig
	p.kubectl(t, "", "create", "clusterrolebinding", "strata-doctor-user", "--clusterrole=strata-doctor", "--user=doctor")
	p.kubectl(t, "", "create", "rolebinding", "strata-doctor-user", "--role=strata-doctor", "--user=doctor", "-n", namespace)
	return p
}

// doctor runs the command, and returns its exit code and output.
func (p *patient) doctor(t *testing.T) (code int, output string) {
	t.Helper()
	args := []string{"doctor", "--package", p.dir, "--kubeconfig", p.user, "-o", "json"}
	if p.probes != "" {
		args = append(args, "--webhook", p.probes)
	}
	c := exec.CommandContext(t.Context(), filepath.Join(p.programs, "strata-cluster"), args...)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Run(); err != nil {
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
			t.Fatal(err)
		}
	}
	return c.ProcessState.ExitCode(), out.String()
}

// examined returns the findings.
func (p *patient) examined(t *testing.T) []diagnosed {
	t.Helper()
	code, out := p.doctor(t)
	var of struct{ Findings []diagnosed }
	if err := json.Unmarshal([]byte(out), &of); err != nil {
		t.Fatalf("exit code %d, %v\n%s", code, err, out)
	}
	if (code == 1) != (len(of.Findings) > 0) {
		t.Errorf("exit code %d of %+v", code, of.Findings)
	}
	return of.Findings
}

// finds waits until the findings have some identifiers and no others, and returns them.
func (p *patient) finds(t *testing.T, ids ...string) (found []diagnosed) {
	t.Helper()
	shared.Eventually(t, crds.Patience, "findings "+strings.Join(ids, ", "), func() error {
		found = p.examined(t)
		for _, id := range ids {
			if !slices.ContainsFunc(found, func(f diagnosed) bool { return f.ID == id }) {
				return fmt.Errorf("there is no %s in %+v", id, found)
			}
		}
		for _, f := range found {
			if !slices.Contains(ids, f.ID) {
				return fmt.Errorf("another finding: %+v", f)
			}
		}
		return nil
	})
	return found
}

// recovers waits until there are no findings.
func (p *patient) recovers(t *testing.T) {
	t.Helper()
	p.finds(t)
}

// mends waits for a finding, runs its command, and waits until it is gone.
func (p *patient) mends(t *testing.T, id string) {
	t.Helper()
	p.runs(t, p.finds(t, id)[0])
	p.recovers(t)
}

// runs runs the command of a finding, as an administrator pastes it.
func (p *patient) runs(t *testing.T, f diagnosed) {
	t.Helper()
	if f.Command == "" {
		t.Fatalf("there is no command: %+v", f)
	}
	command := strings.ReplaceAll(f.Command, p.user, p.Kubectl().Kubeconfig)
	command = strings.ReplaceAll(command, " --shorten", " --shorten --grace 1s") // no request takes longer here
	c := exec.CommandContext(t.Context(), "sh", "-c", command)
	c.Env = append(os.Environ(), "PATH="+p.programs+string(os.PathListSeparator)+os.Getenv("PATH"))
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", f.Command, err, out)
	}
}

// available sets how many replicas of the webhook are available. The cluster runs no pods.
func (p *patient) available(t *testing.T, n int) {
	t.Helper()
	p.kubectl(t, "", "patch", "deployment", "strata-webhook", "-n", namespace, "--subresource=status", "--type=merge", "-p",
		fmt.Sprintf(`{"status": {"replicas": %d, "readyReplicas": %[1]d, "availableReplicas": %[1]d}}`, n))
}
