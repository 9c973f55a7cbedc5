// Package site builds the documentation as a static site: the pages of docs and the README, in the
// layout of tools/build/site/hugo. Hugo is a module outside of the workspace. The package writes
// each page with its title and its place in the menu, and the list of versions. It checks that each
// link of the built pages has a target, and that each page is reachable.
package site
