// Package background manages the cluster of `mage cluster:up`: a supervisor process in the
// background that starts the cluster, waits for a signal, and stops the cluster; and the folder
// by which other processes find both.
//
// The supervisor holds a lock on a file in the folder until it ends. If a process cannot take
// that lock, the process whose number is in the folder is the supervisor.
package background
