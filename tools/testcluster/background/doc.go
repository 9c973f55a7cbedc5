// Package background owns the cluster that `mage cluster:up` leaves running: a process in the
// background that starts it, waits until it is told to stop, and stops it; and the folder by which
// others find both.
//
// The process holds a lock on a file in the folder for as long as it lives. Who is not able to take
// that lock knows that the process whose number stands beside it is the right one.
package background
