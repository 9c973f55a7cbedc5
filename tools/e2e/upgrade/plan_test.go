package upgrade_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/stratakube/strata/tools/armsim"
	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/e2e/env"
	"github.com/stratakube/strata/tools/e2e/fixtures"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

const example = "../../../operator/api"

// objects is the number of objects of all kinds: several pages of each.
var objects = tier.IfSoak(330, 700)

// plan has the members of a plan that these tests read.
type plan struct {
	Digest string
	Writes int
	Kinds  []struct {
		CRD, From, To  string
		Objects        int
		Originals      map[string]int
		Largest        int
		Gone, Unserved []string
		Findings       []struct {
			Reason, Version, Example string
			Objects                  int
		}
	}
	NotChecked []struct{ What, Reason string }
}

// planner calls strata-cluster as a user who can read CRDs and objects, and nothing else.
type planner struct {
	t          *testing.T
	binary     string
	webhook    string
	kubeconfig string
	admin      *rest.Config
}

// run plans an upgrade, and returns the plan and the exit code.
func (p planner) run(dir, converter string, args ...string) (of plan, code int, stderr string) {
	p.t.Helper()
	args = append([]string{"upgrade", "plan", dir, "--kubeconfig", p.kubeconfig, "--converter", converter, "-o", "json"}, args...)
	c := exec.CommandContext(p.t.Context(), p.binary, args...)
	var errs strings.Builder
	c.Stderr = &errs
	out, err := c.Output()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		p.t.Fatal(err)
	}
	if code = c.ProcessState.ExitCode(); code != 2 {
		if err := json.Unmarshal(out, &of); err != nil {
			p.t.Fatalf("%v\n%s%s", err, out, &errs)
		}
	}
	return of, code, errs.String()
}

// TestPlan plans upgrades of a cluster with objects in all versions: to the installed package, to
// one without a version that users wrote, with a converter that loses values, and with one that
// lies about what it converts.
func TestPlan(t *testing.T) {
	tier.Long(t, "plans for the worked example in many states")
	p := openExample(t, objects)
	same, code, stderr := p.run(example, p.webhook+" convert")
	if code != 0 || same.Writes != 0 || len(same.Kinds) != 3 {
		t.Errorf("the installed package: exit code %d, %+v\n%s", code, same, stderr)
	}
	count := 0
	for _, k := range same.Kinds {
		count += k.Objects
		if len(k.Findings) > 0 || k.From != k.To || len(k.Originals) < 2 || k.Largest < 100 {
			t.Errorf("the installed package: %+v", k)
		}
	}
	if count != objects {
		t.Errorf("the plan has %d objects, want %d", count, objects)
	}
	again, _, _ := p.run(example, p.webhook+" convert", "--parallel=3")
	if again.Digest != same.Digest {
		t.Errorf("two plans of one state have the digests %s and %s", same.Digest, again.Digest)
	}

	gone, code, _ := p.run(p.without("v20150505"), p.webhook+" convert")
	if want := []string{"LastApplied v20150505", "Owned v20150505", "VersionGone v20150505"}; code != 1 || !isSubset(reasons(gone), want) || !slices.Contains(reasons(gone), want[2]) {
		t.Errorf("without v20150505: exit code %d, findings %q, want some of %q", code, reasons(gone), want)
	}

	loses, code, stderr := p.run(example, p.script(`exec "$1" convert ${3:+"$3"} | sed -u 's/"displayName":"[^"]*"/"displayName":"x"/g'`))
	if got := reasons(loses); code != 1 || !slices.Contains(got, "VisibleChanged v20150505") {
		t.Errorf("with a converter that changes values: exit code %d, findings %q\n%s", code, got, stderr)
	}

	_, code, stderr = p.run(example, p.script(`test "$3" = --versions && exec "$1" convert --versions; echo broken >&2; exit 3`))
	if code != 2 || !strings.Contains(stderr, "it reports: broken") {
		t.Errorf("with a converter that ends: exit code %d, %s", code, stderr)
	}
	_, code, stderr = p.run(example, "/nowhere/webhook convert")
	if code != 2 || !strings.Contains(stderr, "ask /nowhere/webhook for its versions") {
		t.Errorf("without a converter: exit code %d, %s", code, stderr)
	}
	t.Run("a fleet", func(t *testing.T) { plansForAFleet(t, p, same.Digest) })
	t.Run("references", func(t *testing.T) { findsWhoNamesAVersion(t, p) })
}

// plansForAFleet plans for two contexts of one cluster, and for one that nothing listens for. One
// context is that of an administrator, and the other one that of a user with the rights of a plan.
func plansForAFleet(t *testing.T, p planner, digest string) {
	read, err := clientcmd.LoadFromFile(p.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	read.Clusters["closed"] = &api.Cluster{Server: "https://127.0.0.1:1"}
	read.Contexts["closed"] = &api.Context{Cluster: "closed", AuthInfo: "a"}
	read.AuthInfos["admin"] = kubeconfigOf(p.admin).AuthInfos["a"]
	read.AuthInfos["admin"].Token = p.admin.BearerToken
	read.Contexts["arn:aws/admin"] = &api.Context{Cluster: "a", AuthInfo: "admin"}
	p.kubeconfig = filepath.Join(t.TempDir(), "fleet")
	if err := clientcmd.WriteToFile(*read, p.kubeconfig); err != nil {
		t.Fatal(err)
	}
	saved := filepath.Join(t.TempDir(), "plans")
	type members struct {
		Clusters []struct {
			Context, Error string
			Plan           *plan
		}
	}
	call := func(args ...string) (of members, code int, stderr string) {
		c := exec.CommandContext(t.Context(), p.binary, append([]string{"upgrade", "plan", example, "--kubeconfig", p.kubeconfig, "--converter", p.webhook + " convert", "-o", "json"}, args...)...)
		var errs strings.Builder
		c.Stderr = &errs
		out, err := c.Output()
		if err != nil && c.ProcessState == nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out, &of); err != nil {
			t.Fatalf("%v\n%s%s", err, out, &errs)
		}
		return of, c.ProcessState.ExitCode(), errs.String()
	}
	all, code, stderr := call("--contexts", "all", "--save", saved)
	if code != 2 || len(all.Clusters) != 3 || !strings.Contains(stderr, "1 of 3 clusters cannot be read") {
		t.Fatalf("exit code %d, %+v\n%s", code, all, stderr)
	}
	limited, admin, closed := all.Clusters[0], all.Clusters[1], all.Clusters[2]
	if closed.Plan != nil || !strings.Contains(closed.Error, "127.0.0.1:1") {
		t.Errorf("the cluster that does not listen: %+v", closed)
	}
	if limited.Plan == nil || admin.Plan == nil {
		t.Fatalf("%+v", all)
	}
	if limited.Plan.Digest != digest || admin.Plan.Digest != digest {
		t.Errorf("users with other rights have plans with the digests %s and %s, want %s", limited.Plan.Digest, admin.Plan.Digest, digest)
	}
	if len(limited.Plan.NotChecked) <= len(admin.Plan.NotChecked) {
		t.Errorf("the administrator could not check %d things, and the other user %d", len(admin.Plan.NotChecked), len(limited.Plan.NotChecked))
	}
	files, err := filepath.Glob(filepath.Join(saved, "*"))
	if want := []string{filepath.Join(saved, "a.json"), filepath.Join(saved, "arn:aws%2Fadmin.json")}; err != nil || !slices.Equal(files, want) {
		t.Errorf("saved are %q, want %q (%v)", files, want, err)
	}
	some, code, stderr := call("--contexts", "a", "--contexts", "arn:aws/admin,a")
	if code != 0 || len(some.Clusters) != 2 {
		t.Errorf("exit code %d, %+v\n%s", code, some, stderr)
	}
	if _, code, _ = call("--contexts", "a", "--strict"); code != 1 {
		t.Errorf("--strict with what was not checked: exit code %d, want 1", code)
	}
	if lost, code, _ := call("--contexts", "a,nowhere"); code != 2 || lost.Clusters[0].Plan == nil || !strings.Contains(lost.Clusters[1].Error, "nowhere") {
		t.Errorf("a context that there is not: exit code %d, %+v", code, lost)
	}
}

// reasons returns the sorted findings of all kinds.
func reasons(of plan) (all []string) {
	for _, k := range of.Kinds {
		for _, f := range k.Findings {
			all = append(all, f.Reason+" "+f.Version)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func isSubset(some, of []string) bool {
	return !slices.ContainsFunc(some, func(one string) bool { return !slices.Contains(of, one) })
}

// without copies the package, and removes a version from the CRD of parties.
func (p planner) without(version string) string {
	p.t.Helper()
	dir := p.t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(example, "crds"))); err != nil {
		p.t.Fatal(err)
	}
	to := p.t.TempDir()
	if err := os.Rename(dir, filepath.Join(to, "crds")); err != nil {
		p.t.Fatal(err)
	}
	file := filepath.Join(to, "crds", "parties.crm.example.com.yaml")
	read, err := os.ReadFile(file)
	if err != nil {
		p.t.Fatal(err)
	}
	text := string(read)
	begin := strings.Index(text, "  - additionalPrinterColumns:\n")
	end := begin + 1 + strings.Index(text[begin+1:], "  - additionalPrinterColumns:\n")
	if begin < 0 || end <= begin || !strings.Contains(text[begin:end], "    name: "+version+"\n") {
		p.t.Fatalf("the first version of %s is not %s", file, version)
	}
	if err := os.WriteFile(file, []byte(text[:begin]+text[end:]), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return to
}

// script returns a command that runs a shell script. $1 is the webhook, $3 a flag of the command.
func (p planner) script(text string) string {
	p.t.Helper()
	file := filepath.Join(p.t.TempDir(), "converter")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
		p.t.Fatal(err)
	}
	return file + " " + p.webhook + " convert"
}

// openExample makes the worked example with a number of objects.
func openExample(t *testing.T, count int) planner {
	t.Helper()
	ctx := t.Context()
	dir := t.TempDir()
	p := planner{t: t, binary: program(t, strataCluster), kubeconfig: filepath.Join(dir, "kubeconfig")}
	p.webhook = once(t, "webhook", env.BuildWebhook)
	e, err := env.Open(ctx, env.Options{
		Programs: env.Programs{Webhook: p.webhook}, Definitions: filepath.Join(example, "crds"), Cluster: shared.Of(t),
		Simulator: armsim.Options{Schemas: []string{"../../../schemas/crm"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	p.admin = e.Config
	if err := e.Define(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removeCRDs(t, shared.Client(t, e.Config), filepath.Join(example, "crds")) })
	set, err := fixtures.New(e.Config, fmt.Sprint("plan", count), count)
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Create(ctx); err != nil {
		t.Fatal(err)
	}
	user, err := e.User("planner")
	if err != nil {
		t.Fatal(err)
	}
	permit(ctx, t, e.Config)
	if err := clientcmd.WriteToFile(kubeconfigOf(user), p.kubeconfig); err != nil {
		t.Fatal(err)
	}
	return p
}

// permit gives the user the rights that the reference names.
func permit(ctx context.Context, t *testing.T, admin *rest.Config) {
	t.Helper()
	client := shared.Client(t, admin)
	for plural, manifest := range map[string]map[string]any{
		"clusterroles": {"kind": "ClusterRole", "rules": []any{
			map[string]any{"apiGroups": []any{"apiextensions.k8s.io"}, "resources": []any{"customresourcedefinitions"}, "verbs": []any{"get"}},
			map[string]any{"apiGroups": []any{fixtures.Group}, "resources": []any{"*"}, "verbs": []any{"list"}},
		}},
		"clusterrolebindings": {
			"kind": "ClusterRoleBinding", "roleRef": map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "strata-plan"},
			"subjects": []any{map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "planner"}},
		},
	} {
		manifest["apiVersion"], manifest["metadata"] = "rbac.authorization.k8s.io/v1", map[string]any{"name": "strata-plan"}
		resource := schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: plural}
		if _, err := client.Resource(resource).Create(ctx, &unstructured.Unstructured{Object: manifest}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := client.Resource(resource).Delete(shared.Afterwards(t), "strata-plan", metav1.DeleteOptions{}); err != nil {
				t.Error(err)
			}
		})
	}
}

// kubeconfigOf returns the file that a program reads to be a user.
func kubeconfigOf(user *rest.Config) api.Config {
	return api.Config{
		Clusters:       map[string]*api.Cluster{"a": {Server: user.Host, CertificateAuthorityData: user.CAData}},
		AuthInfos:      map[string]*api.AuthInfo{"a": {ClientCertificateData: user.CertData, ClientKeyData: user.KeyData}},
		Contexts:       map[string]*api.Context{"a": {Cluster: "a", AuthInfo: "a"}},
		CurrentContext: "a",
	}
}
