// Package originalversion proves, end to end, that the external API is called in the version that
// the user wrote: on a real API server, with the operator and its provider as processes, against
// the simulator, for the worked example and for types of real schemas, in every version that is
// served. It holds only tests.
package originalversion
