// Package resource describes the kinds of an operator, as a scheme of generated types declares
// them. For each kind it has the hub that the cluster stores, the API versions with their names
// in the external API, and the kinds of its owner and of its children.
package resource
