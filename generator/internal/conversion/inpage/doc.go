//go:build js

// Command inpage is the program that pages of strata explorer load to convert objects. A browser
// runs it as WebAssembly. It defines one function, strataConvert, whose arguments and results are
// texts; see answer.
package main
