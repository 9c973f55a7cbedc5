// Package redaction removes secrets from messages. Services often repeat in errors what they were
// sent, as it is or as a part of JSON or of a URL. The operator calls it for conditions, events and
// logs, and providers for their failures.
package redaction
