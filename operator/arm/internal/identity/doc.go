// Package identity makes credentials of what Secrets hold, or of the plugin's own environment, and
// keeps a client for each of them. Values of credentials are in no error and in no log.
package identity
