// Package hidden defines the format of status bags. It stores the values of a storage object that
// an API version cannot represent, and restores them.
//
// The rules of the format are in write.go and restore.go. They call a carrier, which visits
// values and makes fingerprints of them. One carrier is for Go values, and one for JSON. So both
// result in the same bytes and the same objects.
package hidden
