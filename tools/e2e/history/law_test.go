package history_test

import (
	_ "embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/corpus/labtest"
	"github.com/stratakube/strata/tools/e2e/history"
)

// tested is a resource type whose histories are generated and tested.
type tested struct {
	resource string
	reason   string
	quick    bool // whether its histories are tested by mage test:long, too
	renames  []history.Rename
	written  map[string]string // hand-written files
}

// crm is the worked example; the schemas of all others are real.
const crm = "Microsoft.Crm/"

// crmRenames are those of schemas/crm/strata.yaml.
var crmRenames = []history.Rename{
	{Version: "2014-04-04", Type: "PersonProperties", Property: "alphaKey", To: "sortKey"},
	{Version: "2018-08-08", Type: "Address", To: "Location"},
}

var subjects = []tested{
	{crm + "persons", "every case of matching", true, crmRenames, map[string]string{"crm/v20130303/storage/names.go": string(byHand)}},
	{crm + "parties", "a type that comes late", false, nil, nil},
	{crm + "persons/notes", "a nested type", false, nil, nil},
	{"Microsoft.AlertsManagement/actionRules", "unions, and previews before the first stable version", false, nil, nil},
	{"Microsoft.Batch/batchAccounts/pools", "a long chain of large objects, and osDisk, which is away for seven versions", false, []history.Rename{
		{Version: "2020-05-01", Type: "PoolProperties", Property: "maxTasksPerNode", To: "taskSlotsPerNode"},
	}, nil},
	{"Microsoft.Cache/redis", "two spellings of one type", false, []history.Rename{
		{Version: "2015-08-01", Type: "RedisPropertiesOrRedisReadableProperties", Property: "subnet", To: "subnetId"},
	}, nil},
	{"Microsoft.Consumption/budgets", "an object that comes back as another", false, []history.Rename{
		{Version: "2019-01-01", Type: "BudgetProperties", Property: "filters", To: "filter"},
	}, nil},
	{"Microsoft.Devices/provisioningServices", "an identity that is in previews only", false, nil, nil},
	{"Microsoft.DigitalTwins/digitalTwinsInstances/endpoints", "a union whose branches change", false, nil, nil},
	{"Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers", "previews with shapes of their own", false, nil, nil},
	{"Microsoft.DocumentDB/databaseAccounts/tables/throughputSettings", "lists whose elements change", false, []history.Rename{
		{Version: "2020-03-01", Type: "ThroughputSettingsResource", Property: "provisionedThroughputSettings", To: "autoscaleSettings"},
	}, nil},
	{"Microsoft.Insights/diagnosticSettings", "a list that comes back with other elements", false, nil, nil},
	{"Microsoft.Insights/scheduledQueryRules", "integers that are numbers for a while", false, nil, nil},
	{"Microsoft.Insights/webtests", "rules that are objects, then strings", true, nil, nil},
	{"Microsoft.Insights/workbooks", "only stable versions", false, []history.Rename{
		{Version: "2015-05-01", Type: "WorkbookProperties", Property: "sourceResourceId", To: "sourceId"},
	}, nil},
	{"Microsoft.KeyVault/vaults/privateEndpointConnections", "small objects", false, []history.Rename{
		{Version: "2018-02-14", Type: "PrivateLinkServiceConnectionState", Property: "actionRequired", To: "actionsRequired"},
	}, nil},
	{"Microsoft.Kubernetes/connectedClusters", "a profile that is away for five versions", false, nil, nil},
	{"Microsoft.Kusto/clusters", "lists in objects that are away for six versions", false, nil, nil},
	{"Microsoft.ManagedIdentity/userAssignedIdentities", "properties that go altogether", true, nil, nil},
	{"Microsoft.MobileNetwork/packetCoreControlPlanes", "nested objects", false, nil, nil},
	{"Microsoft.Portal/dashboards", "free JSON, maps and lists of one property", false, nil, nil},
	{"Microsoft.Search/searchServices", "rules that are renamed and retyped", false, nil, nil},
	{"Microsoft.Solutions/applications", "maps of free JSON", false, nil, nil},
	{"Microsoft.Storage/storageAccounts/managementPolicies", "free JSON that becomes an object", false, nil, nil},
	{"Microsoft.StorageSync/storageSyncServices", "properties without a type", false, nil, nil},
	{"Microsoft.StreamAnalytics/streamingjobs/functions", "unions that come back in another shape", false, nil, nil},
	{"Microsoft.StreamAnalytics/streamingjobs/outputs", "a map that becomes free JSON", false, nil, nil},
}

//go:embed testdata/augmented/names.go
var byHand []byte

// names are the properties that the hand-written steps of the worked example derive from one
// another.
var names = []string{"firstName", "middleName", "lastName", "legalName", "familyName", "knownAs"}

// quickCases and soakCases are how many objects are drawn at each stage in each version.
const (
	quickCases = 4
	soakCases  = 10
)

// TestHistories proves law 7: stored objects are read with the values with which they were
// stored.
func TestHistories(t *testing.T) {
	for _, subject := range subjects {
		t.Run(strings.ReplaceAll(subject.resource, "/", "."), func(t *testing.T) {
			subject.inTier(t)
			subject.run(t)
		})
	}
}

// inTier skips the test of a subject in runs that have no time for it.
func (s tested) inTier(t *testing.T) {
	t.Helper()
	switch {
	case !s.quick:
		tier.Soak(t, "tests all types")
	case !strings.HasPrefix(s.resource, crm):
		tier.Long(t, "compiles the stages of a published API")
	}
}

// TestLostLedgerIsFound requires that the test of a history fails where it must: without the
// ledger, a first version that arrives late has the plain key, which was given to another kind of
// value before.
func TestLostLedgerIsFound(t *testing.T) {
	schemas, err := filepath.Abs("testdata/forgotten")
	if err != nil {
		t.Fatal(err)
	}
	site, subject := site(t, "history"), history.Subject{Type: "Contoso.Shop/boxes", Schemas: schemas}
	h := history.History{Name: "forgotten", Stages: []history.Stage{
		{Name: "s01", Because: "the first version has not arrived", Versions: []string{"2021-01-01", "2022-01-01"}},
		{Name: "s02", Because: "it arrives, and the ledger is lost", Forgets: true},
	}}
	trees, err := site.GenerateStages(t.Context(), subject, h)
	if err != nil {
		t.Fatal(err)
	}
	folder := writeTests(t, site, trees)
	results, name := run(t, site, quickCases, folder), corpus.ModulePath+"/"+folder+"/TestHistory/"
	if !results.Passed[name+"s01"] {
		t.Errorf("what was stored without a history has not been read\n%s", failures(results, corpus.ModulePath+"/"+folder))
	}
	if found := results.Failed[name+"s02"]; !strings.Contains(found, "got nothing, want ") {
		t.Errorf("the loss was not found\n%s", most(found))
	}
}

// TestNamedMapMembers proves law 7 for a later version that names members of earlier maps. Every
// key of such a map stays a key, also one like that of a property bag.
func TestNamedMapMembers(t *testing.T) {
	schemas, err := filepath.Abs("testdata/named")
	if err != nil {
		t.Fatal(err)
	}
	site, subject := site(t, "history"), history.Subject{Type: "Contoso.Shop/boxes", Schemas: schemas}
	h := history.History{Name: "named", Stages: []history.Stage{
		{Name: "s01", Because: "there are only maps", Versions: []string{"2020-01-01"}},
		{Name: "s02", Because: "a version names some of their members"},
	}}
	trees, err := site.GenerateStages(t.Context(), subject, h)
	if err != nil {
		t.Fatal(err)
	}
	folder := writeTests(t, site, trees)
	check(t, run(t, site, namedCases, folder), corpus.ModulePath+"/"+folder, h)
}

// namedCases are enough to draw each hostile key in each map.
const namedCases = 400

// TestHubs proves that bags do not depend on the hub, over all pairs of hubs. What was stored while
// one version was the hub reads the same while any other is, to the bytes of status.propertyBag. So
// a client that reads before the hub changes and writes after it is not refused.
func TestHubs(t *testing.T) {
	t.Run("persons", func(t *testing.T) {
		subject := history.Subject{Type: crm + "persons", Schemas: example(t, "crm"), Types: example(t, "crm-bicep")}
		proveHubs(t, site(t, "history"), subject, history.Stage{}, some([]string{"2012-02-02", "2014-04-04-preview", "2015-05-05", "2018-08-08", "2019-09-09"}, maxHubs()))
	})
	t.Run("CRDs", func(t *testing.T) {
		subject := history.Subject{Type: crm + "persons", Schemas: example(t, "crm")}
		native := history.Stage{Native: natives[subject.Type], Sources: crdForm(t)}
		proveHubs(t, site(t, "history-crds"), subject, native, some([]string{"v20120202", "v20140404", "v20180808", "v20190909"}, maxHubs()))
	})
	t.Run("open objects", func(t *testing.T) {
		schemas, err := filepath.Abs("testdata/open")
		if err != nil {
			t.Fatal(err)
		}
		proveHubs(t, site(t, "history"), history.Subject{Type: "Microsoft.Shop/boxes", Schemas: schemas}, history.Stage{}, some([]string{"2020-01-01", "2021-01-01", "2022-01-01", "2023-01-01"}, maxHubs()))
	})
	for _, real := range hubTypes {
		t.Run(strings.ReplaceAll(real.resource, "/", "."), func(t *testing.T) {
			tested{resource: real.resource, quick: real.quick}.inTier(t)
			subject := tested{resource: real.resource}.subject(t)
			site := site(t, "history")
			trees, err := site.GenerateStages(t.Context(), subject, history.History{Name: "whole", Stages: []history.Stage{{Name: "s01"}}})
			if err != nil {
				t.Fatal(err)
			}
			proveHubs(t, site, subject, history.Stage{}, some(versionsOf(trees[0]), maxHubs()))
		})
	}
}

// hubTypes are types of published schemas whose hubs change.
var hubTypes = []struct {
	resource string
	quick    bool
}{
	{"Microsoft.ManagedIdentity/userAssignedIdentities", true}, // properties that go altogether
	{"Microsoft.Insights/webtests", false},                     // rules that are objects, then strings
	{"Microsoft.Kusto/clusters", false},                        // lists that are away for six versions
	{"Microsoft.Batch/batchAccounts/pools", false},             // a long chain of large objects
	{"Microsoft.Solutions/applications", false},                // maps of free JSON
	{"Microsoft.Storage/storageAccounts/managementPolicies", false},
	{"Microsoft.DocumentDB/databaseAccounts/sqlDatabases/containers", false}, // previews with shapes of their own
}

// maxHubs returns how many versions of a type are hubs one after the other. Each hub takes two
// stages, and all versions of a type are compiled at each stage.
func maxHubs() int {
	return tier.IfSoak(3, 5)
}

// some returns at most n of the versions, the first and the last among them.
func some(versions []string, n int) []string {
	if len(versions) <= n {
		return versions
	}
	var out []string
	for i := range n {
		out = append(out, versions[i*(len(versions)-1)/(n-1)])
	}
	return out
}

// proveHubs tests the hubs of a type. The source has what its stages share.
func proveHubs(t *testing.T, site history.Site, subject history.Subject, source history.Stage, versions []string) {
	t.Helper()
	h := history.Hubs(versions)
	for i := range h.Stages {
		h.Stages[i].Native, h.Stages[i].Sources = source.Native, source.Sources
	}
	if len(h.Stages) < 3 {
		t.Skip("not this case: the type has one stable version")
	}
	trees, err := site.GenerateStages(t.Context(), subject, h)
	if err != nil {
		t.Fatal(err)
	}
	folder := writeTests(t, site, trees)
	check(t, run(t, site, hubCases, folder), corpus.ModulePath+"/"+folder, h)
}

// hubCases are how many objects are drawn for each pair of a version and a hub.
const hubCases = 12

func (s tested) subject(t *testing.T) history.Subject {
	t.Helper()
	if strings.HasPrefix(s.resource, crm) {
		return history.Subject{Type: s.resource, Schemas: example(t, "crm"), Types: example(t, "crm-bicep")}
	}
	l := labtest.WithSchemas(t)
	return history.Subject{Type: s.resource, Schemas: l.Schemas(), Types: l.Types()}
}

// typed lists the versions of the subject that Bicep types describe.
func (s tested) typed(t *testing.T, versions []string) []string {
	t.Helper()
	if strings.HasPrefix(s.resource, crm) {
		return versions
	}
	files, err := labtest.Lab(t).TypeFiles()
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(slices.Clone(versions), func(v string) bool { return files[corpus.NewID(s.resource, v)] == nil })
}

// usual are the histories that mage test tries: a version arrives late, one is pruned, one renames
// properties. Each stage of the others is compiled by mage test:long.
var usual = []string{"late", "pruned", "renamed"}

func (s tested) run(t *testing.T) {
	s.runAll(t, func(versions []string) []history.History {
		histories := history.Histories(versions, s.renames)
		if !tier.IsLong() {
			histories = slices.DeleteFunc(histories, func(h history.History) bool { return !slices.Contains(usual, h.Name) })
		}
		if !tier.IsSoak() && !strings.HasPrefix(s.resource, crm) {
			histories = slices.DeleteFunc(histories, func(h history.History) bool { return h.Name == "chosen" })
		}
		if len(s.written) > 0 {
			histories = append(histories, history.Augmented(versions, s.written, names))
		}
		return histories
	})
}

// TestStatuses proves law 7 for a source that describes the status only after objects were stored
// with a status that mirrors the spec.
func TestStatuses(t *testing.T) {
	for _, subject := range subjects {
		t.Run(strings.ReplaceAll(subject.resource, "/", "."), func(t *testing.T) {
			subject.inTier(t)
			subject.runAll(t, func(versions []string) []history.History {
				return history.Observed(versions, subject.typed(t, versions), subject.renames)
			})
		})
	}
}

// runAll tests the histories of a type that of selects by its versions.
func (s tested) runAll(t *testing.T, of func(versions []string) []history.History) {
	site, subject := site(t, "history"), s.subject(t)
	whole, err := site.GenerateStages(t.Context(), subject, history.History{Name: "whole", Stages: []history.Stage{{Name: "s01"}}})
	if err != nil {
		t.Fatal(err)
	}
	var histories []history.History
	var folders []string
	for _, h := range of(versionsOf(whole[0])) {
		trees, err := site.GenerateStages(t.Context(), subject, h)
		if err != nil && unsupported(err) {
			t.Logf("SKIPPED, AND WITH IT A PROOF: history %s: %v", h.Name, err)
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		if !obeyed(t, trees) {
			t.Errorf("history %s proves nothing: what is written by hand is not called", h.Name)
			continue
		}
		histories, folders = append(histories, h), append(folders, writeTests(t, site, trees))
	}
	if len(histories) == 0 {
		t.Skip("not this case: there is no such history of this type")
	}
	results := run(t, site, s.cases(), folders...)
	for i, h := range histories {
		t.Run(h.Name, func(t *testing.T) { check(t, results, corpus.ModulePath+"/"+folders[i], h) })
	}
}

func (s tested) cases() int {
	return tier.IfSoak(quickCases, soakCases)
}

// writeTests writes the test package of a history and returns its folder.
func writeTests(t *testing.T, site history.Site, trees []history.Tree) string {
	t.Helper()
	files := engine(t, "generation", "history")
	glue(t, files, trees...)
	files["tell_test.go"] = calls(trees)
	folder := path.Join(trees[0].Subject.Name(), trees[0].History, "proofs")
	if err := site.WriteFolder(folder, files); err != nil {
		t.Fatal(err)
	}
	return folder
}

// obeyed reports whether the generated code calls the hand-written methods, if there are any.
func obeyed(t *testing.T, trees []history.Tree) bool {
	t.Helper()
	last := trees[len(trees)-1]
	for name := range last.Written {
		calls, err := filepath.Glob(filepath.Join(last.Output, filepath.FromSlash(path.Dir(name)), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(calls, func(file string) bool { return strings.Contains(read(t, file), "AssignableTo") }) {
			return false
		}
	}
	return true
}

func read(t *testing.T, file string) string {
	t.Helper()
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// unsupported reports whether the generator's error states that it does not support a stage yet.
func unsupported(err error) bool { return strings.Contains(err.Error(), "not supported yet") }

// calls is the test of a history.
func calls(trees []history.Tree) []byte {
	var stages []string
	for _, tree := range trees {
		stages = append(stages, tree.Variable())
	}
	return fmt.Appendf(nil, "package proofs\n\nimport \"testing\"\n\nfunc TestHistory(t *testing.T) {\n\ttell(t, %s)\n}\n",
		strings.Join(stages, ", "))
}

// check requires that every stage of a history has passed.
func check(t *testing.T, results history.Results, pkg string, h history.History) {
	for _, stage := range h.Stages {
		name := pkg + "/TestHistory/" + stage.Name
		if !results.Passed[name] {
			t.Errorf("%s (%s) has not passed\n%s", stage.Name, stage.Because, results.Failed[name])
		}
	}
	if t.Failed() {
		t.Log(failures(results, pkg))
	}
}
