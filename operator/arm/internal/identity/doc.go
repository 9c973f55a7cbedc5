// Package identity makes credentials from the values of Secrets, or from the plugin's own
// environment, and stores a client for each. Neither errors nor logs contain values of
// credentials.
package identity
