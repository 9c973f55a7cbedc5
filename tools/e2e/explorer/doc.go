// Package explorer proves, in a real browser, that the pages of strata explorer answer what users
// ask of the history of an API. Pages come from disk, as users open them.
package explorer
