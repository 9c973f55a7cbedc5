package upgrade_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/testcluster/shared"
)

// project is a folder with a strata.yaml, whose kind is that of the cluster.
type project struct {
	t       *testing.T
	dir     string
	program string
}

const projectConfig = `apiVersion: strata.dev/v1alpha1
kind: Generation
sources: [{crd: {root: crds, include: ["*.yaml"]}}]
output: {dir: api, module: example.com/evidence/api}
`

const projectCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.GROUP}
spec:
  group: GROUP
  scope: Namespaced
  names: {kind: Widget, listKind: WidgetList, plural: widgets, singular: widget}
  versions:
  - {name: v1, served: true, storage: false, subresources: {status: {}}, schema: {openAPIV3Schema: SCHEMA}}
  - {name: v2, served: true, storage: true, subresources: {status: {}}, schema: {openAPIV3Schema: SCHEMA}}
`

func openProject(t *testing.T, group string) *project {
	t.Helper()
	p := &project{t: t, dir: t.TempDir(), program: program(t, "./generator/cmd/strata")}
	schema := "{type: object, properties: {spec: {type: object, properties: {size: {type: integer}, color: {type: string}}}, status: {type: object, properties: {}}}}"
	p.write("crds/widgets.yaml", strings.NewReplacer("GROUP", group, "SCHEMA", schema).Replace(projectCRD))
	p.write("strata.yaml", projectConfig)
	return p
}

func (p *project) write(name, text string) {
	p.t.Helper()
	file := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// generates runs strata generate. An empty text means success; otherwise it must be refused with
// this text, and the types of v1 must stay.
func (p *project) generates(config, refusal string) {
	p.t.Helper()
	p.write("strata.yaml", projectConfig+config)
	c := exec.CommandContext(p.t.Context(), p.program, "generate")
	c.Dir = p.dir
	out, err := c.CombinedOutput()
	types, _ := filepath.Glob(filepath.Join(p.dir, "api", "*", "v1", "widget_types.go"))
	switch {
	case refusal == "" && err != nil:
		p.t.Fatalf("strata generate: %v\n%s", err, out)
	case refusal != "" && (err == nil || !strings.Contains(string(out), refusal)):
		p.t.Fatalf("strata generate: %v, want %q in\n%s", err, refusal, out)
	case refusal != "" && len(types) != 1:
		p.t.Fatalf("after a refusal, v1 has the types %v", types)
	}
}

// TestEvidence prunes a version of a project by the evidence of a cluster. Evidence from before the
// version went is refused, and so is one that names objects which users wrote in it, and one that
// was edited.
func TestEvidence(t *testing.T) {
	tier.Long(t, "upgrades to look at what was recorded")
	const filled = 30
	h := openHubs(t, "evidence.example.com", filled)
	p := openProject(t, h.kind.Spec.Group)
	p.generates("", "")
	pruned := func(evidence string) string { return "versions: {prune: [v1], evidence: [" + evidence + "]}\n" }
	p.generates("versions: {prune: [v1]}\n", "nothing proves that no cluster has objects of")

	early, west := filepath.Join(p.dir, "early.json"), filepath.Join(p.dir, "west.json")
	if code, out := h.run(h.work(h.after, "apply", h.plan, "--accept-findings")...); code != 0 {
		t.Fatalf("apply: exit code %d\n%s", code, out)
	}
	if code, out := h.run(h.work(h.after, "verify", h.upgrade(), "--save-evidence", early)...); code != 0 {
		t.Fatalf("verify: exit code %d\n%s", code, out)
	}
	p.generates(pruned("early.json"), "the cluster serves v1 of "+h.kind.Name)

	written := func(version string) {
		patch := []byte(`{"spec":{"originalVersion":"` + version + `"}}`)
		shared.Must(t)(h.through("v2storage").Patch(t.Context(), "filled-7", types.MergePatchType, patch, metav1.PatchOptions{}))
	}
	written("v1")
	if code, out := h.run(h.work(h.after, "prune", h.upgrade(), "--yes", "--save-evidence", west)...); code != 0 {
		t.Fatalf("prune: exit code %d\n%s", code, out)
	}
	p.generates(pruned("west.json"), "users wrote 1 objects of "+h.kind.Name+" in v1")
	p.generates(pruned("early.json, west.json"), "west.json and early.json are evidence of the same cluster")

	written("v2")
	if code, out := h.run(h.work(h.after, "verify", h.upgrade(), "--save-evidence", west)...); code != 0 {
		t.Fatalf("verify after prune: exit code %d\n%s", code, out)
	}
	text, err := os.ReadFile(west)
	if err != nil {
		t.Fatal(err)
	}
	p.write("forged.json", strings.Replace(string(text), `"objects": 30`, `"objects": 31`, 1))
	p.generates(pruned("forged.json"), "it is not as strata cluster has written it")
	plan, err := os.ReadFile(h.plan)
	if err != nil {
		t.Fatal(err)
	}
	p.write("plan.json", string(plan))
	p.generates(pruned("plan.json"), "it is no evidence")
	p.generates(pruned("west.json"), "")
	if types, _ := filepath.Glob(filepath.Join(p.dir, "api", "*", "v1", "widget_types.go")); len(types) > 0 {
		t.Errorf("after pruning, v1 has the types %v", types)
	}
	h.states("after all", "v2storage", filled)
}
