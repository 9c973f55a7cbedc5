// Package express reports which values of the hub's spec an API version cannot represent.
// Generated code lists them for each version, as [Expressions]. [Expressions.Missing] finds them
// in a spec.
package express
