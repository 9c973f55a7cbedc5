package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestMisuse checks that wrong command lines end with 2 and a message, and help with 0.
func TestMisuse(t *testing.T) {
	for _, test := range []struct {
		reason string
		args   []string
		code   int
		output string
	}{
		{"no kind", []string{"versions"}, Failed, "takes a kind"},
		{"too much", []string{"versions", "a", "b", "c"}, Failed, "takes a kind"},
		{"an unknown form", []string{"versions", "a", "-o", "xml"}, Failed, "table or json"},
		{"an unknown command", []string{"version"}, Failed, "unknown command"},
		{"a cluster that there is not", []string{"versions", "a", "--kubeconfig", "/nowhere"}, Failed, "find the cluster"},
		{"a converter without time", []string{"upgrade", "plan", "a", "--converter", "b", "--converter-timeout", "0s"}, Failed, "above zero"},
		{"an unknown form of a plan", []string{"upgrade", "plan", "a", "--converter", "b", "-o", "xml"}, Failed, "markdown or junit"},
		{"one cluster and several", plans("--context", "a", "--contexts", "a,b"), Failed, "use one of them"},
		{"a context without a name", plans("--contexts", "a,,b"), Failed, "an empty name"},
		{"no cluster at once", plans("--contexts", "a", "--parallel-clusters", "0"), Failed, "above zero"},
		{"replicas of several clusters", plans("--contexts", "a", "--webhook", "http://a"), Failed, "replicas of one cluster"},
		{"no kind to migrate", []string{"migrate"}, Failed, "takes a kind"},
		{"no rate", []string{"migrate", "a", "--rate", "0"}, Failed, "--rate is between"},
		{"a time and an address", []string{"migrate", "a", "--settle", "1s", "--server", "https://a"}, Failed, "in place of --server"},
		{"a time before now", []string{"migrate", "a", "--settle", "-1s"}, Failed, "a time to wait"},
		{"an unknown form of a migration", []string{"migrate", "a", "-o", "xml"}, Failed, "table or json"},
		{"help on a migration", []string{"migrate", "--help"}, Done, "--gone"},
		{"a diagnosis of something", []string{"doctor", "a"}, Failed, "takes no arguments"},
		{"an unknown form of a diagnosis", []string{"doctor", "-o", "xml"}, Failed, "table or json"},
		{"a replica that is no address", []string{"doctor", "--webhook", "a"}, Failed, "probe address"},
		{"no package", []string{"doctor", "--package", "/nowhere", "--kubeconfig", "/nowhere"}, Failed, "find the cluster"},
		{"help", []string{"versions", "--help"}, Done, "strata cluster versions Person"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			var out, messages bytes.Buffer
			code := Run(t.Context(), test.args, Streams{Out: &out, Err: &messages})
			if code != test.code || !strings.Contains(out.String()+messages.String(), test.output) {
				t.Errorf("exit code %d: %s%s", code, out.String(), messages.String())
			}
		})
	}
}

// plans returns the arguments that plan an upgrade, with flags.
func plans(flags ...string) []string {
	return append([]string{"upgrade", "plan", "a", "--converter", "b"}, flags...)
}

// TestReferenceNamesAllFlags runs only if the documentation is beside the module.
func TestReferenceNamesAllFlags(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/guide/reference/cluster.md")
	if err != nil {
		t.Skip("needs the repository: there is no documentation here")
	}
	var out bytes.Buffer
	for _, command := range [][]string{{"versions"}, {"doctor"}, {"migrate"}, {"upgrade", "plan"}} {
		Run(t.Context(), append(command, "--help"), Streams{Out: &out, Err: &out})
	}
	for line := range strings.Lines(out.String()) {
		if _, flag, ok := strings.Cut(line, "--"); ok && strings.HasPrefix(strings.TrimSpace(line), "-") {
			if name := "--" + strings.Fields(flag)[0]; name != "--help" && !strings.Contains(string(page), name) {
				t.Errorf("the reference does not name %s", name)
			}
		}
	}
}
