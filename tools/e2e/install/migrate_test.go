package install

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/programs"
	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// migratorRole has the rights that the reference of `strata cluster migrate` lists, for the account
// that the policies admit, and a user who may only impersonate that account.
const migratorRole = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: strata-migrator}
rules:
- {apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], resourceNames: [persons.crm.example.com], verbs: [get]}
- {apiGroups: [crm.example.com], resources: [persons], verbs: [get, list, patch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: strata-migrator}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: strata-migrator}
subjects: [{kind: ServiceAccount, name: strata-migrator, namespace: strata-system}, {kind: User, apiGroup: rbac.authorization.k8s.io, name: grace}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: impersonates-the-migrator}
rules:
- {apiGroups: [""], resources: [serviceaccounts], resourceNames: [strata-migrator], verbs: [impersonate]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: impersonates-the-migrator}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: impersonates-the-migrator}
subjects: [{kind: User, apiGroup: rbac.authorization.k8s.io, name: grace}]
`

// migrates stores the person in the hub by `strata cluster migrate`. The policies refuse the
// command's user, whose rights suffice, and admit the account that the user impersonates. Neither
// the original version nor the generation changes.
func (s *site) migrates(t *testing.T) {
	t.Helper()
	w, err := modules.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "strata-cluster")
	if err := programs.Build(t.Context(), command.In{Dir: w.Root}, program, "./operator/cluster/cmd/strata-cluster"); err != nil {
		t.Fatal(err)
	}
	s.kubectl(t, migratorRole, "apply", "--server-side", "-f", "-")
	config, err := s.User("grace")
	if err != nil {
		t.Fatal(err)
	}
	grace, err := s.KubectlAs(config)
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (code int, output string) {
		t.Helper()
		var out bytes.Buffer
		args = append([]string{"migrate", "persons.crm.example.com", "--histories", filepath.Join(s.dir, "histories"), "--server", s.Host(), "--kubeconfig", grace.Kubeconfig}, args...)
		c := exec.CommandContext(t.Context(), program, args...)
		c.Stdout, c.Stderr = &out, &out
		_ = c.Run() // the exit code is compared
		return c.ProcessState.ExitCode(), out.String()
	}
	const state = "{.spec.originalVersion} {.metadata.generation}"
	before := s.eventually(t, "", "get", "persons.v20190909storage.crm.example.com/ada", "-o", "jsonpath="+state)
	shared.Eventually(t, crds.Patience, "the policy refuses the user, whose rights suffice", func() error {
		if code, output := run(); code != 2 || !strings.Contains(output, "is what the cluster stores") {
			return fmt.Errorf("exit code %d\n%s", code, output)
		}
		return nil
	})
	code, output := run("--as", "system:serviceaccount:"+namespace+":strata-migrator")
	if code != 0 {
		t.Errorf("as the account: exit code %d\n%s", code, output)
	}
	s.reads(t, "v20190909storage", state, before)
	text, err := s.Stored(t.Context(), "/registry/crm.example.com/persons/default/ada")
	if err != nil || !strings.Contains(string(text), `"apiVersion":"crm.example.com/v20190909storage"`) {
		t.Errorf("etcd has %s (%v)", text, err)
	}
}
