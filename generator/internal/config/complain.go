package config

import (
	"fmt"
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/syntax/yaml"
)

// homes maps keys that users often put in a wrong place to where they belong.
var homes = map[string]string{
	"arm": "sources", "bicep": "sources", "crd": "sources", "go": "sources", "openapi": "sources",
	"releases": "sources[].crd",
	"root":     "sources[].arm", "include": "sources[].arm", "exclude": "sources[].arm",
	"dir": "output", "module": "output", "runtime": "output", "explorer": "output", "crds": "output", "crdPackage": "output",
	"suffix": "groups", "folders": "groups",
	"serve": "versions", "unserve": "versions", "prune": "versions", "evidence": "versions",
	"stable": "versions.serve", "preview": "versions.serve",
	"strict":     "check",
	"severities": "findings", "ignore": "findings", "rule": "findings.ignore[]", "until": "findings.ignore[]",
	"webhook": "install", "certificates": "install", "image": "install", "hubWriters": "install", "kustomize": "install", "helm": "install", "operator": "install",
	"namespaces": "install.operator",
	"service":    "install.webhook", "url": "install.webhook", "caBundle": "install.webhook",
	"namespace": "install.webhook.service", "port": "install.webhook.service",
	"nameInNextVersion": "resources.GROUP.VERSION.TYPE",
	"removed":           "resources.GROUP.VERSION.TYPE.PROPERTY",
	"renamedTo":         "resources.GROUP.VERSION.TYPE.PROPERTY",
	"conversion":        "resources.GROUP.VERSION.TYPE",
	"values":            "resources.GROUP.VERSION.TYPE.PROPERTY",
	"plural":            "resources.GROUP.VERSION.TYPE.PROPERTY",
	"singular":          "resources.GROUP.VERSION.TYPE.PROPERTY",
	"wrappedIn":         "resources.GROUP.VERSION.TYPE.PROPERTY",
	"unwrappedFrom":     "resources.GROUP.VERSION.TYPE.PROPERTY",
	"keyedBy":           "resources.GROUP.VERSION.TYPE.PROPERTY",
	"listedBy":          "resources.GROUP.VERSION.TYPE.PROPERTY",
	"split":             "resources.GROUP.VERSION.TYPE.PROPERTY",
	"join":              "resources.GROUP.VERSION.TYPE.PROPERTY",
	"factor":            "resources.GROUP.VERSION.TYPE.PROPERTY",
	"movedTo":           "resources.GROUP.VERSION.TYPE.PROPERTY",
	"changedIn":         "resources.GROUP.VERSION.TYPE.PROPERTY",
}

// examples has an example for each key that may be missing.
var examples = map[string]string{
	"apiVersion": "apiVersion: " + APIVersion,
	"kind":       "kind: " + Kind,
	"sources":    `sources: [{arm: {root: schemas, include: ["**/*.json"]}}]`,
	"output":     "output: {dir: api, module: example.com/demo/api}",
	"dir":        "dir: api",
	"module":     "module: example.com/demo/api",
	"groups":     "groups: {suffix: example.com}",
	"suffix":     "suffix: example.com",
	"root":       "root: schemas",
	"resource":   "resource: Microsoft.Batch/batchAccounts",
	"version":    `version: "2019-08-01"`,
	"property":   "property: properties.size",
	"type":       "type: string",
	"secret":     "secret: true",
	"reason":     "reason: no client has used it since 2024",
	"until":      "until: 2027-01-31",
	"packages":   `packages: ["./api/..."]`,
}

// unknown reports an unknown key, and returns the known one that it resembles.
func (d *decoder) unknown(e entry, fields []field) (meant string) {
	m := diag.Errorf(d.pos(value{e.key.Node, parentPath(e.key.path)}), "unknown key %q", e.key.Value)
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
	}
	if meant = diag.Nearest(e.key.Value, names); meant != "" {
		m = m.WithHint("did you mean %q?", meant)
	} else if home, ok := homes[e.key.Value]; ok {
		m = m.WithHint("%q belongs below %s", e.key.Value, home)
	} else {
		m = m.WithHint("known here: %s", strings.Join(names, ", "))
	}
	d.add(m)
	return meant
}

func (d *decoder) missing(v value, name string) {
	m := diag.Errorf(d.pos(v), "%s is missing", diag.Key(v.path, name))
	m.Pos.Path = ""
	if example, ok := examples[name]; ok {
		m = m.WithHint("such as `%s`", example)
	}
	d.add(m)
}

// wrong reports that v does not have the wanted type.
func (d *decoder) wrong(v value, want string) {
	if v.Kind == yaml.AliasNode || v.Anchor != "" {
		d.add(diag.Errorf(d.pos(v), "anchors and aliases are not supported here").WithHint("write the value out"))
		return
	}
	m := diag.Errorf(d.pos(v), "must be %s, not %s", want, describe(v.Node))
	switch {
	case want == "a string" && v.Kind == yaml.ScalarNode && v.Value != "" && v.Tag != "!!null":
		m = m.WithHint("quote it: %q", v.Value)
	case want == "a list" && v.Kind == yaml.ScalarNode && v.Tag != "!!null":
		m = m.WithHint("put it in brackets: [%q]", v.Value)
	}
	d.add(m)
}

// describe describes a node of the file.
func describe(node *yaml.Node) string {
	switch node.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	switch node.Tag {
	case "!!null":
		return "nothing"
	case "!!str":
		return fmt.Sprintf("the string %q", node.Value)
	case "!!bool":
		return "the boolean " + node.Value
	case "!!int", "!!float":
		return "the number " + node.Value
	case "!!timestamp":
		return "the date " + node.Value
	}
	return "a value with the tag " + node.Tag
}
