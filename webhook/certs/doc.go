// Package certs provides the serving certificate of a webhook.
//
// It contains [Source], the interface that a server uses; [Files], which reads a certificate and
// its key from two files, and again when they change, such as those of a Secret that cert-manager
// maintains; and [Managed], which creates a CA and certificates itself, shares them between
// replicas in a Secret, and writes the CA into the caBundle of CRDs.
//
// # Rotation
//
// Clients trust a managed CA before it signs anything, and for as long as a certificate that it
// signed may be in use. When two thirds of its life are over, a replica puts a new CA before it
// in the Secret. Replicas then write both into all CRDs. After a settling time, a replica signs a
// new certificate with the new CA, and all replicas take it from the Secret. The old CA stays
// until it expires. No certificate outlives the CA that signed it.
//
// All replicas follow the same rules, based on the Secret and the CRDs. They update an object
// only if it has not changed since they read it, so that one of two concurrent replicas must read
// again. A replica reads a CRD before the Secret, and writes it only if it has not changed since.
// So it never replaces a bundle of another replica by an older one.
package certs
