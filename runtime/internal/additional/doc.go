// Package additional converts properties that one version names and that are additional members
// of an open object in another version. Between the two versions a property bag stores them,
// under the keys of the versions that name them. [Lower] stores them before a step, and [Raise]
// restores them after it. [RemoveReplaced] removes the stored values that a client replaced by
// writing such a member.
package additional
