// Package report writes reports on a plan for users.
package report
