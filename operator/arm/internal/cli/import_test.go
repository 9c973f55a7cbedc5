package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/stratakube/strata/operator/arm/internal/armtest"
	"github.com/stratakube/strata/operator/arm/internal/body"
	"github.com/stratakube/strata/operator/arm/internal/cli"
)

const (
	group   = "/subscriptions/s/resourceGroups/g"
	persons = group + "/providers/Microsoft.Crm/persons"
	anna    = `{"id":"` + persons + `/Anna.B","name":"Anna.B","type":"Microsoft.Crm/persons","etag":"1","systemData":{"createdBy":"x"},
		"tags":{"a.b":"c"},"properties":{"provisioningState":"Succeeded","age":40,"sex":"female","large":12345678901234567890,"nick":null,
		"addresses":[{"name":"home","verified":true}],"anything":{"x":[1,null]},"seen":{"last":"now"},"code":7}}`
)

const manifest = `{"version": 1, "resources": [
	{"source":{"kind":"arm","type":"Microsoft.Crm/persons","version":"2015-05-05"},"group":"crm.example.com","version":"v20150505","kind":"Person","plural":"persons","served":true},
	{"source":{"kind":"arm","type":"Microsoft.Crm/persons","version":"2019-09-09"},"group":"crm.example.com","version":"v20190909","kind":"Person","plural":"persons","served":true},
	{"source":{"kind":"arm","type":"Microsoft.Crm/persons","version":"2020-01-01"},"group":"crm.example.com","version":"v20200101","kind":"Person","plural":"persons","served":false},
	{"source":{"kind":"arm","type":"Microsoft.Crm/persons","version":"2021-01-01-preview"},"group":"crm.example.com","version":"v20210101preview","kind":"Person","plural":"persons","served":true},
	{"source":{"kind":"arm","type":"Microsoft.Crm/persons/notes","version":"2019-09-09"},"group":"crm.example.com","version":"v20190909","kind":"PersonsNote","plural":"personsnotes","served":true}
]}`

const personCRD = `spec:
  versions:
  - name: v20190909
    schema:
      openAPIV3Schema:
        properties:
          spec:
            type: object
            required: [azureName, owner, properties]
            properties:
              azureName: {type: string}
              owner: {type: object}
              tags: {type: object, additionalProperties: {type: string}}
              properties:
                type: object
                required: [age, password]
                properties:
                  age: {type: integer}
                  sex: {type: string, enum: [Female, Male]}
                  large: {type: number}
                  nick: {type: string}
                  password: {type: string}
                  code: {type: string}
                  seen: {type: object, properties: {first: {type: string}}}
                  anything: {x-kubernetes-preserve-unknown-fields: true}
                  addresses: {type: array, items: {type: object, properties: {name: {type: string}}}}
`

const noteCRD = `spec:
  versions:
  - name: v20190909
    schema:
      openAPIV3Schema:
        properties:
          spec:
            type: object
            properties:
              owner: {type: object}
              azureName: {type: string}
              properties: {type: object, properties: {text: {type: string}}}
`

// folder returns a folder with a manifest and CRDs.
func folder(t *testing.T) string {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"manifest.json": manifest, "crds/persons.crm.example.com.yaml": personCRD, "crds/personsnotes.crm.example.com.yaml": noteCRD,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func run(t *testing.T, url, dir string, args ...string) (code int, out, messages string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	args = append([]string{"import", "--manifest", filepath.Join(dir, "manifest.json"), "--config", "cloud=custom", "--config", "endpoint=" + url, "--config", "credentials=none"}, args...)
	code = cli.Run(t.Context(), args, cli.Streams{Out: &stdout, Err: &stderr})
	return code, stdout.String(), stderr.String()
}

const annaYAML = `apiVersion: crm.example.com/v20190909
kind: Person
metadata:
  annotations:
    strata.dev/adopt: "true"
  name: anna-b-7e87f4
  namespace: people
spec:
  azureName: Anna.B
  owner:
    armId: /subscriptions/s/resourceGroups/g
  properties:
    addresses:
    - name: home
    age: 40
    anything:
      x:
      - 1
      - null
    large: 12345678901234567890
    sex: Female
  tags:
    a.b: c
`

func noteYAML(name, azureName, text string) string {
	return `apiVersion: crm.example.com/v20190909
kind: PersonsNote
metadata:
  annotations:
    strata.dev/adopt: "true"
  name: ` + name + `
  namespace: people
spec:
  azureName: ` + azureName + `
  owner:
    name: anna-b-7e87f4
  properties:
    text: ` + text + `
`
}

// TestImport imports a resource group with all its resources whose types are in the manifest,
// page by page.
func TestImport(t *testing.T) {
	const version = "?api-version=2019-09-09"
	server := armtest.Start(t,
		armtest.Exchange{Call: "GET " + group + "/resources?api-version=2021-04-01", Status: 200,
			Body: `{"value":[{"id":"` + group + `/providers/Microsoft.Other/things/t"}],"nextLink":"{url}/next?page=2"}`},
		armtest.Exchange{Call: "GET /next?page=2", Status: 200, Body: `{"value":[{"id":"` + persons + `/Anna.B"}]}`},
		armtest.Exchange{Call: "GET " + persons + "/Anna.B" + version, Status: 200, Body: anna},
		armtest.Exchange{Call: "GET " + persons + "/Anna.B/notes" + version, Status: 200, Body: `{"value":[{"id":"` + persons + `/Anna.B/notes/two"},{"id":"` + persons + `/Anna.B/notes/one"}]}`},
		armtest.Exchange{Call: "GET " + persons + "/Anna.B/notes/two" + version, Status: 200, Body: `{"properties":{"text":"yes"}}`},
		armtest.Exchange{Call: "GET " + persons + "/Anna.B/notes/one" + version, Status: 429, Header: "Retry-After-Ms: 1"},
		armtest.Exchange{Call: "GET " + persons + "/Anna.B/notes/one" + version, Status: 200, Body: `{"properties":{"text":"no: way","by":"x"}}`},
	)
	dir := folder(t)
	file := filepath.Join(dir, "out.yaml")
	code, out, messages := run(t, server.URL, dir, group, "--recursive", "--namespace", "people", "--output", file)
	if code != cli.Done || out != "" {
		t.Errorf("exit code %d, %s%s", code, out, messages)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := annaYAML + "---\n" + noteYAML("anna-b-one-95133a", "one", "'no: way'") + "---\n" + noteYAML("anna-b-two-692ede", "two", `"yes"`)
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	unchanged(t, string(got), anna)
	for _, note := range []string{
		"strata arm: warning: " + persons + "/Anna.B: properties.code: left out: it is number in Azure, and string in the schema\n",
		"strata arm: warning: " + persons + "/Anna.B: properties.password: it is required, and not given out; add it before applying\n",
		"strata arm: warning: " + group + ": Microsoft.Other/things: 1 left out: the manifest has no such type\n",
	} {
		if !strings.Contains(messages, note) {
			t.Errorf("the messages lack %q:\n%s", note, messages)
		}
	}
	if n := strings.Count(messages, "warning"); n != 3 {
		t.Errorf("%d warnings, want 3:\n%s", n, messages)
	}
}

// unchanged checks that the operator would find no difference for the first object.
func unchanged(t *testing.T, text, resource string) {
	t.Helper()
	first, _, _ := strings.Cut(text, "---\n")
	var object struct {
		Spec json.RawMessage `json:"spec"`
	}
	if err := yaml.Unmarshal([]byte(first), &object); err != nil {
		t.Fatal(err)
	}
	spec, err := body.Object(object.Spec)
	if err != nil {
		t.Fatal(err)
	}
	external, err := body.Object([]byte(resource))
	if err != nil {
		t.Fatal(err)
	}
	delete(spec, "azureName")
	delete(spec, "owner")
	if drift := body.Drift(spec, external); len(spec) != 2 || len(drift) != 0 {
		t.Errorf("%v differs outside at %v", spec, drift)
	}
}

// TestImportRefuses checks that an import reports all errors at once, and writes nothing.
func TestImportRefuses(t *testing.T) {
	server := armtest.Start(t,
		armtest.Exchange{Call: "GET " + persons + "/gone?api-version=2019-09-09", Status: 404, Body: `{"error":{"code":"ResourceNotFound","message":"there is none"}}`},
		armtest.Exchange{Call: "GET " + persons + "/here/notes/n?api-version=2019-09-09", Status: 200, Body: `{"properties":{"text":"x"}}`},
	)
	dir := folder(t)
	file := filepath.Join(dir, "out.yaml")
	code, out, messages := run(t, server.URL, dir, "--output", file,
		persons+"/gone", "no/id", "/", group+"/providers/Microsoft.Other/things/t", persons+"/here/notes/n")
	if code != cli.Failed || out != "" {
		t.Errorf("exit code %d, %s", code, out)
	}
	for _, want := range []string{
		"strata arm: error: import " + persons + "/gone: read: ARM answers 404 ResourceNotFound: there is none\n",
		`identifier "no/id" does not begin with a slash`, `"/" is no identifier of a resource`,
		"things/t: the manifest has no type Microsoft.Other/things",
	} {
		if !strings.Contains(messages, want) {
			t.Errorf("the messages lack %q:\n%s", want, messages)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*out*")); len(left) != 0 {
		t.Errorf("something was written: %v", left)
	}
}

func TestUsage(t *testing.T) {
	tests := []struct {
		reason string
		args   []string
		want   string
	}{
		{"a version that the manifest does not have", []string{persons + "/a", "--api-version", "2000-01-01"}, "no version 2000-01-01 of Microsoft.Crm/persons; hint: it has 2019-09-09, 2015-05-05, 2021-01-01-preview"},
		{"a version without a CRD", []string{persons + "/a", "--api-version", "2015-05-05"}, "CRD persons.crm.example.com has no version v20150505"},
		{"no CRDs", []string{persons + "/a", "--crds", "nowhere"}, "there is no CRD nowhere"},
		{"no identifiers", nil, "want identifiers of resources"},
		{"no such flag", []string{"--x"}, "flag provided but not defined: -x"},
		{"half a setting", []string{"--config", "x"}, "want KEY=VALUE"},
		{"a wrong setting, and no manifest", []string{"--config", "x=y", "--manifest", "nothing", "/x"}, `there is no "x"`},
		{"a wrong setting, and no manifest", []string{"--config", "x=y", "--manifest", "nothing", "/x"}, "read manifest: open nothing"},
	}
	dir := folder(t)
	for _, test := range tests {
		code, _, messages := run(t, "http://127.0.0.1:1", dir, test.args...)
		if code != cli.Failed || !strings.Contains(messages, test.want) {
			t.Errorf("%s: exit code %d, %s, want %s", test.reason, code, messages, test.want)
		}
	}
	var out bytes.Buffer
	if code := cli.Run(t.Context(), nil, cli.Streams{Out: &out, Err: &out}); code != cli.Done || !strings.Contains(out.String(), "usage: strata arm import") {
		t.Errorf("help: exit code %d, %s", code, out.String())
	}
	if code := cli.Run(t.Context(), []string{"export"}, cli.Streams{Out: &out, Err: &out}); code != cli.Failed {
		t.Errorf("an unknown command: exit code %d", code)
	}
}

// TestImportIsInterrupted cancels an import during each of its calls. The import ends, reports
// that, makes no further call and writes nothing.
func TestImportIsInterrupted(t *testing.T) {
	list := `{"value":[{"id":"` + persons + `/a","type":"Microsoft.Crm/persons"},{"id":"` + persons + `/b","type":"Microsoft.Crm/persons"}]}`
	for last := 1; last <= 4; last++ {
		ctx, cancel := context.WithCancel(t.Context())
		var calls atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if int(calls.Add(1)) == last {
				cancel()
				<-r.Context().Done()
				return
			}
			answer := `{"value":[]}`
			switch {
			case strings.HasSuffix(r.URL.Path, "/resources"):
				answer = list
			case !strings.HasSuffix(r.URL.Path, "/notes"):
				answer = strings.Replace(anna, "Anna.B", filepath.Base(r.URL.Path), 2)
			}
			_, _ = w.Write([]byte(answer))
		}))
		dir := folder(t)
		output := filepath.Join(dir, "out.yaml")
		var out, errs bytes.Buffer
		code := cli.Run(ctx, []string{
			"import", "--manifest", filepath.Join(dir, "manifest.json"), "--config", "cloud=custom", "--config", "endpoint=" + server.URL,
			"--config", "credentials=none", "--recursive", "--output", output, group,
		}, cli.Streams{Out: &out, Err: &errs})
		server.Close()
		if code != cli.Failed || errs.String() != "strata arm: error: interrupted\n" || out.Len() > 0 || int(calls.Load()) != last {
			t.Errorf("call %d: exit code %d, %q, %q, %d calls", last, code, &out, &errs, calls.Load())
		}
		if _, err := os.Lstat(output); !os.IsNotExist(err) {
			t.Errorf("call %d: there is an output: %v", last, err)
		}
	}
}
