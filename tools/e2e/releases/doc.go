// Package releases makes successive releases of the worked example: each is generated from the
// schemas up to a version, with the ledger of the one before, and has programs of its own.
package releases
