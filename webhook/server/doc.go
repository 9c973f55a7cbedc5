// Package server runs the conversion webhook as a process.
//
// [Run] controls its life. It listens, is alive at once, and is ready when it can convert. At its
// end it first reports that it is not ready, goes on serving while load balancers notice, and then
// finishes running reviews. [Main] reads flags and calls Run. A webhook for other types is a
// program that calls Main. Its command convert answers reviews on standard input, for programs
// that try conversions before an upgrade.
package server
