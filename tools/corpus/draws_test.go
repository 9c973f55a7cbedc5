package corpus_test

import (
	_ "embed"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/corpus/labtest"
)

//go:embed testdata/draws/record_test.go
var recorder []byte

// drawnCases are enough to see every property at every position.
const drawnCases = 1000

// TestGeneratedTestsDrawAllOfPools tests a large resource. checkDraws describes the requirements.
func TestGeneratedTestsDrawAllOfPools(t *testing.T) {
	tier.Long(t, "compiles a long chain of large objects")
	m := five(t)
	checkDraws(t, m, subjectsOf(t, m.Project, m.Output(), "Microsoft.Batch/batchAccounts/pools"))
}

// TestGeneratedTestsDrawAllOfExample looks at the committed code of the worked example.
func TestGeneratedTestsDrawAllOfExample(t *testing.T) {
	root := labtest.Lab(t).Workspace.Root
	example := corpus.Project{Dir: filepath.Join(root, "schemas", "crm")}
	m, unlock, err := corpus.OpenModule(labtest.Lab(t).Workspace, "example", corpus.Project{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(unlock)
	checkDraws(t, m, subjectsOf(t, example, filepath.Join(root, "operator", "api"),
		"Microsoft.Crm/persons", "Microsoft.Crm/parties", "Microsoft.Crm/persons/notes"))
}

// checkDraws compares the models with the values that the generated tests draw. Each property at
// each of its positions must have been drawn, in the API type and in the storage type, and
// nothing else. It ignores the members of objects that contain themselves.
func checkDraws(t *testing.T, m corpus.Module, subjects []subject) {
	t.Helper()
	drawn := record(t, m, subjects)
	for _, s := range subjects {
		for _, storage := range []bool{false, true} {
			t.Run(strings.ReplaceAll(s.title(storage), "/", "."), func(t *testing.T) {
				wanted := s.wanted(storage)
				compareSets(t, wanted, drawn[s.title(storage)])
				if len(wanted) < 20 {
					t.Errorf("only %d paths, too few to prove anything", len(wanted))
				}
			})
		}
	}
}

// subject is a resource version and its model.
type subject struct {
	corpus.Resource
	model *corpus.Model
}

func subjectsOf(t *testing.T, p corpus.Project, output string, resources ...string) []subject {
	t.Helper()
	visible, err := labtest.Lab(t).Show(t.Context(), p, resources...)
	if err != nil {
		t.Fatal(err)
	}
	var subjects []subject
	for _, row := range manifest(t, output).Resources {
		if slices.Contains(resources, row.Source.Type) {
			subjects = append(subjects, subject{row, visible[row.ID()]})
		}
	}
	if len(subjects) == 0 || len(subjects) != len(visible) {
		t.Fatalf("%d versions of %v were generated, and %d are shown", len(subjects), resources, len(visible))
	}
	return subjects
}

func (s subject) label(storage bool) string {
	if storage {
		return s.Version + "storage"
	}
	return s.Version
}

func (s subject) title(storage bool) string { return s.Source.Type + " " + s.label(storage) }

// wanted lists the paths that must be drawn, by the model and the rules of generated types.
func (s subject) wanted(storage bool) map[string]bool {
	paths := map[string]bool{}
	add := func(root string, below ...string) {
		paths[root] = true
		for _, path := range below {
			paths[root+"."+path] = true
		}
	}
	add("metadata", "name", "namespace", "labels", "labels{}", "annotations", "annotations{}", "generation")
	add("spec", "azureName", "owner", "owner.name", "owner.armId",
		"configMapRefs", "configMapRefs[]", "configMapRefs[].path", "configMapRefs[].name", "configMapRefs[].key",
		"outputs", "outputs.secrets", "outputs.secrets[]", "outputs.secrets[].from", "outputs.secrets[].name", "outputs.secrets[].key",
		"outputs.configMaps", "outputs.configMaps[]", "outputs.configMaps[].from", "outputs.configMaps[].name", "outputs.configMaps[].key")
	add("status", "id", "name", "type", "conditions", "conditions[]", "conditions[].type", "conditions[].status", "conditions[].reason",
		"conditions[].message", "conditions[].observedGeneration", "conditions[].lastTransitionTime")
	if storage {
		add("spec", "originalVersion")
	} else {
		add("status", "propertyBag")
	}
	for _, root := range []string{"spec", "status"} {
		for _, position := range s.model.Positions() {
			path := below(root, position.Path)
			add(path)
			if storage && position.Object {
				add(path, "$propertyBag", "$propertyBag{}")
			}
		}
	}
	return paths
}

func below(root, path string) string {
	if path == "" || strings.HasPrefix(path, "{}") {
		return root + path
	}
	return root + "." + path
}

// record runs the generated tests of the subjects and returns the paths that they draw, by the
// title of the subject.
func record(t *testing.T, m corpus.Module, subjects []subject) map[string]map[string]bool {
	t.Helper()
	writePackage(t, m, "draws", map[string][]byte{"record_test.go": recorder, "draws_test.go": calls(subjects)})
	env := []string{fmt.Sprintf("STRATA_CASES=%d", drawnCases)}
	out, err := m.Go(labtest.InTime(t), env, "test", "-v", "-timeout=0", "./draws")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	drawn := map[string]map[string]bool{}
	for line := range strings.Lines(out) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(cells) != 4 || cells[0] != "drawn" {
			continue
		}
		title := cells[1] + " " + cells[2]
		if drawn[title] == nil {
			drawn[title] = map[string]bool{}
		}
		drawn[title][cells[3]] = true
	}
	return drawn
}

func writePackage(t *testing.T, m corpus.Module, folder string, files map[string][]byte) {
	t.Helper()
	if err := m.WriteFolder(folder, files); err != nil {
		t.Fatal(err)
	}
}

// calls returns the test file that records the drawn values of each subject.
func calls(subjects []subject) []byte {
	var imports, body strings.Builder
	for i, s := range subjects {
		fmt.Fprintf(&imports, "\tapi%d %q\n\tstorage%d %q\n", i, s.Package, i, s.Package+"/storage")
		for _, storage := range []bool{false, true} {
			name := map[bool]string{false: "api", true: "storage"}[storage]
			fmt.Fprintf(&body, "\trecord[%s%d.%s](t, %q, %q)\n", name, i, s.Kind, s.Source.Type, s.label(storage))
		}
	}
	return fmt.Appendf(nil, "package draws\n\nimport (\n\t\"testing\"\n\n%s)\n\nfunc TestDraws(t *testing.T) {\n%s}\n", &imports, &body)
}

func compareSets(t *testing.T, wanted, got map[string]bool) {
	t.Helper()
	for _, path := range slices.Sorted(maps.Keys(wanted)) {
		if !got[path] {
			t.Errorf("%s is never drawn", path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(got)) {
		if !wanted[path] {
			t.Errorf("%s is drawn, and the model does not have it", path)
		}
	}
}
