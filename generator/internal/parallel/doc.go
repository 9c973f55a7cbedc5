// Package parallel does many independent pieces of work at once. What each makes has a place of its own, so that the
// result does not depend on the number of workers.
package parallel
