// Package armsim owns a simulator of Azure Resource Manager: an HTTP handler that keeps resources
// as ARM does, and takes only what their published schemas allow in the API version of the request.
// Tests and the command strata-armsim start it; providers talk to it as to the cloud.
//
// Package armschema validates requests, and package armid parses identifiers. Package store keeps
// what the simulator has answered when its process ends. The simulator imports nothing of the
// providers that it tests.
//
// Under /_sim/ it reports the requests that it received, and accepts the faults that it is to show.
// The methods of [Simulator] do the same.
package armsim
