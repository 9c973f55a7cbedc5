// Package fetch downloads the sources that schemas/sources.yaml pins: for each, the files of a
// repository at one commit that its globs select, verified against the pinned digest.
//
// A Source names an origin: the archive of a code host or of an https mirror, or a folder that
// the user gives. The origin passes its files, one by one, to a tree. Run compares the tree with
// the pin, and only then replaces <Dest>/<name>. So the destination always has all verified files
// of one commit, or its earlier files, or nothing.
//
// All input is bounded (Limits) and untrusted: only https, no links, no path outside of the tree,
// no path twice. The digest covers the tree and not the archive, so that a folder is verified
// like an archive: docs/adr/0008-fetch.md has the reasons.
//
// Mage's fetch target and cmd/strata-fetch call Run; the pin verb calls Compute.
package fetch
