package config

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/finding"
	"github.com/stratakube/strata/generator/internal/operation"
)

// The fixed values at the head of every strata.yaml.
const (
	APIVersion = "strata.dev/v1alpha1"
	Kind       = "Generation"
)

// DefaultRuntime is the import path of the runtime that generated code uses, unless output.runtime
// sets another.
const DefaultRuntime = "github.com/stratakube/strata/runtime"

// Config is a checked strata.yaml. Its folders are paths of the operating system, joined to the
// folder of the file. They are relative to the working folder if the file's name was.
type Config struct {
	// File is the name of the file, and Dir its folder.
	File, Dir string

	Sources  []Source // at least one
	Only     Only
	Output   Output
	Groups   Groups
	Versions Versions
	// Kinds is by "folder of the group/Kind", such as "crm/Person".
	Kinds map[string]KindRules
	// KindNames are in the order of the file.
	KindNames []KindName
	// Renames, Removals, Conversions and Changes are in the order of the file.
	Renames     []Rename
	Removals    []Removal
	Conversions []Conversion
	Changes     []Change
	// Types are in the order of the file.
	Types []TypeChoice
	types map[[3]string]TypeChoice // by property
	// Names are the Go names of what schemas call otherwise, by the schemas' names.
	Names map[string]string
	// Properties are in the order of the file.
	Properties []PropertyRule
	Check      Check
	Findings   finding.Policy
	Install    Install

	positions map[string]diag.Pos
}

// Source is one entry of sources: exactly one of its members is set.
type Source struct {
	ARM   *Tree // of ARM JSON schemas
	Bicep *Tree // of Bicep types
	CRD   *Tree // of CRDs
	// Releases are the trees of CRDs of a project's releases, the oldest first.
	Releases []*Tree
	OpenAPI  *Tree // of OpenAPI and Swagger documents
	Go       *Go
	Pos      diag.Pos
}

// Go is a set of Go packages. Patterns are relative to the folder of the file.
type Go struct {
	// Packages are patterns in the syntax of the go command; at least one.
	Packages []string
	// Tags are build tags of the packages.
	Tags []string
	// Generated makes Strata generate API types for packages that are one version each. Otherwise
	// the packages' own types are the API types.
	Generated bool
}

// Tree is a tree of files.
type Tree struct {
	// Root is the folder of the tree.
	Root string
	// Name is the slash path of a release's folder, as the file has it; empty for other trees.
	Name string
	// Include and Exclude are doublestar globs for slash paths below Root. Include is never empty.
	Include, Exclude []string
}

// Only limits which versions may newly enter the ledger. The zero value allows all.
type Only struct {
	// Resources are doublestar globs for types ("Microsoft.Batch/batchAccounts{,/pools}"), ignoring
	// case. A type is allowed if any matches.
	Resources []string
	// Versions are constraints. A version is allowed if any allows it.
	Versions []Constraint
}

// Output configures where generated code is written.
type Output struct {
	// Dir is the folder. Everything below it is generated, except for hand-written files.
	Dir string
	// Module is the import path of Dir. Runtime is the import path of the runtime.
	Module, Runtime string
	// Explorer is the address of the pages of strata explorer, to which reports link; it may be
	// empty.
	Explorer string
	// NoCRDs omits the CRDs.
	NoCRDs bool
	// CRDPackage adds a Go package that has the CRDs as values.
	CRDPackage bool
	// Kustomization adds a kustomization.yaml to Dir, which lists the CRDs.
	Kustomization bool
}

// Groups configures the names of API groups that the source does not determine.
type Groups struct {
	// Suffix is the end of a group's name: azure.example.com.
	Suffix string
	// Folders maps providers or groups to a folder that differs from their name.
	Folders map[string]string
	// StoredBy maps groups to the program that has stored objects of them: [ASO].
	StoredBy map[string]string
}

// ASO is Azure Service Operator, as a program that has stored objects.
const ASO = "aso"

// Versions configures which versions are served.
type Versions struct {
	// Serve applies unless the file sets a policy.
	Serve ServePolicy
	// Unserve are versions that are no longer served.
	Unserve []Label
	// Prune are versions whose API packages are dropped.
	Prune []Label
	// Evidence are files which prove that clusters have nothing left of these versions. It is nil
	// unless the file has the key.
	Evidence []Evidence
}

// Evidence is a file of a cluster.
type Evidence struct {
	File string
	Name string // as the file has it
	Pos  diag.Pos
}

// ServePolicy sets how many of the newest versions of a resource are served.
type ServePolicy struct {
	Stable, Preview int
	All             bool // every version, whatever the counts
}

// defaultServe applies if the configuration has no policy. Every write costs a conversion for each
// served version, and a CRD with more versions can be too large for a cluster.
var defaultServe = ServePolicy{Stable: 3, Preview: 1}

// Label identifies a version: of one group, or of all groups that have it.
type Label struct {
	Group   string // folder; empty for all
	Version string // as the source spells it
	Pos     diag.Pos
}

// KindRules are the rules for one kind.
type KindRules struct {
	// Rename gives another name to properties at the root of spec or status that clash with
	// Strata's own, by JSON name.
	Rename map[string]string
	// AddStatus adds a status subresource to the versions that have none.
	AddStatus bool
	// Hub is the version that is chosen as the hub; empty for the latest stable one.
	Hub string
	Pos diag.Pos
}

// KindName gives a resource type its kind.
type KindName struct {
	// Of is the vendor's type, ignoring case, or the folder of its group and its default kind.
	Of   string
	Kind string
	Pos  diag.Pos
}

// Rename records that a type, or with Property one of its properties, has another name in a later
// version.
type Rename struct {
	Group    string // folder of the group: "crm"
	Version  string // as the source spells it: "2014-04-04"
	Type     string // Go type: "PersonProperties"
	Property string // JSON name, ignoring case; empty renames the type
	To       string
	// In is the version that has the new name, as the source spells it; empty for the next version
	// of the main line.
	In string
	// Pos is the position of the type's or property's key.
	Pos diag.Pos
}

// Removal records that the author confirmed the removal of a property: no property of the next
// version of the main line is its new name.
type Removal struct {
	Group, Version, Type, Property string // as in Rename; Property is never empty
	// Pos is the position of the property's key.
	Pos diag.Pos
}

// Mode is how a type or a property is converted.
type Mode string

// The modes. Auto is the default. Custom requires a hand-written step. None neither matches nor
// offers a property, which is stored in the bag instead.
const (
	Auto   Mode = "auto"
	Custom Mode = "custom"
	None   Mode = "none"
)

// Conversion sets how a type, or with Property one of its properties, is converted to the next
// version of the main line.
type Conversion struct {
	Group, Version, Type, Property string // as in Rename
	Mode                           Mode
	// Pos is the position of the type's or property's key.
	Pos diag.Pos
}

// Change declares what becomes of a property in the next version of the main line, beyond its name.
type Change struct {
	Group, Version, Type, Property string // as in Rename; Property is never empty
	Operation                      operation.Operation
	// In is the first version that has the later values; empty if the entry names none.
	In string
	// Pos is the position of the property's key.
	Pos diag.Pos
}

// TypeChoice sets the type of a property in a resource version whose declarations disagree on it.
type TypeChoice struct {
	Resource string // the vendor's type, ignoring case
	Version  string // as the source spells it
	Property string // the path below the body, as in messages: properties.to.zip
	Type     string // one of TypeNames
	Pos      diag.Pos
}

// PropertyRule sets, for all versions, whether properties are secrets, or that their values may
// come from ConfigMaps. Either Property or Name is set.
type PropertyRule struct {
	Resource string // a doublestar glob for types, ignoring case; empty for all
	Property string // a path below the body, ignoring case, whose names may be globs
	Name     string // a glob for names, ignoring case, at any depth
	Secret   bool
	// ConfigMap makes the property optional, and does not affect secrets.
	ConfigMap bool
	Pos       diag.Pos
}

// IsPattern reports whether the rule can match several properties.
func (r PropertyRule) IsPattern() bool {
	return r.Property == "" || strings.ContainsAny(strings.ReplaceAll(r.Property, "[]", ""), "*?[{")
}

// TypeNames are the possible types of a property, as in messages; any is free JSON.
var TypeNames = []string{"string", "int", "number", "bool", "list", "map", "object", "any"}

// Check configures strata check.
type Check struct {
	// Strict makes findings fail the command.
	Strict bool
}

// At returns the position of a value of the file by its path, such as "sources[0].arm.include[1]".
// For values that the file does not set, it returns that of the nearest enclosing value.
func (c *Config) At(path string) diag.Pos {
	for at := path; at != ""; at = parentPath(at) {
		if pos, ok := c.positions[at]; ok {
			return pos
		}
	}
	return diag.InFile(c.File)
}

// parentPath removes the last step of a path: a name, an index or a quoted key.
func parentPath(path string) string {
	if quoted := strings.LastIndex(path, `["`); quoted >= 0 && strings.HasSuffix(path, `"]`) {
		return path[:quoted]
	}
	return path[:max(0, strings.LastIndexAny(path, ".["))]
}

// Is reports whether the label matches a version of a group.
func (l Label) Is(folder, version string) bool {
	return l.Version == version && (l.Group == "" || l.Group == folder)
}

// String formats the label as in the file.
func (l Label) String() string {
	if l.Group == "" {
		return l.Version
	}
	return l.Group + "/" + l.Version
}
