// Package syntax decodes YAML and JSON files into values with their positions in the file. It reads
// YAML as Kubernetes clients do: plain words such as on and off are booleans, and an object that
// names a member twice is an error. It follows anchors and merge keys, within limits.
package syntax
