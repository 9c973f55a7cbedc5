// Package doctor finds what is wrong with the installation of Strata in a cluster: CRDs, webhooks,
// their certificates, policies, stored versions and upgrades. It only reads. What the user may not
// read is a note.
package doctor
