// Package certs gives a webhook the certificate that it serves with.
//
// It owns [Source], what a server needs of certificates; [Files], which reads a pair of files again when they change, as
// those of a Secret do that cert-manager keeps; and [Managed], which makes an authority and certificates itself, shares
// them between replicas in a Secret, and puts the authority into the caBundle of custom resource definitions.
//
// # Rotation
//
// A managed authority is trusted before anything is signed with it, and for as long as anything signed with it may be in
// use. When two thirds of its life are over, a new authority is put in front of it in the Secret. Replicas put both into
// all definitions. When they have been there for a while, a new certificate is signed with the new authority, and replicas
// take it from the Secret. The old authority stays until it expires, which certificates of its own do not outlive.
//
// Every replica does all of this alike, with what the Secret and the definitions say; writes are made only to what was
// read, so that of two replicas one has to look again. A definition is read before the Secret and written only if it has
// not changed since; so what is written into it is never older than what another replica has written.
package certs
