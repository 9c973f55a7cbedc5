// Package settle waits until each API server of a cluster stores the objects of a kind in the
// storage version of its CRD. API servers learn of a CRD one by one, and discovery shows what each
// knows. A write through a server that does not know the change is stored in the old version.
package settle
