// Package finding owns what is common to the findings of strata diff and strata check: the rules
// with their identifiers, how much a finding breaks, its fingerprint, and the policy of strata.yaml
// that changes severities and ignores findings. It knows no schemas.
package finding
