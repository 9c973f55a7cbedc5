// Package heaptest measures how much memory work has in use, for tests of limits. Tests of package
// webhook and of its engines call it.
package heaptest
