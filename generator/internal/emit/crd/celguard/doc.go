// Package celguard guards the rules of CRDs (CEL) against members that objects lack because an
// older version of the API wrote them.
//
// The author of a rule relies on members that the schema requires. An object that was written
// through a version without such a member lacks it. The rule then ends in an error, and the API
// server refuses every write of the object. A guarded rule is true for such objects.
//
// The package does not depend on CRDs or versions: callers describe the value that a rule is
// about.
package celguard
