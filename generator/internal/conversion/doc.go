// Package conversion converts the objects of manifests between API versions, without a cluster. It
// reads plans as data, converts the JSON of each object with package convert of the runtime, and
// lets package manifest edit the text.
//
// A manifest is what a user wrote, and not what an API server stored. So nulls, empty values and
// the directives of patches stay wherever the other version has their property.
package conversion
