// Package ownership translates the ownership of fields, as metadata.managedFields records it, from
// one version of a kind to another. It follows the property histories of the kind, which strata
// generate writes to histories/<group>/<plural>.json: names that change, keys of lists, values that
// convert to other properties.
//
//	kind, err := ownership.Read(file)
//	translated, err := kind.Translate(set, "v1beta1", "v1")
//	owned := translated.Over(live)
//
// Translate reads no object, so its result names properties that convert as a whole, whatever is in
// them. Over adds the fields that the object has there.
package ownership
