// Package changes holds a kind of plugin that is never released, and shows every change that there can be from one version
// to the next, each in a package of its own: v2 an added parameter, v3 a parameter that is gone, v4 a new method that may do
// nothing, v5 a method that is gone, v6 a changed signature, v7 a version that embeds the one before, v8 a whole new
// interface.
package changes
