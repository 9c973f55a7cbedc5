// Package telemetry tells what conversions do: to a log, as metrics of Prometheus and as spans of OpenTelemetry.
//
// It owns the names of metrics and attributes, which users build on, and [Telemetry], which package webhook tells of
// every review. It is also the observer of package runtime. Each of the three can be off, and then costs nothing.
//
// Nothing that it tells holds a value of an object: names, versions and paths only.
package telemetry
