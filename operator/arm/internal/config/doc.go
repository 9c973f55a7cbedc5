// Package config reads the configuration of the provider: which cloud it calls, and where resources
// are that do not say so.
package config
