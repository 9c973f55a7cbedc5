// Package manifest edits YAML and JSON that users wrote. It turns a value of a text into another
// value, and changes only the bytes that it must: comments, order, quotes, anchors and line ends
// stay. A comment stays with its property, also if the property gets another name or place.
//
// Package conversion calls it, and parses each result again: a text that does not have the wanted
// value is an error.
package manifest
