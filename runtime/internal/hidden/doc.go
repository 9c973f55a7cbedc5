// Package hidden owns the format of status bags: what an API version cannot represent of its
// storage object, and how these values find their places again. Writers and restorers exist twice,
// for Go values and for JSON; both give the same bytes.
package hidden
