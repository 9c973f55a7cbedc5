package config

import (
	"cmp"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/stratakube/strata/generator/internal/syntax/yaml"
)

const schemaFile = "../../strata.schema.json"

// everything has every key that the decoder knows.
const everything = `
apiVersion: strata.dev/v1alpha1
kind: Generation
sources:
  - arm: {root: schemas, include: ["*/a.json"], exclude: ["*-preview/*"]}
  - bicep: {root: schemas, include: ["*/types.json"], exclude: ["x"]}
  - crd: {root: config, include: ["*.yaml"], exclude: ["x"]}
  - crd: {releases: [crds/v1.0, crds/v1.1], include: ["*.yaml"], exclude: ["x"]}
  - openapi: {root: schemas, include: ["*.yaml"], exclude: ["x"]}
  - go: {packages: ["./api/..."], types: own}
only: {resources: ["Microsoft.Batch/batchAccounts{,/pools}"], versions: [">=2019-08-01", "v1beta1"]}
output: {dir: api, module: example.com/demo/api, runtime: example.com/runtime, crdPackage: true}
groups: {suffix: azure.example.com, folders: {Microsoft.Crm: crm}}
versions: {serve: {stable: 4, preview: 1}, unserve: [], prune: [], evidence: []}
kinds: {Microsoft.Crm/parties: {kind: Circle}, crm/Person: {status: add, hub: v1, rename: {owner: vendorOwner}}}
resources:
  crm:
    "2014-04-04":
      PersonProperties:
        nameInNextVersion: {nameInNextVersion: nextName}
        alphaKey: {nameInNextVersion: sortKey}
        middleName: {removed: assessed}
        nickName: {renamedTo: {version: "2016-06-06", name: knownAs}}
        firstName: {conversion: custom}
        phone: {plural: true, changedIn: "2016-06-06"}
    "2018-08-08":
      Address: {nameInNextVersion: Location, conversion: custom}
types: [{resource: Contoso.Shop/orders, version: "2020-01-01", property: properties.size, type: any}]
properties: [{resource: Contoso.Shop/orders, property: properties.key, secret: true}, {name: "*Password", secret: true}, {name: tenantId, configMap: true}]
check: {strict: true}
findings:
  severities: {limit-narrower: clients}
  ignore: [{rule: removed, resource: "Contoso.Shop/**", path: "properties.**", fingerprint: 0123456789abcdef, reason: unused, until: "2027-01-31"}]
install:
  webhook: {service: {namespace: ns, name: webhook, path: /convert, port: 443}}
  certificates: cert-manager
  image: example.com/webhook:v1
  hubWriters: ["system:serviceaccount:velero:velero"]
  kustomize: config
  helm: chart
  operator: {image: "example.com/operator:v1", namespaces: [a], metadataService: "169.254.169.254:80", requireCredentials: false, configMaps: false, shardNamespaces: true}
`

// valid is a config that both schema and decoder accept.
const valid = `
apiVersion: strata.dev/v1alpha1
kind: Generation
sources:
  - arm: {root: schemas}
output:
  dir: api
  module: example.com/demo/api
groups:
  suffix: example.com
`

func TestSchemaHasDecodersKeys(t *testing.T) {
	d := newDecoder("strata.yaml", []byte(everything))
	root, err := parse("strata.yaml", []byte(everything))
	if err != nil {
		t.Fatal(err)
	}
	d.document(value{Node: root})
	for section, keys := range d.grammar {
		slices.Sort(keys)
		d.grammar[section] = keys
	}
	for _, m := range d.list.Messages() {
		if !strings.HasSuffix(m.Text, "not supported yet") {
			t.Errorf("everything is not decoded: %v", m)
		}
	}
	if diff := gocmp.Diff(d.grammar, schemaKeys(t)); diff != "" {
		t.Errorf("keys (-decoder +schema):\n%s", diff)
	}
}

func TestHomesAreKeys(t *testing.T) {
	sections := map[string]string{"sources": "sources[]", "resources.GROUP.VERSION.TYPE": "resources.*.*.*.*", "resources.GROUP.VERSION.TYPE.PROPERTY": "resources.*.*.*.*"}
	keys := schemaKeys(t)
	for key, home := range homes {
		if !slices.Contains(keys[cmp.Or(sections[home], home)], key) {
			t.Errorf("%q is sent to %s, where there is no such key", key, home)
		}
	}
}

// schemaKeys returns the keys of every closed object of the published schema.
func schemaKeys(t *testing.T) map[string][]string {
	t.Helper()
	body, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(body, &root); err != nil {
		t.Fatal(err)
	}
	keys := map[string][]string{}
	collectKeys(root, root, "", keys)
	return keys
}

func collectKeys(root, schema map[string]any, section string, keys map[string][]string) {
	if ref, ok := schema["$ref"].(string); ok {
		definitions := root["definitions"].(map[string]any)
		schema = definitions[strings.TrimPrefix(ref, "#/definitions/")].(map[string]any)
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		if schema["additionalProperties"] == false {
			keys[section] = append(keys[section], name)
			collectKeys(root, property.(map[string]any), strings.TrimPrefix(section+"."+name, "."), keys)
		}
	}
	slices.Sort(keys[section])
	if items, ok := schema["items"].(map[string]any); ok {
		collectKeys(root, items, section+"[]", keys)
	}
	if more, ok := schema["additionalProperties"].(map[string]any); ok {
		collectKeys(root, more, section+".*", keys)
	}
	if len(keys[section]) == 0 {
		delete(keys, section)
	}
}

func TestSchemaAndDecoderAgree(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		reason          string
		body            string
		schema, decoder bool // whether each accepts it
	}{
		{"the least that a config says", valid, true, true},
		{"all keys that there are", everything, true, true},
		{"a misspelt key", strings.Replace(valid, "dir:", "dirr:", 1), false, false},
		{"an unknown key at the top", valid + "plugins: []\n", false, false},
		{"no head", strings.Replace(valid, "kind: Generation\n", "", 1), false, false},
		{"a foreign head", strings.Replace(valid, "strata.dev/v1alpha1", "v1", 1), false, false},
		{"no source", strings.Replace(valid, "\n  - arm: {root: schemas}", " []", 1), false, false},
		{"an empty source", strings.Replace(valid, "- arm: {root: schemas}", "- {}", 1), false, false},
		{"two in one", strings.Replace(valid, "- arm: {root: schemas}", "- {arm: {root: a}, crd: {root: b}}", 1), false, false},
		{"no root", strings.Replace(valid, "{root: schemas}", "{}", 1), false, false},
		{"the CRDs of two releases", strings.Replace(valid, "arm: {root: schemas}", "crd: {releases: [a, b]}", 1), true, true},
		{"a root and releases", strings.Replace(valid, "arm: {root: schemas}", "crd: {root: a, releases: [b]}", 1), false, false},
		{"no releases", strings.Replace(valid, "arm: {root: schemas}", "crd: {releases: []}", 1), false, false},
		{"a release twice", strings.Replace(valid, "arm: {root: schemas}", "crd: {releases: [a, a]}", 1), false, false},
		{"a release that is no folder", strings.Replace(valid, "arm: {root: schemas}", "crd: {releases: [1]}", 1), false, false},
		{"releases of another source", strings.Replace(valid, "{root: schemas}", "{releases: [a]}", 1), false, false},
		{"a glob that is no list", strings.Replace(valid, "root: schemas", `root: s, include: "*"`, 1), false, false},
		{"an empty list of globs", strings.Replace(valid, "root: schemas", `root: s, include: []`, 1), false, false},
		{"an absolute glob", strings.Replace(valid, "root: schemas", `root: s, include: [/x]`, 1), false, false},
		{"a glob with backslashes", strings.Replace(valid, "root: schemas", `root: s, include: ['a\b']`, 1), false, false},
		{"a number for a string", strings.Replace(valid, "dir: api", "dir: 5", 1), false, false},
		{"spaces around", strings.Replace(valid, "dir: api", `dir: " api"`, 1), false, false},
		{"an address for an import path", strings.Replace(valid, "module: ", "module: https://", 1), false, false},
		{"a suffix without a dot", strings.Replace(valid, "example.com\n", "example\n", 2), false, false},
		{"a bad constraint", valid + `only: {versions: ["~2019"]}`, false, false},
		{"a list of constraints", valid + `only: {versions: [">=2019-08-01, <2022-01-01", "v1"]}`, true, true},
		{"a negative count", valid + `versions: {serve: {stable: -1}}`, false, false},
		{"a kind without a group", valid + `kinds: {Person: {}}`, false, false},
		{"a rename of a kind's property", valid + `kinds: {crm/Person: {rename: {owner: vendorOwner}}}`, true, true},
		{"a provider for a folder", valid + `resources: {Microsoft.Crm: {}}`, false, false},
		{"a date without its day", valid + `resources: {crm: {"2014-04": {}}}`, false, false},
		{"a type in lower case", valid + `resources: {crm: {"2014-04-04": {person: {a: {nameInNextVersion: b}}}}}`, false, false},
		{"a type without rules", valid + `resources: {crm: {"2014-04-04": {Person: {}}}}`, false, false},
		{"a property without rules", valid + `resources: {crm: {"2014-04-04": {Person: {a: {}}}}}`, false, false},
		{"a scalar rule of a property", valid + `resources: {crm: {"2014-04-04": {Person: {a: b}}}}`, false, false},
		{"a type's and a property's rename", valid + `resources: {crm: {"2014-04-04": {Person: {nameInNextVersion: People, a: {nameInNextVersion: b}}}}}`, true, true},
		{"how a property and a type convert", valid + `resources: {crm: {"2014-04-04": {Person: {conversion: custom, a: {conversion: none}, conversion2: {conversion: auto}}}}}`, true, true},
		{"a property that is called conversion", valid + `resources: {crm: {"2014-04-04": {Person: {conversion: {removed: assessed}}}}}`, true, true},
		{"an unknown mode", valid + `resources: {crm: {"2014-04-04": {Person: {a: {conversion: never}}}}}`, false, false},
		{"an unknown mode of a type", valid + `resources: {crm: {"2014-04-04": {Person: {conversion: never}}}}`, false, false},
		{"a type that is removed", valid + `resources: {crm: {"2014-04-04": {Person: {removed: assessed}}}}`, false, false},
		{"a strict check", valid + `check: {strict: true}`, true, true},
		{"strictness that is no boolean", valid + `check: {strict: "yes"}`, false, false},
		{"the word all", valid + `versions: {serve: all}`, true, true},
		{"another word", valid + `versions: {serve: some}`, false, false},
		{"a version that is served no longer", valid + `versions: {unserve: [crm/2014-04-04, "2015-05-05"]}`, true, true},
		{"a webhook that is a service", valid + `install: {webhook: {service: {namespace: a, name: b, path: /c, port: 8443}}, certificates: cert-manager}`, true, true},
		{"a webhook at an address", valid + `install: {webhook: {url: "https://example.com/convert"}}`, true, true},
		{"a webhook at both", valid + `install: {webhook: {url: "https://example.com/convert", service: {}}}`, false, false},
		{"an address without TLS", valid + `install: {webhook: {url: "http://example.com/convert"}}`, false, false},
		{"an authority that is none", valid + `install: {webhook: {caBundle: "-"}}`, false, false},
		{"a port that is none", valid + `install: {webhook: {service: {port: 70000}}}`, false, false},
		{"a path that is none", valid + `install: {webhook: {service: {path: convert}}}`, false, false},
		{"a name that is none", valid + `install: {webhook: {service: {name: Webhook}}}`, false, false},
		{"an unknown maker of certificates", valid + `install: {certificates: vault}`, false, false},
		{"packages", valid + `install: {kustomize: config, helm: deploy/chart, image: "a:b", hubWriters: [joe]}`, true, true},
		{"an operator", valid + `install: {kustomize: config, operator: true}`, true, true},
		{"no operator", valid + `install: {kustomize: config, operator: false}`, true, true},
		{"an operator of some namespaces", valid + `install: {kustomize: config, operator: {namespaces: [a, b]}}`, true, true},
		{"an operator that is a word", valid + `install: {kustomize: config, operator: "yes"}`, false, false},
		{"an operator with a managed identity", valid + `install: {kustomize: config, operator: {metadataService: "169.254.169.254:80"}}`, true, true},
		{"an operator with credentials of its own", valid + `install: {kustomize: config, operator: {requireCredentials: false}}`, true, true},
		{"an operator without rights on ConfigMaps", valid + `install: {kustomize: config, operator: {configMaps: false}}`, true, true},
		{"ConfigMaps by a word", valid + `install: {kustomize: config, operator: {configMaps: "no"}}`, false, false},
		{"a property that may come from a ConfigMap", valid + `properties: [{name: tenantId, configMap: true}]`, true, true},
		{"one that may not", valid + `properties: [{name: tenantId, configMap: false}]`, false, false},
		{"a secret from a ConfigMap", valid + `properties: [{name: tenantId, configMap: true, secret: true}]`, false, false},
		{"credentials that are required by a word", valid + `install: {kustomize: config, operator: {requireCredentials: "no"}}`, false, false},
		{"a metadata service without a port", valid + `install: {kustomize: config, operator: {metadataService: 169.254.169.254}}`, false, false},
		{"a metadata service by its name", valid + `install: {kustomize: config, operator: {metadataService: "metadata:80"}}`, false, false},
		{"an operator of no namespaces", valid + `install: {kustomize: config, operator: {namespaces: []}}`, false, false},
		{"a namespace twice", valid + `install: {kustomize: config, operator: {namespaces: [a, a]}}`, false, false},
		{"a package outside", valid + `install: {helm: ../chart}`, false, false},
		{"a writer with quotes", valid + `install: {kustomize: config, hubWriters: ["it's"]}`, false, false},
		{"a writer twice", valid + `install: {kustomize: config, hubWriters: [a, a]}`, false, false},
		{"a misspelt rule", valid + `resources: {crm: {"2014-04-04": {Person: {a: {nameInNext: b}}}}}`, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			var document any
			if err := yaml.Unmarshal([]byte(tt.body), &document); err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(document); (err == nil) != tt.schema {
				t.Errorf("schema: %v, want accepted %v", err, tt.schema)
			}
			if _, err := Decode("strata.yaml", []byte(tt.body)); (err == nil) != tt.decoder {
				t.Errorf("decoder: %v, want accepted %v", err, tt.decoder)
			}
		})
	}
}
