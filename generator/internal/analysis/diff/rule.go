package diff

import (
	"fmt"
	"slices"
	"strings"
)

// Class is what a change is about.
type Class string

// The classes of rules.
const (
	ClassWire      Class = "wire"       // names, types and positions in the JSON of objects
	ClassNewWrites Class = "new-writes" // which values may be written
	ClassClients   Class = "clients"    // what an API server does for clients
	ClassDocs      Class = "docs"       // what people read
)

// Direction is who notices a change. A client that was written for the schema as it was reads and
// writes objects of the later one, or the reverse.
type Direction string

// The directions of rules.
const (
	Nobody   Direction = "nobody"
	Readers  Direction = "readers" // a client reads what it does not know
	Writers  Direction = "writers" // a client writes what is refused, or what has another effect
	Everyone Direction = "readers and writers"
)

// Rule describes one kind of change. It is found by its identifier, which never changes.
type Rule struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Class     Class     `json:"class"`
	Severity  Severity  `json:"breaks"` // at least: a change within a stored version may break more
	Direction Direction `json:"direction"`
	// Text states what has changed, Effect what it does to clients and objects, and Advice what the
	// author of the API can do.
	Text   string `json:"text"`
	Effect string `json:"effect"`
	Advice string `json:"advice"`
}

// Rules returns all rules in the order of their identifiers.
func Rules() []Rule {
	out := slices.Clone(rules[:])
	slices.SortFunc(out, func(a, b Rule) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// FindRule returns the rule with an identifier or a name, in any letter case.
func FindRule(text string) (r Rule, found bool) {
	for _, r := range rules {
		if strings.EqualFold(r.ID, text) || strings.EqualFold(r.Name, text) {
			return r, true
		}
	}
	return Rule{}, false
}

// Markdown describes a rule in a section of a page, within 100 columns.
func (r Rule) Markdown() string {
	breaks := r.Severity.String()
	if r.Severity == None {
		breaks = "nothing"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n", r.Name)
	wrap(&b, "", r.ID+". "+r.Text+" "+r.Effect)
	b.WriteByte('\n')
	for _, line := range []string{"class: " + string(r.Class), "breaks: " + breaks, "who notices it: " + string(r.Direction), "what to do: " + r.Advice} {
		wrap(&b, "- ", line)
	}
	return b.String()
}

// wrap writes words in lines of at most 100 columns. The first line begins with a mark, and the
// others with as many spaces.
func wrap(b *strings.Builder, mark, text string) {
	const columns = 100
	line := mark
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
			line += word
		case len(line)+1+len(word) > columns:
			b.WriteString(line + "\n")
			line = strings.Repeat(" ", len(mark)) + word
		default:
			line += " " + word
		}
	}
	b.WriteString(line + "\n")
}

// Rule returns the rule of a kind.
func (k Kind) Rule() Rule { return rules[k] }

const (
	byConversion = "Strata converts objects between both versions, so that clients of the earlier version keep working."
	ratcheting   = "Stored objects stay writable: an API server accepts an old value for as long as a write does not change it."
	freely       = "No action is needed."
)

// rules are the rules of the kinds.
var rules = [...]Rule{
	ResourceAdded:   {"ST1001", "resource-new", ClassClients, None, Nobody, "A resource type is new.", "Clients do not know it.", freely},
	ResourceRemoved: {"ST1002", "resource-removed", ClassClients, Clients, Everyone, "A resource type has gone.", "Clients get 404 for all of its objects.", "Keep the schemas until no cluster stores objects of the type."},
	VersionAdded:    {"ST1003", "version-new", ClassClients, None, Nobody, "A version of a resource is new.", "Clients do not know it.", freely},
	VersionRemoved: {
		"ST1004", "version-removed", ClassClients, Clients, Everyone, "A version of a resource has gone.", "Clients that use it get 404. Objects that are stored in it become unreadable.",
		"Keep its schema, and name it in versions.unserve of strata.yaml. Use versions.prune with the evidence of strata cluster upgrade prune.",
	},
	Unserved: {
		"ST1005", "version-unserved", ClassClients, Clients, Everyone, "A version is no longer served.", "Clients that use it get 404. Stored objects stay readable through other versions.",
		"Deprecate the version for at least one release before.",
	},
	ServedAgain: {"ST1006", "version-served", ClassClients, None, Nobody, "A version that was not served is served.", "Clients can use it.", freely},
	VersionDeprecated: {
		"ST1007", "version-deprecated", ClassClients, None, Nobody, "A version is deprecated, or its warning has changed.", "API servers send a warning with each answer.", "Name the version to use in the warning.",
	},
	VersionSupported: {"ST1008", "version-not-deprecated", ClassClients, None, Nobody, "A version is no longer deprecated.", "API servers send no warning.", freely},
	Scope: {
		"ST1009", "scope", ClassClients, StoredData, Everyone, "The scope of a resource type has changed.", "API servers refuse the change of the CRD, because the paths of all objects would change.",
		"Use another kind.",
	},
	Names: {
		"ST1010", "names", ClassClients, Clients, Everyone, "The kind, the plural or the singular name of a resource has changed.", "Another plural makes another CRD, which does not have the objects of the earlier one.",
		"Keep the name. You can set the names of kinds in strata.yaml.",
	},
	ShortNameAdded:   {"ST1011", "short-name-new", ClassClients, None, Nobody, "A short name or a category is new.", "kubectl accepts it.", freely},
	ShortNameRemoved: {"ST1012", "short-name-removed", ClassClients, Clients, Everyone, "A short name or a category has gone.", "Scripts that use it with kubectl fail.", "Keep it."},
	SubresourceAdded: {
		"ST1013", "subresource-new", ClassClients, Clients, Writers, "The status or the scale subresource is new.", "With a status subresource, writes of the main resource ignore the status.",
		"Change clients that write the status first.",
	},
	SubresourceRemoved: {"ST1014", "subresource-removed", ClassClients, Clients, Everyone, "The status or the scale subresource has gone.", "Clients that use it, such as kubectl scale or an autoscaler, get 404.", "Keep it."},
	SubresourceChanged: {"ST1015", "subresource-changed", ClassClients, Clients, Everyone, "The paths of the scale subresource have changed.", "Autoscalers read or write another property.", "Check that both paths have the same meaning."},
	Columns:            {"ST1016", "columns", ClassClients, None, Readers, "The columns that kubectl prints have changed.", "Scripts that parse tables of kubectl read other columns.", freely},
	SelectableAdded:    {"ST1017", "selectable-field-new", ClassClients, None, Nobody, "A field can be selected.", "Clients can use the field in field selectors.", freely},
	SelectableRemoved:  {"ST1018", "selectable-field-removed", ClassClients, Clients, Readers, "A field can no longer be selected.", "API servers refuse lists and watches that select the field.", "Keep it."},

	Added:         {"ST1101", "new", ClassWire, None, Nobody, "A property is new and optional.", "Clients that do not know it neither read nor write it. " + byConversion, freely},
	AddedRequired: {"ST1102", "new-required", ClassWire, Clients, Writers, "A property is new and required.", "Clients that do not write it are refused, and so are writes of objects that lack it.", "Make it optional, or give it a default."},
	Removed: {
		"ST1103", "removed", ClassWire, Clients, Everyone, "A property has gone.", "Clients that use it lose it. Strata keeps its value in a property bag, and the earlier version shows it.",
		"Declare a rename if another property has its place.",
	},
	Renamed:  {"ST1104", "renamed", ClassWire, Clients, Everyone, "A property has another name.", "Clients that move to the later version must use the new name. " + byConversion, freely},
	Retyped:  {"ST1105", "retyped", ClassWire, Clients, Everyone, "A property has another type.", "Clients that move to the later version must use the new type. Within one version, stored objects have the old one.", "Within one version, restore the type, or publish another version."},
	Required: {"ST1106", "required", ClassNewWrites, Clients, Writers, "An optional property is required.", "Writes without it are refused, also those of stored objects that lack it.", "Give it a default, or leave it optional."},
	Optional: {"ST1107", "optional", ClassNewWrites, None, Readers, "A required property is optional.", "Clients can read objects that lack it.", freely},
	Secret:   {"ST1108", "secret", ClassWire, None, Nobody, "A property is a secret.", "Users refer to a Secret in place of the value.", freely},
	NotSecret: {
		"ST1109", "not-secret", ClassWire, Clients, Writers, "A property is no longer a secret.", "References to Secrets in its place are refused, and values are stored in plain text.", "Mark it as secret in strata.yaml.",
	},
	ReadOnly:   {"ST1110", "read-only", ClassWire, Clients, Writers, "A property became read-only.", "Clients that write it are refused or ignored.", "Keep it writable in versions that had it."},
	Writable:   {"ST1111", "writable", ClassWire, None, Nobody, "A read-only property can be written.", "Clients that do not know it do not write it.", freely},
	Changed:    {"ST1112", "changed", ClassWire, Clients, Everyone, "A property changes as strata.yaml or a marker declares.", "Clients that move to the later version must use the new form. " + byConversion, freely},
	Moved:      {"ST1113", "moved", ClassWire, Clients, Everyone, "A property moves to another object, as declared.", "Clients that move to the later version must use the new path. " + byConversion, freely},
	Deprecated: {"ST1114", "deprecated", ClassClients, None, Nobody, "A property is deprecated, or the advice for its users has changed.", "Its documentation says so.", freely},
	Supported:  {"ST1115", "not-deprecated", ClassClients, None, Nobody, "A property is no longer deprecated.", "Its documentation says so.", freely},
	Described:  {"ST1116", "description", ClassDocs, None, Nobody, "The description of a property has changed.", "kubectl explain prints another text.", "Check that the meaning is the same: conversions copy the value."},

	ValuesAdded:   {"ST1201", "values-added", ClassNewWrites, None, Readers, "An enum has more values.", "Clients can read values that they do not know.", "Clients should accept unknown values."},
	ValuesRemoved: {"ST1202", "values-removed", ClassNewWrites, Clients, Writers, "An enum has fewer values.", "Writes of a removed value are refused. " + ratcheting, "Declare the new name of a value in strata.yaml (values), or keep it."},
	Narrowed: {
		"ST1203", "limit-narrower", ClassNewWrites, NewWrites, Writers, "A limit allows fewer values: a bound, a length, a pattern, a format, or a uniqueness.", "Writes of values beyond the limit are refused. " + ratcheting,
		"Keep the limit within versions that are released.",
	},
	Widened:     {"ST1204", "limit-wider", ClassNewWrites, None, Readers, "A limit allows more values.", "Clients can read values that they do not expect.", freely},
	RuleAdded:   {"ST1205", "rule-new", ClassNewWrites, NewWrites, Writers, "A rule (CEL) is new or has changed.", "Writes that violate it are refused. " + ratcheting, "Guard members that older objects lack with has()."},
	RuleRemoved: {"ST1206", "rule-removed", ClassNewWrites, None, Readers, "A rule (CEL) has gone.", "Clients can read values that it refused.", freely},
	DefaultAdded: {
		"ST1207", "default-new", ClassClients, Clients, Everyone, "A property has a default that it did not have.", "Objects without the property get a value. Stored objects get it when a client reads them.",
		"A controller must treat the default as it treated the absent value.",
	},
	DefaultRemoved: {"ST1208", "default-removed", ClassClients, Clients, Everyone, "A property no longer has a default.", "New objects lack the property, which clients expect to be set.", "Keep the default."},
	DefaultChanged: {
		"ST1209", "default-changed", ClassClients, Clients, Everyone, "A property has another default.", "Objects that do not set the property get the new default.", "Keep the default within versions that are released.",
	},
	Nullable:      {"ST1210", "nullable", ClassNewWrites, None, Readers, "A property may be null.", "Clients can read null.", freely},
	NotNullable:   {"ST1211", "not-nullable", ClassNewWrites, Clients, Writers, "A property may no longer be null.", "API servers drop null, or refuse it where the property is required.", "Keep it nullable."},
	ListType:      {"ST1212", "list-type", ClassClients, Clients, Writers, "The type of a list or map for server-side apply has changed.", "Owners of elements become owners of the whole list, or the reverse; an apply can remove elements of others.", "Keep it. If it must change, use another property."},
	ListKeys:      {"ST1213", "list-keys", ClassClients, Clients, Writers, "The keys of a list have changed.", "Server-side apply identifies elements by other keys, so that it can merge or divide elements.", "Keep them."},
	Closed:        {"ST1214", "closed", ClassNewWrites, Clients, Writers, "An object no longer allows members of any name.", "API servers remove unknown members. Strata keeps those of other versions in a property bag.", "Keep the object open."},
	Opened:        {"ST1215", "open", ClassNewWrites, None, Readers, "An object allows members of any name.", "Clients can read members that they do not know.", freely},
	IntegerNarrow: {"ST1216", "integer-narrower", ClassNewWrites, NewWrites, Writers, "An integer has fewer bits, or another sign.", "Writes of larger values are refused. " + ratcheting, "Keep the type."},
	IntegerWide:   {"ST1217", "integer-wider", ClassNewWrites, None, Readers, "An integer has more bits.", "Clients with the earlier type cannot read larger values.", "Limit the values in older versions, or declare a function that converts them."},
	UnionChanged:  {"ST1218", "union", ClassNewWrites, Clients, Writers, "The branches of a union allow or require other members.", "Writes with members that a branch no longer allows, or without one that it requires, are refused.", "Compare the branches in the schema."},
}

// Page returns the page of the reference about all rules.
func Page() string {
	var b strings.Builder
	b.WriteString(pageHead)
	for _, of := range []struct{ title, ids string }{{"Resources and versions", "ST10"}, {"Properties", "ST11"}, {"Values", "ST12"}} {
		b.WriteString("\n## " + of.title + "\n")
		for _, r := range Rules() {
			if strings.HasPrefix(r.ID, of.ids) {
				b.WriteString("\n" + r.Markdown())
			}
		}
	}
	return b.String()
}

const pageHead = `# Rules of strata diff

[strata diff](commands.md#strata-diff) finds changes of these rules. A name or an identifier never
gets another meaning. ` + "`strata diff --explain NAME`" + ` prints the section of a rule.

| class | what a change is about |
|---|---|
| ` + "`wire`" + ` | names, types and positions in the JSON of objects |
| ` + "`new-writes`" + ` | which values may be written |
| ` + "`clients`" + ` | what an API server does for clients |
| ` + "`docs`" + ` | descriptions; listed with ` + "`--docs`" + ` |

| breaks | what |
|---|---|
| nothing | no client that follows the conventions of Kubernetes |
| ` + "`new-writes`" + ` | writes of some values; stored objects stay writable |
| ` + "`clients`" + ` | clients that use the API as it was, or that move to the later version |
| ` + "`stored-data`" + ` | objects that are stored in the version, as another type within one version does |

A change is noticed by readers or writers. Readers get objects that they do not expect. Writers send
objects that are refused, or that have another effect than before. Between versions, these are
clients that move from the earlier version to the later one: Strata goes on serving the earlier one,
and stores what it cannot represent in a [property bag](../glossary.md#property-bag).
`
