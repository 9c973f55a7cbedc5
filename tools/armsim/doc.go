// Package armsim owns a simulator of Azure Resource Manager: an HTTP handler that keeps resources
// as ARM does, and takes only what their published schemas allow in the API version of the request.
// Tests and the command strata-armsim start it; providers talk to it as to the cloud.
//
// What it is asked is judged by package armschema and read by package armid; what it has answered
// survives the end of its process in package store. It imports nothing of what it is there to test.
//
// Under /_sim/ it reports what has been asked of it, and is told which faults to show. The same can
// be had by methods of [Simulator].
package armsim
