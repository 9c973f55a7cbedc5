package cli_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stratakube/strata/operator/arm/internal/armtest"
	"github.com/stratakube/strata/operator/arm/internal/cli"
)

const (
	version = "?api-version=2019-09-09"
	ben     = `{"properties":{"age":1}}`
)

func row(name string) string { return `{"id":"` + persons + "/" + name + `"}` }

// TestScopes imports one person by each form of its name.
func TestScopes(t *testing.T) {
	const graph = "POST /providers/Microsoft.ResourceGraph/resources?api-version=2021-03-01"
	read := armtest.Exchange{Call: "GET " + persons + "/ben" + version, Status: 200, Body: ben}
	list := armtest.Exchange{Call: "GET " + group + "/resources?api-version=2021-04-01", Status: 200, Body: `{"value":[` + row("ben") + `]}`}
	ids := filepath.Join(t.TempDir(), "ids")
	if err := os.WriteFile(ids, []byte("# all\n\n"+persons+"/ben\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		reason string
		args   []string
		script []armtest.Exchange
	}{
		{"a resource group by its name", []string{"--subscription", "s", "--resource-group", "g"}, []armtest.Exchange{list, read}},
		{"a resource group by its identifier", []string{"--resource-group", group}, []armtest.Exchange{list, read}},
		{"a subscription", []string{"--subscription=s"}, []armtest.Exchange{
			{Call: "GET /subscriptions/s/resources?api-version=2021-04-01", Status: 200, Body: `{"value":[` + row("ben") + `]}`}, read,
		}},
		{"a file of identifiers", []string{"--ids", ids}, []armtest.Exchange{read}},
		{"a query, page by page", []string{"--subscription", "s", "--query", "resources | where name == 'ben'"}, []armtest.Exchange{
			{Call: graph, Status: 200, Body: `{"data":[` + row("ben") + `],"$skipToken":"t"}`,
				Sent: `{"options":{"$top":1000,"resultFormat":"objectArray"},"query":"resources | where name == 'ben'","subscriptions":["s"]}`},
			{Call: graph, Status: 200, Body: `{"data":[` + row("ben") + `]}`,
				Sent: `{"options":{"$skipToken":"t","$top":1000,"resultFormat":"objectArray"},"query":"resources | where name == 'ben'","subscriptions":["s"]}`},
			read,
		}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			server := armtest.Start(t, test.script...)
			code, out, messages := run(t, server.URL, folder(t), test.args...)
			if code != cli.Done || strings.Count(out, "azureName: ben") != 1 {
				t.Errorf("exit code %d, %s%s", code, out, messages)
			}
		})
	}
}

// TestScopeWithNothingInIt imports an empty resource group: a warning says that nothing was found.
func TestScopeWithNothingInIt(t *testing.T) {
	server := armtest.Start(t, armtest.Exchange{Call: "GET " + group + "/resources?api-version=2021-04-01", Status: 200, Body: `{"value":[]}`})
	code, out, messages := run(t, server.URL, folder(t), "--resource-group", group)
	if want := "strata arm: warning: no resource was found: no object is written\n"; code != cli.Done || out != "" || messages != want {
		t.Errorf("exit code %d, %q, %q, want %q", code, out, messages, want)
	}
}

func TestScopesThatAreNone(t *testing.T) {
	for _, test := range []struct {
		reason string
		args   []string
		want   string
	}{
		{"a group without a subscription", []string{"--resource-group", "g"}, "--resource-group g: want one --subscription that has it, or its identifier"},
		{"a resource as a scope", []string{"--resource-group", persons + "/ben"}, "is neither a subscription nor a resource group"},
		{"a query in a resource group", []string{"--resource-group", group, "--query", "resources"}, "| where resourceGroup =~ 'g'"},
		{"no file", []string{"--ids", "nowhere"}, "read identifiers: open nowhere"},
		{"two outputs", []string{persons + "/ben", "--output", "a", "--output-dir", "b"}, "want either --output or --output-dir"},
		{"a folder with something in it", []string{persons + "/ben", "--output-dir", "."}, ". is not empty; hint: name a new folder"},
	} {
		code, _, messages := run(t, "http://127.0.0.1:1", folder(t), test.args...)
		if code != cli.Failed || !strings.Contains(messages, test.want) {
			t.Errorf("%s: exit code %d, %s, want %s", test.reason, code, messages, test.want)
		}
	}
	server := armtest.Start(t, armtest.Exchange{Call: "POST /providers/Microsoft.ResourceGraph/resources?api-version=2021-03-01", Status: 200, Body: `{"data":[{"name":"x"}]}`})
	if _, _, messages := run(t, server.URL, folder(t), "--query", "resources | project name"); !strings.Contains(messages, "query Resource Graph: a row has no id; hint: end the query with | project id") {
		t.Errorf("rows without identifiers: %s", messages)
	}
}

// TestTypesThatCloudDoesNotList checks that a type which the cloud does not have is left out
// with a warning if a list contained it.
func TestTypesThatCloudDoesNotList(t *testing.T) {
	answer := func(status int, code string) armtest.Exchange {
		return armtest.Exchange{Call: "GET " + persons + "/ben/notes" + version, Status: status, Body: `{"error":{"code":"` + code + `","message":"no"}}`}
	}
	read := armtest.Exchange{Call: "GET " + persons + "/ben" + version, Status: 200, Body: ben}
	for _, test := range []struct {
		reason string
		script []armtest.Exchange
		notes  bool
	}{
		{"a type of children that it does not know", []armtest.Exchange{read, answer(400, "InvalidResourceType")}, true},
		{"or not in this version", []armtest.Exchange{read, answer(400, "NoRegisteredProviderFound")}, true},
		{"children that cannot be listed", []armtest.Exchange{read, answer(404, "NotFound")}, true},
		{"nor by these credentials", []armtest.Exchange{read, answer(403, "AuthorizationFailed")}, true},
		{"nor at all", []armtest.Exchange{read, answer(405, "")}, true},
		{"a child that has gone meanwhile", []armtest.Exchange{
			read,
			{Call: "GET " + persons + "/ben/notes" + version, Status: 200, Body: `{"value":[{"id":"` + persons + `/ben/notes/n"}]}`},
			{Call: "GET " + persons + "/ben/notes/n" + version, Status: 404},
		}, true},
		{"an error of the service is one", []armtest.Exchange{read, answer(400, "BadRequest")}, false},
	} {
		t.Run(test.reason, func(t *testing.T) {
			server := armtest.Start(t, test.script...)
			code, out, messages := run(t, server.URL, folder(t), "--recursive", persons+"/ben")
			if test.notes && (code != cli.Done || !strings.Contains(out, "azureName: ben") || strings.Count(messages, "left out") != 1) {
				t.Errorf("exit code %d, %s%s", code, out, messages)
			}
			if !test.notes && (code != cli.Failed || out != "") {
				t.Errorf("exit code %d, %s%s", code, out, messages)
			}
		})
	}
}

// TestTypesBetween covers resources whose type is two levels below that of a resource, while the
// manifest has no type between. The command lists the resources between, or says why it cannot.
func TestTypesBetween(t *testing.T) {
	dir := folder(t)
	deep := `{"source":{"kind":"arm","type":"Microsoft.Crm/persons/shelves/notes","version":"2019-09-09"},"group":"crm.example.com","version":"v20190909","kind":"PersonsNote","plural":"personsnotes","served":true}`
	flat := `{"source":{"kind":"arm","type":"Microsoft.Crm/persons","version":"2019-09-09"},"group":"crm.example.com","version":"v20190909","kind":"Person","plural":"persons","served":true}`
	if err := os.WriteFile(filepath.Join(dir, "manifest.json"), []byte(`{"resources":[`+flat+`,`+deep+`]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	shelves, shelf := persons+"/ben/shelves", persons+"/ben/shelves/upper"
	read := armtest.Exchange{Call: "GET " + persons + "/ben" + version, Status: 200, Body: ben}
	list := func(path string, ids ...string) armtest.Exchange {
		var rows []string
		for _, id := range ids {
			rows = append(rows, `{"id":"`+id+`"}`)
		}
		return armtest.Exchange{Call: "GET " + path + version, Status: 200, Body: `{"value":[` + strings.Join(rows, ",") + `]}`}
	}
	for _, test := range []struct {
		reason string
		script []armtest.Exchange
		want   []string // in the output and the messages
	}{
		{"the cloud lists the resources between", []armtest.Exchange{
			read, list(shelves, shelf), list(shelf+"/notes", shelf+"/notes/n"),
			{Call: "GET " + shelf + "/notes/n" + version, Status: 200, Body: `{"properties":{"text":"x"}}`},
		}, []string{"azureName: \"n\"\n", "armId: " + shelf + "\n"}},
		{"it lists none", []armtest.Exchange{read, list(shelves)}, nil},
		{"it lists the resource itself", []armtest.Exchange{read, list(shelves, persons+"/ben", persons+"/anna")}, nil},
		{"it does not list them", []armtest.Exchange{
			read, {Call: "GET " + shelves + version, Status: 404, Body: `{"error":{"code":"InvalidResourceType","message":"no"}}`},
		}, []string{"warning: " + persons + "/ben: Microsoft.Crm/persons/shelves/notes: left out: the cloud does not list shelves, so name the resources by their identifiers: ", "InvalidResourceType"}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			server := armtest.Start(t, test.script...)
			code, out, messages := run(t, server.URL, dir, "--recursive", persons+"/ben")
			if code != cli.Done || !strings.Contains(out, "azureName: ben\n") {
				t.Errorf("exit code %d, %s%s", code, out, messages)
			}
			for _, want := range test.want {
				if !strings.Contains(out+messages, want) {
					t.Errorf("there is no %q in\n%s%s", want, out, messages)
				}
			}
			if len(test.want) == 0 && strings.Contains(out+messages, "left out") {
				t.Errorf("nothing was left out, and it says %s", messages)
			}
		})
	}
}

// TestEntityTagsAreNotImported covers a schema that lets a spec have the entity tag of a resource
// and of its parts. Each change in Azure makes another one, so that it would differ for ever.
func TestEntityTagsAreNotImported(t *testing.T) {
	dir := folder(t)
	crd := `spec: {versions: [{name: v20190909, schema: {openAPIV3Schema: {properties: {spec: {type: object, properties: {
  azureName: {type: string}, owner: {type: object}, etag: {type: string},
  properties: {type: object, properties: {text: {type: string}, eTag: {type: string}, parts: {type: array, items: {type: object, properties: {name: {type: string}, etag: {type: string}}}},
    labels: {type: object, additionalProperties: {type: string}}}}}}}}}}]}`
	if err := os.WriteFile(filepath.Join(dir, "crds/personsnotes.crm.example.com.yaml"), []byte(crd), 0o600); err != nil {
		t.Fatal(err)
	}
	server := armtest.Start(t, armtest.Exchange{
		Call: "GET " + persons + "/ben/notes/n" + version, Status: 200,
		Body: `{"etag":"\"1\"","properties":{"text":"x","eTag":"2","parts":[{"name":"a","etag":"3"}],"labels":{"etag":"of a user"}}}`,
	})
	code, out, messages := run(t, server.URL, dir, persons+"/ben/notes/n")
	if code != cli.Done || messages != "" || strings.Count(strings.ToLower(out), "etag") != 1 || !strings.Contains(out, "etag: of a user") || !strings.Contains(out, "- name: a\n") {
		t.Errorf("exit code %d, %s%s", code, out, messages)
	}
}

// TestFolders checks that a folder is a package of packages, with owners before the resources
// that they own.
func TestFolders(t *testing.T) {
	notes := "/ben/notes"
	server := armtest.Start(t,
		armtest.Exchange{Call: "GET " + persons + notes + "/n" + version, Status: 200, Body: `{"properties":{"text":"x"}}`},
		armtest.Exchange{Call: "GET " + persons + "/ben" + version, Status: 200, Body: ben},
	)
	dir := folder(t)
	out := filepath.Join(dir, "out")
	if code, _, messages := run(t, server.URL, dir, "--output-dir", out, persons+notes+"/n", persons+"/ben"); code != cli.Done {
		t.Fatal(code, messages)
	}
	got := map[string]string{}
	err := filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			data, _ := os.ReadFile(path)
			name, _ := filepath.Rel(out, path)
			got[filepath.ToSlash(name)] = string(data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	kustomization := func(lines string) string {
		return "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n" + lines
	}
	for name, want := range map[string]string{
		"kustomization.yaml":         kustomization("- level-0\n- level-1\nsortOptions:\n  order: fifo\n"),
		"level-0/kustomization.yaml": kustomization("- person-ben.yaml\n"),
		"level-1/kustomization.yaml": kustomization("- personsnote-ben-n.yaml\n"),
	} {
		if diff := cmp.Diff(want, got[name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if note := got["level-1/personsnote-ben-n.yaml"]; !strings.Contains(note, "owner:\n    name: ben\n") || len(got) != 5 {
		t.Errorf("%d files, the note is\n%s", len(got), note)
	}
}

// TestOmittedResources covers secrets, values that only the service sets, defaults, and members
// with other names.
func TestOmittedResources(t *testing.T) {
	dir := folder(t)
	row := `{"source":{"kind":"arm","type":"Microsoft.Crm/things","version":"2019-09-09"},"group":"crm.example.com","version":"v20190909","kind":"Thing","plural":"things","served":true,
		"outside":{"vendorOwner":"owner"},"secrets":["properties.users[].password","properties.map.*.key"],"readOnly":["properties.state"],
		"defaults":{"properties.size":"3","properties.mode":"\"Auto\"","properties.kept":"true"}}`
	crd := `spec: {versions: [{name: v20190909, schema: {openAPIV3Schema: {properties: {spec: {type: object, properties: {
  azureName: {type: string}, owner: {type: object}, vendorOwner: {type: string},
  properties: {type: object, required: [kept], properties: {
    size: {type: integer}, mode: {type: string}, kept: {type: boolean}, state: {type: string},
    users: {type: array, items: {type: object, properties: {name: {type: string}, password: {type: string}}}},
    map: {type: object, additionalProperties: {type: object, properties: {key: {type: string}, more: {type: string}}}}}}}}}}}}]}`
	for name, text := range map[string]string{"manifest.json": `{"resources":[` + row + `]}`, "crds/things.crm.example.com.yaml": crd} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	thing := group + "/providers/Microsoft.Crm/things/t"
	server := armtest.Start(t, armtest.Exchange{Call: "GET " + thing + version, Status: 200, Body: `{"Owner":"who","properties":{"size":3,"mode":"auto","kept":true,"state":"Ready",
		"users":[{"name":"a","password":"hunter2"}],"map":{"m":{"key":"hunter3","more":"x"}}}}`})
	code, out, messages := run(t, server.URL, dir, thing)
	_, spec, _ := strings.Cut(out, "spec:\n")
	want := `  azureName: t
  owner:
    armId: /subscriptions/s/resourceGroups/g
  properties:
    kept: true
    map:
      m:
        more: x
    users:
    - name: a
  vendorOwner: who
`
	if diff := cmp.Diff(want, spec); diff != "" || code != cli.Done {
		t.Errorf("exit code %d, the spec (-want +got):\n%s%s", code, diff, messages)
	}
	for _, path := range []string{"properties.users[0].password", "properties.map.m.key"} {
		if !strings.Contains(messages, fmt.Sprintf("%s: left out: it is a secret; refer to it in spec.secretRefs", path)) {
			t.Errorf("nothing is said of %s:\n%s", path, messages)
		}
	}
	if strings.Contains(out+messages, "hunter") {
		t.Error("a secret is shown")
	}
}

// TestOwnersAreNamedByKind checks that an object names an owner only if the operator has it as
// the owner of that kind.
func TestOwnersAreNamedByKind(t *testing.T) {
	dir := folder(t)
	one := func(kind, plural, group string) string {
		return `{"source":{"kind":"arm","type":"` + kind + `","version":"2019-09-09"},"group":"` + group + `","version":"v20190909","kind":"` + plural + `","plural":"` + plural + `","served":true}`
	}
	const crd = `spec: {versions: [{name: v20190909, schema: {openAPIV3Schema: {properties: {spec: {type: object, properties: {azureName: {type: string}, owner: {type: object}}}}}}}]}`
	texts := map[string]string{"manifest.json": `{"resources":[` + strings.Join([]string{
		one("Microsoft.Resources/resourceGroups", "groups", "r.example.com"), one("Microsoft.Crm/persons", "persons", "crm.example.com"),
		one("Microsoft.Crm/persons/notes", "notes", "crm.example.com"), one("Microsoft.Ext/locks", "locks", "ext.example.com"),
	}, ",") + `]}`}
	for _, name := range []string{"groups.r", "persons.crm", "notes.crm", "locks.ext"} {
		texts["crds/"+name+".example.com.yaml"] = crd
	}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ids := []string{persons + "/p/providers/Microsoft.Ext/locks/l", persons + "/p/notes/n", persons + "/p", group}
	var script []armtest.Exchange
	for _, id := range ids {
		script = append(script, armtest.Exchange{Call: "GET " + id + version, Status: 200, Body: `{}`})
	}
	server := armtest.Start(t, script...)
	code, out, messages := run(t, server.URL, dir, ids...)
	if code != cli.Done {
		t.Fatal(code, messages)
	}
	var owners []string
	for _, object := range strings.Split(out, "---\n") {
		_, after, _ := strings.Cut(object, "owner:\n    ")
		owner, _, _ := strings.Cut(after, "\n")
		owners = append(owners, owner)
	}
	want := []string{"armId: /subscriptions/s", "name: g", "name: p", "armId: " + persons + "/p"}
	if diff := cmp.Diff(want, owners); diff != "" {
		t.Errorf("owners in the order of ownership (-want +got):\n%s\n%s", diff, out)
	}
}
