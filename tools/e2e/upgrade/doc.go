// Package upgrade has no code but tests: objects of any CRD are stored anew, and lose neither
// values nor owners, while the versions of the CRD change.
//
// It also proves that the plan of an upgrade finds what the upgrade would lose, and nothing else.
package upgrade
