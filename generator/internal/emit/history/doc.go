// Package history prints the property histories of kinds as data: which property of one version is
// which property of another, and which values convert by other means than copying. Programs that
// work on clusters read the files, because they have no schemas of versions that have gone.
//
// The page docs/guide/reference/histories.md describes the format.
package history
