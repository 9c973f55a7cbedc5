// Package armid parses the paths of Azure Resource Manager: kind, type, scope and parent of the
// object that a path identifies. The simulator calls it for each request.
//
// Printed paths preserve letter case; comparisons ignore it. See [Target.Key].
package armid
