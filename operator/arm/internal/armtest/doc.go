// Package armtest is an ARM for tests that says what a test has it say, call by call, and fails the
// test on any other call.
package armtest
