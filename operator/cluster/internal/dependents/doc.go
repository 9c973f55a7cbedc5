// Package dependents finds and heals owner references that name a version which goes. The garbage
// collector of Kubernetes looks for an owner in the version that a reference names: once nobody
// serves that version, dependents of deleted owners stay. It reads metadata only, page by page.
// Package cli calls it.
package dependents
