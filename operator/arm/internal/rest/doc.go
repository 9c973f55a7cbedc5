// Package rest calls ARM through azcore's pipeline, one request at a time. The caller gets the
// status, the headers and a body of bounded size, and decides. It turns answers that are errors
// into failures that say what to do.
package rest
