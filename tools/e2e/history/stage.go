package history

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/stratakube/strata/tools/corpus"
)

// Subject is a resource type with a history.
type Subject struct {
	Type    string // as in Microsoft.Batch/batchAccounts
	Schemas string // root of the ARM schemas
	Types   string // root of the Bicep types; empty where there are none
}

// Name names the subject in folders and identifiers.
func (s Subject) Name() string {
	_, name, _ := strings.Cut(strings.ToLower(s.Type), ".")
	return strings.ReplaceAll(name, "/", "_")
}

// Folder is the folder of its group, and the key of its metadata.
func (s Subject) Folder() string {
	folder, _, _ := strings.Cut(s.Name(), "_")
	return folder
}

// files is a glob of the schema files that may declare the subject. Their names begin with a
// capital letter, which providers in types do not always.
func (s Subject) files() string {
	provider, _, _ := strings.Cut(s.Type, "/")
	vendor, name, _ := strings.Cut(provider, ".")
	return "*/" + capital(vendor) + "." + capital(name) + "{,.*}.json"
}

// types is a glob of the file of Bicep types that may declare the subject in a version.
func (s Subject) types(version string) string {
	provider, _, _ := strings.Cut(strings.ToLower(s.Type), "/")
	return "**/" + provider + "/" + version + "/types.json"
}

func capital(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// Stage is the input of one run of the generator, as far as it changes in a history.
type Stage struct {
	Name     string
	Because  string   // what has changed since the stage before, for who reads a failure
	Versions []string // may newly enter the ledger; all if there are none
	Gone     []string // versions without schema files
	Observed []string // versions whose Bicep types are there too
	Gains    bool     // statuses have properties that they did not have before, which may show what others have stored
	Renames  []Rename
	Pruned   []string          // versions.prune
	Secrets  string            // a pattern of names of properties that are called secrets
	Hub      string            // the version that is chosen as the hub; not in the first stage
	Forgets  bool              // the ledger is lost, which nobody may do
	Sources  []map[string]any  // in place of those of the subject
	Native   string            // what these call the subject, if they speak Kubernetes: as in shop.example.com/widgets
	Written  map[string]string // hand-written files, by their paths below the output; $API in them is its import path
	Derived  []string          // properties whose values hand-written files derive from one another
}

// Rename is metadata: a property, or a type if there is none, has another name in the next version.
type Rename struct{ Version, Type, Property, To string }

// History is what becomes of a subject.
type History struct {
	Name   string
	Stages []Stage
}

// config is the text of strata.yaml, in JSON. The kind is that of the subject, where it is known.
func (s Stage) config(subject Subject, kind, module string) ([]byte, error) {
	type object = map[string]any
	source := object{"root": subject.Schemas, "include": []string{subject.files()}}
	only := object{"resources": []string{s.of(subject)}}
	c := object{
		"apiVersion": "strata.dev/v1alpha1",
		"kind":       "Generation",
		"sources":    s.sources(subject, source),
		"only":       only,
		"output":     object{"dir": "api", "module": module},
	}
	if s.Native == "" {
		c["groups"] = object{"suffix": "example.com"}
	}
	if len(s.Versions) > 0 {
		only["versions"] = each(s.Versions, func(version string) string { return "=" + version })
	}
	if len(s.Gone) > 0 {
		source["exclude"] = each(s.Gone, func(version string) string { return version + "/*" })
	}
	if len(s.Pruned) > 0 {
		c["versions"] = object{"prune": s.Pruned, "evidence": []string{}}
	}
	if s.Secrets != "" {
		c["properties"] = []object{{"name": s.Secrets, "secret": true}}
	}
	if s.Hub != "" {
		c["kinds"] = object{s.folder(subject) + "/" + kind: object{"hub": s.Hub}}
	}
	if len(s.Renames) > 0 {
		c["resources"] = object{s.folder(subject): metadata(s.Renames)}
	}
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write configuration: %w", err)
	}
	return text, nil
}

// of returns the name of the subject in the stage's sources.
func (s Stage) of(subject Subject) string { return cmp.Or(s.Native, subject.Type) }

// folder is the folder of the subject's group in the stage, and the key of its metadata.
func (s Stage) folder(subject Subject) string {
	if group, _, native := strings.Cut(s.Native, "/"); native {
		return strings.ReplaceAll(group, ".", "-")
	}
	return subject.Folder()
}

// sources are the ARM schemas, and Bicep types.
func (s Stage) sources(subject Subject, schemas map[string]any) []map[string]any {
	if s.Sources != nil {
		return s.Sources
	}
	out := []map[string]any{{"arm": schemas}}
	if len(s.Observed) > 0 {
		out = append(out, map[string]any{"bicep": map[string]any{"root": subject.Types, "include": each(s.Observed, subject.types)}})
	}
	return out
}

// metadata returns rules by version, Go type and property. A rule for a type is beside those of
// its properties.
func metadata(renames []Rename) map[string]map[string]map[string]any {
	const rule = "nameInNextVersion"
	all := map[string]map[string]map[string]any{}
	for _, r := range renames {
		if all[r.Version] == nil {
			all[r.Version] = map[string]map[string]any{}
		}
		if all[r.Version][r.Type] == nil {
			all[r.Version][r.Type] = map[string]any{}
		}
		if r.Property == "" {
			all[r.Version][r.Type][rule] = r.To
		} else {
			all[r.Version][r.Type][r.Property] = map[string]string{rule: r.To}
		}
	}
	return all
}

func each(list []string, change func(string) string) []string {
	var changed []string
	for _, text := range list {
		changed = append(changed, change(text))
	}
	return changed
}

// Tree is the output of the generator in a stage.
type Tree struct {
	Subject
	Stage
	History   string
	Output    string // its folder
	Resources []corpus.Resource
}

// Path is the folder of the tree below the module, with slashes.
func (t Tree) Path() string { return path.Join(t.Subject.Name(), t.History, t.Stage.Name) }
