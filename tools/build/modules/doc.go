// Package modules knows the modules of the workspace: where they lie, which of their siblings they
// require, and an order in which each comes after all that it requires. It reads go.work and the
// go.mod files and changes nothing.
package modules
