package upgrade_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/tools/e2e/crds"
	"github.com/stratakube/strata/tools/testcluster/apiserver"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// asConverter is the variable that makes the test binary convert reviews. Its value is the group.
const asConverter = "STRATA_TEST_CONVERTER"

// hubs is a kind whose hub moves from v1 to v2. The API server converts it, since the versions have
// the same properties.
type hubs struct {
	*site
	before, after string // packages
	plan          string // a file
}

// openHubs installs the first package, creates objects and plans the upgrade to the second one.
func openHubs(t *testing.T, group string, count int) *hubs {
	t.Helper()
	h := fillHubs(t, shared.Of(t), group, count)
	if code, out := h.run("plan", h.after, "--converter", os.Args[0], "--save", h.plan); code != 1 || !strings.Contains(out, "VersionGone") {
		t.Fatalf("the plan: exit code %d\n%s", code, out)
	}
	return h
}

// fillHubs creates the kind in a cluster, and some objects.
func fillHubs(t *testing.T, c *apiserver.Cluster, group string, count int) *hubs {
	t.Helper()
	s := &site{Cluster: c, t: t, client: shared.Client(t, c.Config), user: c.Kubeconfig, program: program(t, strataCluster)}
	h := &hubs{site: s, plan: filepath.Join(t.TempDir(), "plan.json")}
	h.before = writePackage(t, group, "v1 served", "v1storage served stored")
	h.after = writePackage(t, group, "v1", "v2 served", "v1storage", "v2storage served stored")
	s.kind = crds.Read(t, filepath.Join(h.before, "crds", "widgets.yaml"))
	crds.Apply(t, s.client, v1.WebhookClientConfig{}, s.kind)
	crds.AwaitServed(t, s.client, s.kind)
	s.namespace = crds.Namespace(t, s.client, "upgrade-")
	for i := range count {
		h.create("v1", fmt.Sprintf("filled-%d", i), int64(i))
	}
	return h
}

func writePackage(t *testing.T, group string, versions ...string) string {
	t.Helper()
	d := v1.CustomResourceDefinition{Spec: v1.CustomResourceDefinitionSpec{
		Group: group, Scope: "Namespaced", Names: v1.CustomResourceDefinitionNames{Kind: "Widget", ListKind: "WidgetList", Plural: "widgets", Singular: "widget"},
	}}
	d.APIVersion, d.Kind, d.Name = "apiextensions.k8s.io/v1", "CustomResourceDefinition", "widgets."+group
	history := map[string]any{"format": 1, "group": group, "kind": "Widget", "plural": "widgets", "spec": 0, "status": 1, "objects": []any{
		map[string]any{"properties": []any{
			[]any{map[string]any{"from": 0, "to": 1, "name": "size", "form": 0}}, []any{map[string]any{"from": 0, "to": 1, "name": "color", "form": 0}},
		}}, map[string]any{"properties": []any{}},
	}, "versions": []any{
		map[string]any{"name": "v1", "storage": "v1storage", "next": 1}, map[string]any{"name": "v2", "storage": "v2storage", "next": 1},
	}}
	spec := v1.JSONSchemaProps{Type: "object", Properties: map[string]v1.JSONSchemaProps{
		"size": {Type: "integer"}, "color": {Type: "string"}, "originalVersion": {Type: "string"},
	}}
	for _, version := range versions {
		name, flags, _ := strings.Cut(version, " ")
		d.Spec.Versions = append(d.Spec.Versions, v1.CustomResourceDefinitionVersion{
			Name: name, Served: strings.Contains(flags, "served"), Storage: strings.Contains(flags, "stored"),
			Schema: &v1.CustomResourceValidation{OpenAPIV3Schema: &v1.JSONSchemaProps{Type: "object", Properties: map[string]v1.JSONSchemaProps{"spec": spec}}},
		})
	}
	dir := t.TempDir()
	for file, value := range map[string]any{"crds/widgets.yaml": d, "histories/g/widgets.json": history} {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, ".yaml") {
			var of map[string]any
			if err := json.Unmarshal(text, &of); err != nil {
				t.Fatal(err)
			}
			delete(of, "status")
			if text, err = yaml.Marshal(of); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(file)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// command returns a command about upgrades, which has not started.
func (h *hubs) command(args ...string) *exec.Cmd {
	c := exec.CommandContext(h.t.Context(), h.program, append([]string{"upgrade"}, append(args, "--kubeconfig", h.user)...)...)
	c.Env = append(os.Environ(), asConverter+"="+h.kind.Spec.Group)
	return c
}

// run runs a command, and returns its exit code and output.
func (h *hubs) run(args ...string) (code int, output string) {
	h.t.Helper()
	c := h.command(args...)
	out, _ := c.CombinedOutput()
	return c.ProcessState.ExitCode(), string(out)
}

// work returns the arguments of a command that works on the upgrade.
func (h *hubs) work(dir string, args ...string) []string {
	return append(args, "--package", dir, "--server", h.Host(), "--grace", "1s", "--lease-duration", "4s", "--lease-namespace", h.namespace, "--rate", "1000")
}

// convert answers reviews as a webhook program does: it changes the version of each object.
func convert(args []string, in io.Reader, out io.Writer) int {
	group := os.Getenv(asConverter)
	if slices.Contains(args, "--versions") {
		fmt.Fprintf(out, `{"format":1,"build":{},"kinds":[{"group":%q,"kind":"Widget","hub":"v2storage","versions":["v1","v2","v1storage","v2storage"]}]}`, group)
		return 0
	}
	for lines := bufio.NewReader(in); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return 0
		}
		var review struct {
			Request struct {
				UID     string           `json:"uid"`
				Desired string           `json:"desiredAPIVersion"`
				Objects []map[string]any `json:"objects"`
			} `json:"request"`
		}
		if err := json.Unmarshal(line, &review); err != nil {
			return 1
		}
		for _, o := range review.Request.Objects {
			o["apiVersion"] = review.Request.Desired
		}
		text, err := json.Marshal(map[string]any{"response": map[string]any{
			"uid": review.Request.UID, "convertedObjects": review.Request.Objects, "result": map[string]any{"status": "Success"},
		}})
		if err != nil {
			return 1
		}
		fmt.Fprintf(out, "%s\n", text)
	}
}
