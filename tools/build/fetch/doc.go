// Package fetch brings the sources that schemas/sources.yaml pins: for each, the
// files below a repository at one commit that its globs select, verified byte for
// byte against the pinned digest.
//
// A value goes one way: a Source names an origin (the archive of a code host, of
// an https mirror, or a folder given by the user); the origin hands its files, one
// by one, to a tree; the tree is compared with the pin, and only then takes the
// place of <Dest>/<name>. So what stands at the destination is whole, verified and
// of one commit, or it is what stood there before, or nothing.
//
// Everything that comes from outside is bounded (Limits) and distrusted: only
// https, no links, no path that leaves the tree, no path twice. The digest is over
// the tree and not over the archive, so a folder is verified like an archive:
// docs/adr/0008-fetch.md says why.
//
// Mage's fetch target and cmd/strata-fetch call Run; the pin verb calls Compute.
package fetch
