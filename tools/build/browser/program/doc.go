// Package program finds Chromium on this machine. It is apart from package browser, so that
// programs which only ask whether there is one do not compile the client of its protocol.
package program
