// Package document decodes YAML and JSON files into values that know where they
// stand, whichever of the two they were written in. YAML is read as the clients of
// Kubernetes read it: plain words such as on and off are booleans, and an object that
// names a member twice is an error. Anchors and merge keys are followed, within limits.
package document
