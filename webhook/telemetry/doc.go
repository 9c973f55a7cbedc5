// Package telemetry reports what conversions do: to a log, as Prometheus metrics and as
// OpenTelemetry spans.
//
// It defines the names of metrics and attributes, which users depend on, and [Telemetry], to which
// package webhook reports every review. Telemetry is also the observer of package runtime. Each of
// the three can be off, and then costs nothing.
//
// It reports names, versions and paths, and never a value of an object.
package telemetry
