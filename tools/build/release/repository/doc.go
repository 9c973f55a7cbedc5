// Package repository reads commits and tags of the repository that a release is made in, and adds
// tags to it. It runs git in that repository only, and pushes nothing.
package repository
