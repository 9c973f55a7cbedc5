// Package generator has what the generator publishes beside its command: the JSON
// schema of strata.yaml.
package generator

import _ "embed"

// Schema is the JSON schema (draft-07) of strata.yaml.
//
//go:embed strata.schema.json
var Schema []byte
