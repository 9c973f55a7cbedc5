// Package upgrade has no code but tests: objects of any CRD are stored anew, and lose neither
// values nor owners, while the versions of the CRD change.
package upgrade
