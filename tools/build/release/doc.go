// Package release releases the modules of the workspace, each on tags of its own. The targets
// release:plan, release:prepare, release:check, release:tag and release:tags call it. It works
// on the repository of a folder, and pushes nothing. RELEASING.md describes the procedure.
package release
