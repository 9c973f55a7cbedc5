// Package collector configures the garbage collector for a process that lives for seconds and keeps
// nearly all that it allocates.
package collector
