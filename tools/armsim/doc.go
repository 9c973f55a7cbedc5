// Package armsim implements a simulator of Azure Resource Manager: an HTTP handler that stores
// resources as ARM does. It accepts only bodies that the published schema of the request's API
// version allows. Tests and the command strata-armsim start it; providers call it as they call
// the cloud.
//
// Package armschema validates requests, and package armid parses identifiers. Package store
// writes the state to a file, so that it survives the end of the process. The simulator imports
// nothing of the providers that it tests.
//
// Under /_sim/ it reports the requests that it received, and accepts rules for faults. The
// methods of [Simulator] do the same.
package armsim
