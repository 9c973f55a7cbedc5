// Package ca signs the certificates of test clusters and of the webhooks that tests serve. A CA
// exists in memory only.
package ca
