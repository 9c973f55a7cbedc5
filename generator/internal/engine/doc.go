// Package engine runs the generator: it reads the configuration, passes the sources from stage to
// stage, and writes the result. Each command of package cli is a method of [Engine]. pipeline.go
// shows the stages; the packages of the stages decide what they produce.
package engine
