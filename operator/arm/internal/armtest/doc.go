// Package armtest is an ARM for tests that answers each call by a script, and fails the test on
// any other call.
package armtest
