// Package jsontree owns JSON documents as they stand in their files: members in
// their order, every value with its byte offset, numbers and strings as written.
//
// Front-ends that read schemas walk it. It holds no schema knowledge and makes
// no messages: it tells where a document is wrong, and callers say so.
package jsontree
