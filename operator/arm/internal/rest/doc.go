// Package rest calls ARM through azcore's pipeline, one request at a time. The caller gets the
// status, the headers and a body of limited size. The package converts answers that are errors to
// failures with instructions for the operator.
package rest
