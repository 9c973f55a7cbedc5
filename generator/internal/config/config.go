package config

import (
	"strings"

	"github.com/stratakube/strata/generator/internal/diag"
)

// What the head of every strata.yaml says.
const (
	APIVersion = "strata.dev/v1alpha1"
	Kind       = "Generation"
)

// DefaultRuntime is the import path of the runtime that generated code uses,
// unless output.runtime names another.
const DefaultRuntime = "github.com/stratakube/strata/runtime"

// Config is a checked strata.yaml. Folders in it stand as the operating system
// takes them: joined to the folder of the file, so relative to the working
// folder if the file's name was.
type Config struct {
	// File is the name that was read, Dir its folder.
	File, Dir string

	Sources  []Source // at least one
	Only     Only
	Output   Output
	Groups   Groups
	Versions Versions
	// Kinds is by "folder of the group/Kind", as in "crm/Person".
	Kinds map[string]KindRules
	// KindNames are in the order of the file.
	KindNames []KindName
	// Renames, Removals and Conversions are in the order of the file.
	Renames     []Rename
	Removals    []Removal
	Conversions []Conversion
	// Types are in the order of the file.
	Types []TypeChoice
	types map[[3]string]TypeChoice // by property; as long as Types, or to be made
	// Properties are in the order of the file.
	Properties []PropertyRule
	Check      Check
	Install    Install

	places map[string]diag.Pos
}

// Source is one entry of sources: exactly one of its members is set.
type Source struct {
	ARM     *Tree // of ARM JSON schemas
	Bicep   *Tree // of Bicep types
	CRD     *Tree // of definitions of custom resources
	OpenAPI *Tree // of OpenAPI and Swagger documents
	Go      *Go
	Pos     diag.Pos
}

// Go is a set of Go packages, which are looked for from the folder of the file.
type Go struct {
	// Packages are patterns as the go command takes them; at least one.
	Packages []string
	// Generated has API types generated for packages that are one version each, whose
	// own types are the API types else.
	Generated bool
}

// Tree is a tree of files.
type Tree struct {
	// Root is the folder of the tree.
	Root string
	// Include and Exclude are doublestar globs over slash paths below Root.
	// Include is never empty.
	Include, Exclude []string
}

// Only says what may newly enter the ledger. The zero value is everything.
type Only struct {
	// Resources are doublestar globs over types ("Microsoft.Batch/batchAccounts{,/pools}"),
	// regardless of letter case; a type is in if any matches.
	Resources []string
	// Versions are constraints; a version is in if any allows it.
	Versions []Constraint
}

// Output says where generated code goes.
type Output struct {
	// Dir is the folder; everything below it is generated, but for hand-written files.
	Dir string
	// Module is the import path of Dir, Runtime that of the runtime.
	Module, Runtime string
	// NoCRDs leaves out the CRDs.
	NoCRDs bool
}

// Groups says how API groups are named whose source does not say it.
type Groups struct {
	// Suffix follows the group's own part: azure.example.com.
	Suffix string
	// Folders are those of providers, or groups, that have another folder than their own, by their name.
	Folders map[string]string
}

// Versions says which versions are served.
type Versions struct {
	// Serve is the default where the file does not say.
	Serve ServePolicy
	// Unserve are versions that are served no longer.
	Unserve []Label
	// Prune are versions whose API packages are dropped.
	Prune []Label
}

// ServePolicy says how many of the newest versions of a resource are served.
type ServePolicy struct {
	Stable, Preview int
	All             bool // every version, whatever the counts
}

// defaultServe applies where the configuration has no policy. Every write costs a conversion for
// each served version, and a CRD with more versions can be too large for a cluster.
var defaultServe = ServePolicy{Stable: 3, Preview: 1}

// Label names a version: of one group, or of all that have it.
type Label struct {
	Group   string // folder; empty for all
	Version string // as the source spells it
	Pos     diag.Pos
}

// KindRules is what the file says of one kind.
type KindRules struct {
	// Rename gives properties at the root of spec or status whose names clash
	// with Strata's own another name, by JSON name.
	Rename map[string]string
	// AddStatus gives a status subresource to the versions that have none.
	AddStatus bool
	// Hub is the version that is chosen as the hub; empty for the latest that is stable.
	Hub string
	Pos diag.Pos
}

// KindName gives a resource type its kind.
type KindName struct {
	// Of is the vendor's type in any letter case, or the folder of its group and the kind that it has otherwise.
	Of   string
	Kind string
	Pos  diag.Pos
}

// Rename says that a type, or with Property a property of it, has another name
// in the next version of the main line.
type Rename struct {
	Group    string // folder of the group: "crm"
	Version  string // as the source spells it: "2014-04-04"
	Type     string // Go type: "PersonProperties"
	Property string // JSON name, to be matched case-free; empty renames the type
	To       string
	// Pos is where the type's or property's key stands.
	Pos diag.Pos
}

// Removal says that a property of a version was looked at, and that no property
// of the next version of the main line is its new name.
type Removal struct {
	Group, Version, Type, Property string // as in Rename; Property is never empty
	// Pos is where the property's key stands.
	Pos diag.Pos
}

// Mode is how a type or a property converts.
type Mode string

// The modes. Auto is what holds where the file is silent. Custom requires a
// hand-written step. None neither matches nor offers a property: it travels in
// the bag.
const (
	Auto   Mode = "auto"
	Custom Mode = "custom"
	None   Mode = "none"
)

// Conversion says how a type, or with Property a property of it, converts to the
// next version of the main line.
type Conversion struct {
	Group, Version, Type, Property string // as in Rename
	Mode                           Mode
	// Pos is where the type's or property's key stands.
	Pos diag.Pos
}

// TypeChoice gives a property its type in a resource version of which declarations disagree on it.
type TypeChoice struct {
	Resource string // the vendor's type, in any letter case
	Version  string // as the source spells it
	Property string // the path below the body, as messages have it: properties.to.zip
	Type     string // one of TypeNames
	Pos      diag.Pos
}

// PropertyRule says of properties whether they are secrets, or that their values may come from ConfigMaps, in
// all versions. Either Property or Name is set.
type PropertyRule struct {
	Resource string // a doublestar glob over types, in any letter case; empty for all
	Property string // a path below the body, in any letter case, whose names may be globs
	Name     string // a glob over names, in any letter case, at any place
	Secret   bool
	// ConfigMap makes the property optional, and says nothing about secrets.
	ConfigMap bool
	Pos       diag.Pos
}

// IsPattern reports whether the rule may be about several properties.
func (r PropertyRule) IsPattern() bool {
	return r.Property == "" || strings.ContainsAny(strings.ReplaceAll(r.Property, "[]", ""), "*?[{")
}

// TypeNames are what a property can be: types in the words of messages, and any for free JSON.
var TypeNames = []string{"string", "int", "number", "bool", "list", "map", "object", "any"}

// Check says how strata check takes what it finds.
type Check struct {
	// Strict makes findings fail the command.
	Strict bool
}

// At gives the place of a value of the file by its path, such as
// "sources[0].arm.include[1]"; for values that the file leaves out, that of the
// nearest value around it.
func (c *Config) At(path string) diag.Pos {
	for at := path; at != ""; at = parentPath(at) {
		if pos, ok := c.places[at]; ok {
			return pos
		}
	}
	return diag.InFile(c.File)
}

// parentPath cuts the last step off a path: a name, an index or a quoted key.
func parentPath(path string) string {
	if quoted := strings.LastIndex(path, `["`); quoted >= 0 && strings.HasSuffix(path, `"]`) {
		return path[:quoted]
	}
	return path[:max(0, strings.LastIndexAny(path, ".["))]
}

// Is reports whether the label is that of a version of a group.
func (l Label) Is(folder, version string) bool {
	return l.Version == version && (l.Group == "" || l.Group == folder)
}

// String spells the label as the file does.
func (l Label) String() string {
	if l.Group == "" {
		return l.Version
	}
	return l.Group + "/" + l.Version
}
