// Package outside owns what passes between the operator and the providers of external APIs: which provider a type belongs
// to, how often it may be called and what its errors mean; the body that a spec is outside, and the status that an answer
// is in the cluster; secrets and credentials. It knows objects only as JSON and as generated types, and writes Secrets,
// nothing else.
package outside
