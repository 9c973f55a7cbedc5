// Package armid parses identifiers of resources in Azure. It also makes the identifier of a
// resource from a type, a parent and a name, for every scope. It makes no calls.
package armid
