// Package child starts programs that live as long as this process, or shorter, and that leave nothing behind: when this
// process ends, even by force, they end with it, and their folder is removed.
//
// A Group is a folder and the programs that work in it. Its guard is a shell that waits for the end of a pipe which
// this process holds. It then ends its own process group, to which the programs belong, and removes the folder; no
// process is ever sought by its number. Linux moreover ends each program by itself when its parent ends.
package child
