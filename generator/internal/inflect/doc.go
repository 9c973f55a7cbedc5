// Package inflect owns the plural and the singular of English words in names of resources. It finds
// them as controller-gen does, by package flect, and reports words of users that would change them.
package inflect
