// Package kubectl calls kubectl as one user of one cluster. It ignores the settings of the user who
// runs the program.
package kubectl
