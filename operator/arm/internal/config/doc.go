// Package config checks the configuration of the provider: the cloud that it calls, and the
// defaults for resources that name no parent.
package config
