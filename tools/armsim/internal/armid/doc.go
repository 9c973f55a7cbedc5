// Package armid owns how paths of Azure Resource Manager are read: what a path names, below which
// scope and parent. The simulator asks it for the target of each request.
//
// Letter case is kept in what is shown and does not matter in what is compared; see [Target.Key].
package armid
