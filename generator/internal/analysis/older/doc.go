// Package older finds what a version requires that objects of older versions can violate: members
// that it requires and that they lack, and enums, limits and rules that their values need not meet.
// An API server accepts labels and other edits of such an object through the newer version. It
// refuses edits next to such a value until a client mends it. A rule can refuse every edit.
//
// It only reports each requirement with a remedy: the chain and the plan decide how values convert.
package older
