package upgrade

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/operator/cluster/internal/converter"
)

// TestForgedPlans reads plans whose sum is right, and which this program cannot have made. Other
// commands rely on what they have: the names of CRDs become rules of roles.
func TestForgedPlans(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plan.json")
	read := func(p *Plan, after string) error {
		t.Helper()
		if err := p.seal(); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, append(text, after...), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err = Read(file)
		return err
	}
	plan := func() *Plan {
		return &Plan{Format: format, Converter: &converter.Versions{Format: 1}, Kinds: []Kind{
			{CRD: "notes.example.com", UID: "1", From: "v1storage", To: "v2storage", Added: []string{"v2"}, Gone: []string{"v1"}},
			{CRD: "others.example.com", To: "v2storage", New: true},
		}}
	}
	if err := read(plan(), "\n"); err != nil {
		t.Fatal(err)
	}
	for reason, test := range map[string]struct {
		edit func(*Plan)
		want string
	}{
		"no converter":                {func(p *Plan) { p.Converter = nil }, "no converter"},
		"all resources":               {func(p *Plan) { p.Kinds[0].CRD = "*.*" }, "no CRD can have"},
		"secrets":                     {func(p *Plan) { p.Kinds[0].CRD = "secrets" }, "no CRD can have"},
		"a group of Kubernetes":       {func(p *Plan) { p.Kinds[0].CRD = "deployments.apps" }, "no CRD can have"},
		"a path":                      {func(p *Plan) { p.Kinds[0].CRD = "../notes.example.com" }, "no CRD can have"},
		"a kind twice":                {func(p *Plan) { p.Kinds[1].CRD = p.Kinds[0].CRD }, "twice"},
		"a version that is a path":    {func(p *Plan) { p.Kinds[0].Gone = []string{"v1/.."} }, `the version "v1/.."`},
		"no hub":                      {func(p *Plan) { p.Kinds[0].To = "" }, `the version ""`},
		"a new kind that has a hub":   {func(p *Plan) { p.Kinds[1].From = "v1storage" }, "new is true"},
		"an old kind that has no hub": {func(p *Plan) { p.Kinds[0].From = "" }, "new is false"},
		"an old kind without a UID":   {func(p *Plan) { p.Kinds[0].UID = "" }, "new is false"},
	} {
		p := plan()
		test.edit(p)
		if err := read(p, ""); err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasSuffix(err.Error(), "make the plan again") {
			t.Errorf("%s: %v", reason, err)
		}
	}
	if err := read(plan(), "{}"); err == nil || !strings.Contains(err.Error(), "goes on after the plan") {
		t.Errorf("two plans in a file: %v", err)
	}
}
