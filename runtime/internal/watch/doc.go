// Package watch ends long loops when their context is done.
package watch
