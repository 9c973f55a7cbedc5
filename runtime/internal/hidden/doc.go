// Package hidden owns the format of status bags: what an API version cannot represent of its
// storage object, and how these values find their places again.
//
// The rules of the format are written once, in write.go and restore.go. They call a carrier, which
// visits values and makes fingerprints of them: one for Go values, one for JSON. So both give the
// same bytes, and the same objects.
package hidden
