// Package targets defines each target of the magefile, as a list of steps. A step that does more
// than run a command has a package of its own beside this one. All targets work on the workspace
// of the current folder.
package targets
