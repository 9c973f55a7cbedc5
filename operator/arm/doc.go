// Package arm is a provider that looks after resources of the Azure Resource Manager, in the API
// version that their users wrote. It is a plugin of the operator; the command strata-arm serves it.
// Hosts call it through operator/plugin.
//
// A resource is addressed by its type, its parent and its name. What is put is the spec as it
// stands, with the values of secrets at their paths. What takes long is an operation that any
// process can go on with. Errors are failures that say what to do; neither they nor logs hold
// values of secrets or credentials.
package arm
