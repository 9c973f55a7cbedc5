// Package pack packs the modules of the workspace into a module proxy made of files, so that each
// can be built as its users will build it: from the zip of a published version, without go.work.
//
// A packed version is named after the content of the module and of the siblings that it requires,
// as in v0.0.0-packed.h1a2b3c4d5e6f. So a version never changes its meaning, and what the go
// command keeps of it stays right. In the packed go.mod siblings are required at their packed
// versions. The proxies lie in the user's cache folder, one a pack, and those of earlier days are
// removed.
package pack
