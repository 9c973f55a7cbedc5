// Package launch starts plugins, once each time: as a process whose program is checked first, or in memory for tests. What
// it hands out is one life of a plugin. That there can be a next one is the business of package host.
//
// go-plugin starts the process, shakes hands and sets up TLS; its Client is used for one life and never asked twice. What
// it cannot know about a process that hangs is known here: the process is ours, by a runner of our own.
package launch
