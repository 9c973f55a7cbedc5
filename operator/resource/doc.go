// Package resource describes the kinds of an operator, according to a scheme of generated types.
// For each kind it has the hub that the cluster stores, and the API versions with their names in
// the external API. It also has the kinds of its owner and of its children.
package resource
