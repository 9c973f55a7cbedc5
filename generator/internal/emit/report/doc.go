// Package report writes what people want to know of a plan beside its code.
package report
