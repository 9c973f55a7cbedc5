// Package kubectl calls kubectl as one user of one cluster, with nothing of the settings of whoever
// runs it.
package kubectl
