// Package additional owns properties that one version names and that are additional members of an
// open object in another version. Between the two they lie in property bags, under the keys of the
// versions that name them: [Lower] puts them there before a step, and [Raise] takes them out behind
// it. [RemoveReplaced] removes what a client has replaced by writing such a member.
package additional
