// Package process names a running process so that no other is ever taken for it: a number is given again to somebody
// else when its process has ended, so a Process also knows when its own began.
package process
