package corpus_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/command"
	"github.com/stratakube/strata/tools/build/programs"
	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/corpus/labtest"
)

// asoGroups are the packages of Azure Service Operator that are tried.
var asoGroups = []string{
	"batch/v1api20210101", "storage/v1api20210401", "storage/v1api20220901", "storage/v1api20230101",
	"compute/v1api20200930", "compute/v1api20240302", "network/v1api20180901", "network/v1api20240601",
}

// TestObjectsOfAzureServiceOperator generates from the CRDs of the operator's Go types, and reads
// objects that the operator's own conversions have stored, also after edits through other versions.
// In every version, both engines must return the values that the operator returns, and lose nothing
// when a client writes them back.
//
// It needs the modules of testdata/aso.
func TestObjectsOfAzureServiceOperator(t *testing.T) {
	if os.Getenv("STRATA_CORPUS") == "" {
		t.Skip("needs STRATA_CORPUS=1: compiles the types of Azure Service Operator")
	}
	l := labtest.Lab(t)
	m, unlock, err := corpus.OpenModule(l.Workspace, "aso", corpus.Project{Like: "webhook", NoARM: true})
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if err := os.RemoveAll(m.Output()); err != nil { // no ledger: every run is a first one
		t.Fatal(err)
	}
	reader, err := os.ReadFile(filepath.Join("testdata", "asoread", "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	for folder, files := range map[string]map[string][]byte{"crds": asoCRDs(t), "asoread": {"main.go": reader}} {
		if err := m.WriteFolder(folder, files); err != nil {
			t.Fatal(err)
		}
	}
	text := "apiVersion: strata.dev/v1alpha1\nkind: Generation\nsources: [{crd: {root: crds}}]\noutput: {dir: api, module: " +
		corpus.ModulePath + "/api}\ngroups: {storedBy: {batch.azure.com: aso, compute.azure.com: aso, network.azure.com: aso, storage.azure.com: aso}}\n"
	if err := m.WriteNew("strata.yaml", []byte(text)); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Generate(t.Context(), m.Project); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "asoread")
	if err := m.Build(t.Context(), binary, "./asoread"); err != nil {
		t.Fatal(err)
	}
	read := exec.CommandContext(t.Context(), binary)
	read.Stdin, read.Stderr = bytes.NewReader(asoExamples(t)), t.Output()
	printed, err := read.Output()
	if err != nil {
		t.Fatal(err)
	}
	var result struct {
		Objects, Bags, Leaves, Lost, Changed, Added int
		Faults                                      []string
	}
	if err := json.Unmarshal(printed, &result); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d objects, %d with property bags; %d leaves: %d lost, %d changed, %d added", result.Objects, result.Bags, result.Leaves,
		result.Lost, result.Changed, result.Added)
	if len(result.Faults) > 0 {
		t.Errorf("the first faults:\n%s", strings.Join(result.Faults, "\n"))
	}
	if result.Objects < 1000 || result.Bags < 100 || result.Leaves < 500_000 {
		t.Error("there are too few examples")
	}
}

// aso is the module with the operator's types.
var aso = command.In{Dir: filepath.Join("testdata", "aso"), Env: corpus.GoEnv}

// asoExamples returns the output of that module's program.
func asoExamples(t *testing.T) []byte {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "aso")
	if err := programs.Build(t.Context(), aso, binary, "."); err != nil {
		t.Fatal(err)
	}
	printed, err := exec.CommandContext(t.Context(), binary, "20").Output()
	if err != nil {
		t.Fatal(err)
	}
	return printed
}

// asoCRDs returns the CRDs of the operator's types, as controller-gen makes them.
func asoCRDs(t *testing.T) map[string][]byte {
	t.Helper()
	peers := command.In{Dir: filepath.Join("..", "bench", "generator", "peers"), Env: []string{"GOWORK=off"}}
	generator, err := peers.Output(t.Context(), "go", "tool", "-n", "controller-gen")
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	args := []string{"crd:allowDangerousTypes=true,maxDescLen=100", "output:crd:dir=" + out}
	for _, group := range asoGroups {
		const all = "paths=github.com/Azure/azure-service-operator/v2/api/"
		args = append(args, all+group, all+group+"/storage")
	}
	if _, err := aso.Output(t.Context(), strings.TrimSpace(generator), args...); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if files[entry.Name()], err = os.ReadFile(filepath.Join(out, entry.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}
