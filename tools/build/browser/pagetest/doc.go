// Package pagetest has what tests of pages in a real browser share: the browser, steps with a
// deadline, errors in the console, and contrasts.
package pagetest
