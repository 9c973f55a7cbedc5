package cli

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stratakube/strata/operator/arm/internal/importing"
)

// TestProgress checks the line of each stage of an import.
func TestProgress(t *testing.T) {
	for _, tt := range []struct {
		reason string
		state  importing.State
		want   string
	}{
		{"reading a hostile path", importing.State{Read: 10, Reading: "/subscriptions/s\x1b[2J\n"}, "10 resources read in 4 s, 2.5 a second; reading /subscriptions/s\ufffd[2J\ufffd"},
		{"encoding", importing.State{Read: 10, Encoded: 9}, "9 of 10 objects encoded"},
		{"writing", importing.State{Read: 10, Encoded: 10, Written: 3}, "3 of 10 objects written"},
	} {
		var out bytes.Buffer
		p := newProgress(&out)
		p.end() // the test prints the lines itself
		p.now = func() time.Time { return p.began.Add(4 * time.Second) }
		p.report(tt.state)
		p.line()
		if want := "strata arm: " + tt.want + "\n"; out.String() != want {
			t.Errorf("%s: %q, want %q", tt.reason, &out, want)
		}
	}
}

// slow is an output whose writes take long.
type slow struct{ bytes.Buffer }

func (s *slow) Write(text []byte) (int, error) {
	time.Sleep(50 * time.Millisecond)
	return s.Buffer.Write(text)
}

// TestImportReportsProgress checks that an import writes lines by itself, while it reads and while
// it writes.
func TestImportReportsProgress(t *testing.T) {
	before := interval
	interval = 10 * time.Millisecond
	t.Cleanup(func() { interval = before })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(50 * time.Millisecond)
		_, _ = w.Write([]byte(`{"properties": {}}`))
	}))
	defer server.Close()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"manifest.json": `{"resources": [{"source": {"type": "Microsoft.Crm/persons", "version": "2019-09-09"},
			"group": "crm.example.com", "version": "v20190909", "kind": "Person", "plural": "persons", "served": true}]}`,
		"persons.crm.example.com.yaml": `spec: {versions: [{name: v20190909, schema: {openAPIV3Schema: {properties: {spec: {type: object}}}}}]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const anna = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Crm/persons/anna"
	var out slow
	var errs bytes.Buffer
	code := Run(t.Context(), []string{"import", "--manifest", filepath.Join(dir, "manifest.json"), "--crds", dir, "--config", "cloud=custom",
		"--config", "endpoint=" + server.URL, "--config", "credentials=none", anna}, Streams{Out: &out, Err: &errs})
	if code != Done || !strings.Contains(out.String(), "kind: Person") {
		t.Fatalf("exit code %d, %s%s", code, &out, &errs)
	}
	for _, want := range []string{`0 resources read in \d+ s, 0\.0 a second; reading ` + anna, `0 of 1 objects written`} {
		if line := regexp.MustCompile("(?m)^strata arm: " + want + "$"); !line.MatchString(errs.String()) {
			t.Errorf("no line matches %s:\n%s", line, &errs)
		}
	}
}
