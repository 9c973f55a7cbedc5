// Package express reports which values of the hub's spec an API version cannot express. Generated
// code lists them for each version, as [Expressions]; [Expression.Missing] looks for them in a
// spec.
package express
