// Package record stores the state of an upgrade in the cluster, as the resource StorageUpgrade. Any
// process can read there what was done, and continue. Package stages writes it, and package cli
// shows it.
package record
