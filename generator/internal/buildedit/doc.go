// Package buildedit changes the files by which a kubebuilder project builds and installs its CRDs:
// [Makefile] and [Kustomization] take those of Strata instead of those of controller-gen. [Patch]
// prints changes, so that a user can review and apply them.
//
// It takes text and returns text, and preserves what it does not change. What is not as kubebuilder
// writes it is a [Refusal], with the lines to paste. For Go files see package goedit.
package buildedit
