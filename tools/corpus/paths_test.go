package corpus_test

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/corpus"
)

//go:embed testdata/paths/path_test.go
var pathProof []byte

// TestFusedConversionsDoWhatTheStepsDo compares the conversion of every resource version to the hub at once with that
// through all storage types between, and the same on the way back.
func TestFusedConversionsDoWhatTheStepsDo(t *testing.T) {
	checkPaths(t, five(t), fiveCases, "batch", "datafactory")
}

// checkPaths writes a package of proofs for each group and runs them.
func checkPaths(t *testing.T, m corpus.Module, cases int, groups ...string) {
	t.Helper()
	chains := chains(t, m, groups)
	args := []string{"test", "-json", "-timeout=0"}
	for _, group := range groups {
		files := map[string][]byte{"path_test.go": pathProof}
		for _, c := range chains {
			if c.rows[0].Folder() == group {
				files[c.name()+"_test.go"] = c.proofs()
			}
		}
		place(t, m, "paths/"+group, files)
		args = append(args, "./paths/"+group)
	}
	out, err := m.Go(inTime(t), []string{fmt.Sprintf("STRATA_CASES=%d", cases)}, args...)
	results := readResults(t, out)
	if err != nil {
		t.Errorf("%v\n%s", err, some(results.failures))
	}
	for _, c := range chains {
		for _, row := range c.rows {
			for _, label := range []string{row.Version, row.Version + "_from_the_hub"} {
				if !results.passed[proof(row, label)] {
					t.Errorf("no test %s has passed", proof(row, label))
				}
			}
		}
	}
}

// chain is a resource with its versions and their neighbours.
type chain struct {
	rows []corpus.Resource
	next map[string]string // label of the neighbour nearer to the hub, by label
}

var step = regexp.MustCompile(`conformance\.Step\("(\w+)storage", \w+\.Convert\w+ToV(\w+), `)

// chains reads the neighbours from the generated proofs of the steps.
func chains(t *testing.T, m corpus.Module, groups []string) map[string]*chain {
	t.Helper()
	all := map[string]*chain{}
	for _, row := range manifest(t, m.Output()).Resources {
		if !slices.Contains(groups, row.Folder()) {
			continue
		}
		c := all[row.Source.Type]
		if c == nil {
			file := filepath.Join(m.Output(), row.Folder(), "conversiontest", proofFile(row.Kind))
			c = &chain{next: map[string]string{}}
			for _, found := range step.FindAllStringSubmatch(string(read(t, file)), -1) {
				c.next[found[1]] = "v" + found[2]
			}
			all[row.Source.Type] = c
		}
		c.rows = append(c.rows, row)
	}
	for name, c := range all {
		if len(c.next) != len(c.rows)-1 {
			t.Fatalf("%s has %d steps between %d versions", name, len(c.next), len(c.rows))
		}
	}
	return all
}

// proofFile names the file of a kind's proofs. Kinds that end as tests do have an underscore more.
func proofFile(kind string) string {
	name := strings.ToLower(kind)
	if strings.HasSuffix(name, "test") {
		name += "_"
	}
	return name + "_test.go"
}

func (c *chain) name() string { return strings.ToLower(c.rows[0].Kind) }

// proofs is the test file of a chain.
func (c *chain) proofs() []byte {
	var imports, ways, tests strings.Builder
	prefix, kind := c.name(), c.rows[0].Kind
	for _, row := range c.rows {
		v := row.Version
		fmt.Fprintf(&imports, "\t%q\n\t%sstorage %q\n", row.Package, v, row.Package+"/storage")
		if next := c.next[v]; next == "" {
			fmt.Fprintf(&ways, "\t%s_up_%s, %s_down_%s = itself[*%sstorage.%s], itself[*%sstorage.%s]\n", prefix, v, prefix, v, v, kind, v, kind)
		} else {
			step := fmt.Sprintf("%sstorage.Convert%s%%sV%s", v, kind, next[1:])
			fmt.Fprintf(&ways, "\t%s_up_%s = up(%s, %s_up_%s)\n", prefix, v, fmt.Sprintf(step, "To"), prefix, next)
			fmt.Fprintf(&ways, "\t%s_down_%s = down(%s_down_%s, %s)\n", prefix, v, prefix, next, fmt.Sprintf(step, "From"))
		}
		method := func(name string) string { return fmt.Sprintf("(*%s.%s).%s", v, kind, name) }
		fmt.Fprintf(&tests, "\tprove(t, %q, %q, version[*%s.%s, *%sstorage.%s, *%sstorage.%s]{%s, %s, %s, %s, %s_up_%s, %s_down_%s})\n",
			row.Source.Type, v, v, kind, v, kind, c.hub(), kind,
			method("ConvertTo"), method("ConvertFrom"), method("ConvertToStorage"), method("ConvertFromStorage"), prefix, v, prefix, v)
	}
	return fmt.Appendf(nil, "package paths\n\nimport (\n\t\"testing\"\n\n%s)\n\nvar (\n%s)\n\nfunc Test_%s(t *testing.T) {\n%s}\n",
		&imports, &ways, prefix, &tests)
}

func (c *chain) hub() string {
	for _, row := range c.rows {
		if c.next[row.Version] == "" {
			return row.Version
		}
	}
	return ""
}
