// Package process starts programs that end with this process, and names running processes.
//
// A Group is a folder and the programs that work in it. When this process ends, even by force, its
// programs end with it, and the folder is removed. The guard of a group is a shell that waits for
// the end of a pipe which this process has open. It then ends its own process group, to which the
// programs belong, and removes the folder; it looks for no process by its number. On Linux each
// program also ends by itself when its parent ends.
//
// A Process names a running process so that no other is taken for it. Numbers are given again after
// a process has ended, so a Process also knows when its own began.
package process
