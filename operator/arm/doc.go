// Package arm is a provider for resources of the Azure Resource Manager, in the API version that
// the user wrote. It is a plugin of the operator, which the command strata-arm serves. Hosts call
// it through operator/plugin.
//
// A resource is identified by its type, its parent and its name. The provider sends the spec
// unchanged, with the values of secrets at their paths. A change that takes long is an operation,
// which any process can continue. Errors are failures with instructions for the operator. Neither
// errors nor logs contain values of secrets or credentials.
package arm
