// Package report writes what users want to know of a plan beside its code.
package report
