// Package jsontree represents JSON documents as they are in their files: members in their order,
// every value with its byte offset, and numbers and strings as written.
//
// Front-ends that read schemas use it. It knows nothing of schemas and makes no messages. It
// returns where a document is invalid, and callers report that.
package jsontree
