// Package declared converts the properties that users declare changes of, within one object or from
// one object to another. It decides what stays in property bags, and what bags record about a value
// that the other side cannot represent. It works on objects of either engine: package genruntime
// calls it with Go values, and package convert with JSON.
package declared
