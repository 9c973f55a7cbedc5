// Package changes contains a kind of plugin that is never released. It shows every possible change
// from one version to the next, each in a package of its own: v2 adds a parameter, v3 removes a
// parameter, v4 adds a method that may do nothing, v5 removes a method, v6 changes a signature, v7
// embeds the previous version, and v8 is a whole new interface.
package changes
