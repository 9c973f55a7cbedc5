package history_test

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/build/testrun/tier"
	"github.com/stratakube/strata/tools/corpus"
	"github.com/stratakube/strata/tools/corpus/labtest"
	"github.com/stratakube/strata/tools/e2e/history"
)

// region is a property of a resource type that is away in some versions and back in others, in
// another shape.
type region struct {
	resource string
	path     string // below the body, as in properties.phones[].number; branches of unions are named in < >
	old, new string // versions that have it, where they are known
}

// beyond are regions that the table of phenomena does not list. They arise from the topology of the
// chain: versions that are neighbours there are not by date.
var beyond = []region{
	{resource: "Microsoft.DataProtection/backupVaults/backupInstances", path: "properties.policyInfo.policyParameters.backupDatasourceParametersList"},
	{resource: "Microsoft.Devices/IotHubs", path: "properties.routing.endpoints.cosmosDBSqlContainers"},
	{resource: "Microsoft.HybridCompute/machines", path: "properties.licenseProfile"},
	{resource: "Microsoft.Insights/scheduledQueryRules", path: "properties.actions"},
	{resource: "Microsoft.Insights/scheduledQueryRules", path: "properties.criteria"},
	{resource: "Microsoft.Insights/scheduledQueryRules", path: "properties.severity"},
	{resource: "Microsoft.Insights/webtests", path: "properties.ValidationRules"},
	{resource: "Microsoft.Kubernetes/connectedClusters", path: "properties.gateway"},
	{resource: "Microsoft.Search/searchServices", path: "properties.networkRuleSet"},
	{resource: "Microsoft.Storage/storageAccounts/fileServices", path: "properties.protocolSettings"},
	{resource: "Microsoft.StreamAnalytics/streamingjobs", path: "identity"},
	{resource: "Microsoft.StreamAnalytics/streamingjobs", path: "properties.outputs[].properties.datasource.properties.systemPropertyColumns"},
	{resource: "Microsoft.StreamAnalytics/streamingjobs/outputs", path: "properties.datasource.properties.systemPropertyColumns"},
}

// longRegions are types whose regions mage test:long tries. mage test tries those of quickRegions.
var (
	quickRegions = []string{"Microsoft.Kusto/clusters"}
	longRegions  = []string{"Microsoft.Batch/batchAccounts/pools", "Microsoft.Kusto/clusters", "Microsoft.Consumption/budgets", "Microsoft.Insights/webtests"}
)

// skippingCases are enough to draw a value of every property, and too few for the demand that every
// property is drawn.
const skippingCases = 199

// TestSkippingProperties proves, for each region, that values return: along the chain and through
// every version.
func TestSkippingProperties(t *testing.T) {
	site, schemas := site(t, "skipping"), labtest.WithSchemas(t).Schemas()
	regions := slices.Concat(known(t, schemas), beyond)
	trees := map[string]history.Tree{}
	files := engine(t, "generation", "skipping")
	var body strings.Builder
	for _, r := range regions {
		if !r.tried() {
			continue
		}
		if _, isGenerated := trees[r.resource]; !isGenerated {
			trees[r.resource] = now(t, site, history.Subject{Type: r.resource, Schemas: schemas})
			glue(t, files, trees[r.resource])
		}
		body.WriteString(r.call(t, trees[r.resource]))
	}
	files["regions_test.go"] = fmt.Appendf(nil, "package proofs\n\nimport \"testing\"\n\nfunc TestRegions(t *testing.T) {\n%s}\n", &body)
	const folder = "proofs"
	if err := site.WriteFolder(folder, files); err != nil {
		t.Fatal(err)
	}
	results := run(t, site, skippingCases, folder)
	for _, r := range regions {
		t.Run(r.name(), func(t *testing.T) {
			switch {
			case r.tried():
			case slices.Contains(longRegions, r.resource):
				tier.Long(t, "compiles several published types")
			default:
				tier.Soak(t, "tries all regions")
			}
			name := corpus.ModulePath + "/" + folder + "/TestRegions/" + r.name()
			if !results.Passed[name] {
				t.Errorf("has not passed\n%s", cmp.Or(failures(results, name), failures(results, "")))
			}
		})
	}
}

func (r region) tried() bool {
	return tier.IsSoak() || slices.Contains(tier.IfLong(quickRegions, longRegions), r.resource)
}

func (r region) name() string {
	name := r.resource + " " + r.path
	if r.old != "" {
		name += " " + r.old + " to " + r.new
	}
	return strings.NewReplacer("/", ".", " ", "_").Replace(name)
}

// known are the regions of the table of phenomena, with the types in the spelling of the manifest.
func known(t *testing.T, schemas string) []region {
	t.Helper()
	spelled := map[string]string{}
	for _, row := range table(t, filepath.Join(schemas, "..", "manifest.tsv")) {
		spelled[strings.ToLower(row["resource_type"])] = row["resource_type"]
	}
	var all []region
	for _, row := range table(t, filepath.Join(schemas, "..", "phenomena.tsv")) {
		if row["phenomenon"] != "reintroduced-different-shape" {
			continue
		}
		r := region{spelled[row["resource_type"]], row["property_path"], row["last_version_with_old"], row["version_with_new"]}
		if !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	if len(all) < 30 {
		t.Fatalf("the table has only %d regions", len(all))
	}
	return all
}

// table reads a table of tab-separated cells, by the names in its first line.
func table(t *testing.T, file string) []map[string]string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var names []string
	var rows []map[string]string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		cells := strings.Split(lines.Text(), "\t")
		if names == nil {
			names = cells
			continue
		}
		row := map[string]string{}
		for i, cell := range cells {
			row[names[i]] = cell
		}
		rows = append(rows, row)
	}
	return rows
}

// now generates all versions of a type at once.
func now(t *testing.T, site history.Site, subject history.Subject) history.Tree {
	t.Helper()
	trees, err := site.GenerateStages(t.Context(), subject, history.History{Name: "now", Stages: []history.Stage{{Name: "s01"}}})
	if err != nil {
		t.Fatal(err)
	}
	return trees[0]
}

var (
	branch = regexp.MustCompile(`<[^>]*>`)
	around = regexp.MustCompile(`\[\]|\{\}`)
)

// steps are the names on the path, with [] and {} apart.
func (r region) steps() []string {
	path := around.ReplaceAllString(branch.ReplaceAllString(r.path, ""), ".$0")
	return strings.Split(path, ".")
}

// call is the Go code that tries the region.
func (r region) call(t *testing.T, tree history.Tree) string {
	t.Helper()
	return fmt.Sprintf("\tcomes(t, %q, property{%s, %#v, %q, %q, %#v})\n",
		r.name(), tree.Variable(), r.steps(), label(tree, r.old), label(tree, r.new), keysOf(t, tree, r.steps()))
}

// label is Kubernetes' name of a source's version.
func label(tree history.Tree, version string) string {
	for _, row := range tree.Resources {
		if strings.EqualFold(row.Source.Version, version) {
			return row.Version
		}
	}
	return ""
}

var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// keysOf are the keys that the ledger gives a property, by version.
func keysOf(t *testing.T, tree history.Tree, steps []string) map[string]string {
	t.Helper()
	steps = slices.DeleteFunc(slices.Clone(steps), func(step string) bool { return step == "[]" || step == "{}" })
	row := tree.Resources[0]
	body, err := os.ReadFile(filepath.Join(tree.Output, "ledger", row.Folder(), strings.ToLower(row.Kind)+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]string{}
	for line := range strings.Lines(string(body)) {
		word, rest, _ := strings.Cut(line, " ")
		if word != "key" && word != "via" {
			continue
		}
		cells := unquoted(t, rest)
		version, key, path := cells[0], cells[1], cells[2:]
		if word == "via" {
			path = path[1:] // where the shape is that the bag holds
		}
		path = append(slices.Clone(path[1:]), path[0])
		if keys[version] == "" && slices.EqualFunc(path, steps, strings.EqualFold) {
			keys[version] = key
		}
	}
	return keys
}

// unquoted are the quoted words of a line.
func unquoted(t *testing.T, line string) []string {
	t.Helper()
	var words []string
	for _, word := range quoted.FindAllString(line, -1) {
		text, err := strconv.Unquote(word)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		words = append(words, text)
	}
	return words
}
