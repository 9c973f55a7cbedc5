// Package cluster is empty. Its folder is a module outside of the workspace, whose go.mod pins the programs of a real
// cluster and all that they are built of; package assets builds them. No other module shall require what these do.
package cluster
