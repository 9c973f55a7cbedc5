// Package pages lists objects page by page, so that memory does not depend on their number. What
// reads all objects of a resource calls it.
package pages
