// Package await repeats a check until it succeeds. Tests and environments use it for conditions in
// other processes, which cannot be observed in another way.
package await
