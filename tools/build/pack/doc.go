// Package pack packs the modules of the workspace into a module proxy of files. So each can be
// built as its users will build it: from the zip of a published version, without go.work.
//
// The name of a packed version has a hash of the content of the module and of the siblings that
// it requires, as in v0.0.0-packed.h1a2b3c4d5e6f. So a version never changes its content, and the
// caches of the go command stay valid. The packed go.mod requires siblings at their packed
// versions. Each pack has a proxy in the user's cache folder. Proxies of tests that were not used
// for a day are removed. Packs for users stay; their versions also have the time.
//
// The package also serves released versions, for rehearsals of releases.
package pack
