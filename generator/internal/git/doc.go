// Package git reads folders of a commit with the git program. It changes nothing in a repository.
package git
