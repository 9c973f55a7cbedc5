package finding

const (
	byConversion = "Strata converts objects between both versions, so that clients of the earlier version keep working."
	ratcheting   = "Stored objects stay writable: an API server accepts an old value for as long as a write does not change it."
	freely       = "No action is needed."
	sameRule     = "There is no finding if the same rule at the same path had the same fault before."
)

// rules are all rules, in the order of their identifiers.
var rules = []Rule{
	{
		"ST1001", "resource-new", ClassClients, None, Nobody, "",
		"A resource type is new.",
		"Clients do not know it.",
		freely,
	},
	{
		"ST1002", "resource-removed", ClassClients, Clients, Everyone, NoHelp,
		"A resource type has gone.",
		"Clients get 404 for all of its objects.",
		"Keep the schemas until no cluster stores objects of the type.",
	},
	{
		"ST1003", "version-new", ClassClients, None, Nobody, "",
		"A version of a resource is new.",
		"Clients do not know it.",
		freely,
	},
	{
		"ST1004", "version-removed", ClassStored, Clients, Everyone, NoHelp,
		"A version of a resource has gone.",
		"Clients that use it get 404. Objects that are stored in it become unreadable.",
		"Keep its schema, and name it in versions.unserve of strata.yaml. Use versions.prune with the evidence of strata cluster upgrade prune.",
	},
	{
		"ST1005", "version-unserved", ClassClients, Clients, Everyone, NoHelp,
		"A version is no longer served.",
		"Clients that use it get 404. Stored objects stay readable through other versions.",
		"Deprecate the version for at least one release before.",
	},
	{
		"ST1006", "version-served", ClassClients, None, Nobody, "",
		"A version that was not served is served.",
		"Clients can use it.",
		freely,
	},
	{
		"ST1007", "version-deprecated", ClassClients, None, Nobody, "",
		"A version is deprecated, or its warning has changed.",
		"API servers send a warning with each answer.",
		"Name the version to use in the warning.",
	},
	{
		"ST1008", "version-not-deprecated", ClassClients, None, Nobody, "",
		"A version is no longer deprecated.",
		"API servers send no warning.",
		freely,
	},
	{
		"ST1009", "scope", ClassStored, StoredData, Everyone, NoHelp,
		"The scope of a resource type has changed.",
		"API servers refuse the change of the CRD, because the paths of all objects would change.",
		"Use another kind.",
	},
	{
		"ST1010", "names", ClassClients, Clients, Everyone, NoHelp,
		"The kind, the plural or the singular name of a resource has changed.",
		"Another plural makes another CRD, which does not have the objects of the earlier one.",
		"Keep the name. You can set the names of kinds in strata.yaml.",
	},
	{
		"ST1011", "short-name-new", ClassClients, None, Nobody, "",
		"A short name or a category is new.",
		"kubectl accepts it.",
		freely,
	},
	{
		"ST1012", "short-name-removed", ClassClients, Clients, Everyone, NoHelp,
		"A short name or a category has gone.",
		"Scripts that use it with kubectl fail.",
		"Keep it.",
	},
	{
		"ST1013", "subresource-new", ClassClients, Clients, Writers, NoHelp,
		"The status or the scale subresource is new.",
		"With a status subresource, writes of the main resource ignore the status.",
		"Change clients that write the status first.",
	},
	{
		"ST1014", "subresource-removed", ClassClients, Clients, Everyone, NoHelp,
		"The status or the scale subresource has gone.",
		"Clients that use it, such as kubectl scale or an autoscaler, get 404.",
		"Keep it.",
	},
	{
		"ST1015", "subresource-changed", ClassClients, Clients, Everyone, NoHelp,
		"The paths of the scale subresource have changed.",
		"Autoscalers read or write another property.",
		"Check that both paths have the same meaning.",
	},
	{
		"ST1016", "columns", ClassClients, None, Readers, "",
		"The columns that kubectl prints have changed.",
		"Scripts that parse tables of kubectl read other columns.",
		freely,
	},
	{
		"ST1017", "selectable-field-new", ClassClients, None, Nobody, "",
		"A field can be selected.",
		"Clients can use the field in field selectors.",
		freely,
	},
	{
		"ST1018", "selectable-field-removed", ClassClients, Clients, Readers, NoHelp,
		"A field can no longer be selected.",
		"API servers refuse lists and watches that select the field.",
		"Keep it.",
	},
	{
		"ST1019", "stored-version-removed", ClassStored, StoredData, Everyone, NoHelp,
		"A version has gone that API servers store objects in, or did.",
		"API servers refuse the change while the status of the CRD lists the version: its objects would become unreadable.",
		"Store all objects in another version first, as strata cluster upgrade does, and then remove the version.",
	},
	{
		"ST1020", "storage-version", ClassStored, None, Nobody, "",
		"API servers store objects in another version.",
		"Objects that are stored in the earlier version stay so until they are written again.",
		"Keep the earlier version until no object is stored in it. strata cluster versions counts them.",
	},

	{
		"ST1101", "new", ClassWire, None, Nobody, "",
		"A property is new and optional.",
		"Clients that do not know it neither read nor write it. " + byConversion,
		freely,
	},
	{
		"ST1102", "new-required", ClassWire, Clients, Writers, NoHelp,
		"A property is new and required.",
		"Clients that do not write it are refused, and so are writes of objects that lack it.",
		"Make it optional, or give it a default.",
	},
	{
		"ST1103", "removed", ClassWire, Clients, Everyone, Kept,
		"A property has gone.",
		"Clients that use it lose it. Strata keeps its value in a property bag, and the earlier version shows it.",
		"Declare a rename if another property has its place.",
	},
	{
		"ST1104", "renamed", ClassWire, Clients, Everyone, Harmless,
		"A property has another name.",
		"Clients that move to the later version must use the new name. " + byConversion,
		freely,
	},
	{
		"ST1105", "retyped", ClassWire, Clients, Everyone, Kept,
		"A property has another type.",
		"Clients that move to the later version must use the new type. Within one version, stored objects have the old one.",
		"Within one version, restore the type, or publish another version.",
	},
	{
		"ST1106", "required", ClassNewWrites, Clients, Writers, NoHelp,
		"An optional property is required.",
		"Writes without it are refused, also those of stored objects that lack it.",
		"Give it a default, or leave it optional.",
	},
	{
		"ST1107", "optional", ClassNewWrites, None, Readers, "",
		"A required property is optional.",
		"Clients can read objects that lack it.",
		freely,
	},
	{
		"ST1108", "secret", ClassWire, None, Nobody, "",
		"A property is a secret.",
		"Users refer to a Secret in place of the value.",
		freely,
	},
	{
		"ST1109", "not-secret", ClassWire, Clients, Writers, NoHelp,
		"A property is no longer a secret.",
		"References to Secrets in its place are refused, and values are stored in plain text.",
		"Mark it as secret in strata.yaml.",
	},
	{
		"ST1110", "read-only", ClassWire, Clients, Writers, NoHelp,
		"A property became read-only.",
		"Clients that write it are refused or ignored.",
		"Keep it writable in versions that had it.",
	},
	{
		"ST1111", "writable", ClassWire, None, Nobody, "",
		"A read-only property can be written.",
		"Clients that do not know it do not write it.",
		freely,
	},
	{
		"ST1112", "changed", ClassWire, Clients, Everyone, Harmless,
		"A property changes as strata.yaml or a marker declares.",
		"Clients that move to the later version must use the new form. " + byConversion,
		freely,
	},
	{
		"ST1113", "moved", ClassWire, Clients, Everyone, Harmless,
		"A property moves to another object, as declared.",
		"Clients that move to the later version must use the new path. " + byConversion,
		freely,
	},
	{
		"ST1114", "deprecated", ClassClients, None, Nobody, "",
		"A property is deprecated, or the advice for its users has changed.",
		"Its documentation says so.",
		freely,
	},
	{
		"ST1115", "not-deprecated", ClassClients, None, Nobody, "",
		"A property is no longer deprecated.",
		"Its documentation says so.",
		freely,
	},
	{
		"ST1116", "description", ClassDocs, None, Nobody, "",
		"What people read of a property has changed: its description, its title, its examples, or the messages of its rules.",
		"kubectl explain prints another text.",
		"Check that the meaning is the same: conversions copy the value.",
	},

	{
		"ST1201", "values-added", ClassNewWrites, None, Readers, "",
		"An enum has more values.",
		"Clients can read values that they do not know.",
		"Clients should accept unknown values.",
	},
	{
		"ST1202", "values-removed", ClassNewWrites, Clients, Writers, NoHelp,
		"An enum has fewer values.",
		"Writes of a removed value are refused. " + ratcheting,
		"Declare the new name of a value in strata.yaml (values), or keep it.",
	},
	{
		"ST1203", "limit-narrower", ClassNewWrites, NewWrites, Writers, NoHelp,
		"A limit allows fewer values: a bound, a length, a pattern, a format, a uniqueness, or schemas that are combined.",
		"Writes of values beyond the limit are refused. " + ratcheting,
		"Keep the limit within versions that are released.",
	},
	{
		"ST1204", "limit-wider", ClassNewWrites, None, Readers, "",
		"A limit allows more values.",
		"Clients can read values that they do not expect.",
		freely,
	},
	{
		"ST1205", "rule-new", ClassNewWrites, NewWrites, Writers, NoHelp,
		"A rule (CEL) is new or has changed.",
		"Writes that violate it are refused. " + ratcheting,
		"Guard members that older objects lack with has().",
	},
	{
		"ST1206", "rule-removed", ClassNewWrites, None, Readers, "",
		"A rule (CEL) has gone.",
		"Clients can read values that it refused.",
		freely,
	},
	{
		"ST1207", "default-new", ClassClients, Clients, Everyone, NoHelp,
		"A property has a default that it did not have.",
		"Objects without the property get a value. Stored objects get it when a client reads them.",
		"A controller must treat the default as it treated the absent value.",
	},
	{
		"ST1208", "default-removed", ClassClients, Clients, Everyone, NoHelp,
		"A property no longer has a default.",
		"New objects lack the property, which clients expect to be set.",
		"Keep the default.",
	},
	{
		"ST1209", "default-changed", ClassClients, Clients, Everyone, NoHelp,
		"A property has another default.",
		"Objects that do not set the property get the new default.",
		"Keep the default within versions that are released.",
	},
	{
		"ST1210", "nullable", ClassNewWrites, None, Readers, "",
		"A property may be null.",
		"Clients can read null.",
		freely,
	},
	{
		"ST1211", "not-nullable", ClassNewWrites, Clients, Writers, NoHelp,
		"A property may no longer be null.",
		"API servers drop null, or refuse it where the property is required.",
		"Keep it nullable.",
	},
	{
		"ST1212", "list-type", ClassClients, Clients, Writers, NoHelp,
		"The type of a list or map for server-side apply has changed.",
		"Owners of elements become owners of the whole list, or the reverse; an apply can remove elements of others.",
		"Keep it. If it must change, use another property.",
	},
	{
		"ST1213", "list-keys", ClassClients, Clients, Writers, NoHelp,
		"The keys of a list have changed.",
		"Server-side apply identifies elements by other keys, so that it can merge or divide elements.",
		"Keep them.",
	},
	{
		"ST1214", "closed", ClassNewWrites, Clients, Writers, Kept,
		"An object no longer allows members of any name.",
		"API servers remove unknown members. Strata keeps those of other versions in a property bag.",
		"Keep the object open.",
	},
	{
		"ST1215", "open", ClassNewWrites, None, Readers, "",
		"An object allows members of any name.",
		"Clients can read members that they do not know.",
		freely,
	},
	{
		"ST1216", "integer-narrower", ClassNewWrites, NewWrites, Writers, Kept,
		"An integer has fewer bits, or another sign.",
		"Writes of larger values are refused. " + ratcheting,
		"Keep the type.",
	},
	{
		"ST1217", "integer-wider", ClassNewWrites, None, Readers, "",
		"An integer has more bits.",
		"Clients with the earlier type cannot read larger values.",
		"Limit the values in older versions, or declare a function that converts them.",
	},
	{
		"ST1218", "union", ClassNewWrites, Clients, Writers, NoHelp,
		"The branches of a union allow or require other members.",
		"Writes with members that a branch no longer allows, or without one that it requires, are refused.",
		"Compare the branches in the schema.",
	},
	{
		"ST1219", "union-wider", ClassNewWrites, None, Readers, "",
		"The branches of a union allow more members, or require fewer.",
		"Clients can read branches with other members than before.",
		freely,
	},
	{
		"ST1220", "rule-invalid", ClassClients, Clients, Everyone, NoHelp,
		"A rule (CEL) or its message expression does not compile, or uses oldSelf where API servers cannot find the earlier value.",
		"API servers refuse the CRD. " + sameRule,
		"Correct the rule. The finding has the error of the first line.",
	},
	{
		"ST1221", "rule-cost", ClassClients, Clients, Everyone, NoHelp,
		"The estimated cost of a rule (CEL) or its message expression is above the limit of API servers: the rule is new, or a bound around it or of what it reads is wider.",
		"API servers refuse the CRD. " + sameRule,
		"Add the bounds that the finding lists: maxItems, maxProperties and maxLength. Or simplify the rule.",
	},
	{
		"ST1222", "rule-cost-total", ClassClients, Clients, Everyone, NoHelp,
		"The estimated cost of all rules (CEL) of a version is above the limit of API servers.",
		"API servers refuse the CRD. There is no finding if the cost was above the limit before.",
		"Add bounds where rules are within lists and maps, or simplify the rules.",
	},

	{
		"ST2001", "likely-rename", ClassWire, Clients, Everyone, Kept,
		"A property ends, and one that is like it begins; the configuration does not say whether they are one.",
		"A property bag keeps the value of the earlier one. Clients of the later version do not see it.",
		"Paste the proposed line into strata.yaml, or record the removal.",
	},
	{
		"ST2002", "likely-change", ClassWire, Clients, Everyone, Kept,
		"The type, the values or the object of a property change; the configuration does not say how its values convert.",
		"A property bag keeps the value of the earlier one. Clients of the later version do not see it.",
		"Paste the proposed line into strata.yaml, or record the removal.",
	},
	{
		"ST2003", "removal", ClassWire, Clients, Everyone, Kept,
		"A property ends; the configuration does not say whether it has another name now.",
		"A property bag keeps its value for clients of the earlier version.",
		"Paste the proposed line into strata.yaml.",
	},
	{
		"ST2004", "likely-secret", ClassStored, None, Nobody, "",
		"A property looks like a secret; the configuration does not say whether it is one.",
		"Its value is stored in the object, for every reader of the object.",
		"Mark it in strata.yaml with secret: true, or with secret: false.",
	},
	{
		"ST2005", "older-objects", ClassStored, NewWrites, Writers, NoHelp,
		"A version has a requirement that objects of an older version can violate.",
		"Writes of such objects through the later version are refused.",
		"Declare the change or the default that the finding names.",
	},
}
