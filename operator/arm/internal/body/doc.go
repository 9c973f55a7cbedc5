// Package body works on the JSON of resources: paths of outputs, and differences between the
// values that a user wrote and those in Azure. Numbers keep all their digits.
package body
