// Package archives builds what users install: archives of strata and of the programs beside it, for
// each platform, with completions and pages for man. It adds checksums, a list of the modules in
// each archive (SPDX), a statement of their origin (SLSA), a manifest for krew and a formula for
// Homebrew. The same commit gives the same bytes. With a key or an identity it signs them, and it
// verifies a folder without a network. The targets release:archives and release:verify call it.
package archives
