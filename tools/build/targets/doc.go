// Package targets says what each target of the magefile does, as a list of steps. What a step needs
// beyond running a command is a package of its own beside this one. All of it works on the
// workspace that the current folder lies in.
package targets
