// Package kindcli implements the command line of strata-plugin-kinds, for projects that define
// kinds of plugins. It imports no kind, so that it works while generated code does not compile.
package kindcli
