package telemetry

import (
	"log/slog"
	"strings"
)

// maxText is how long a text of a message or a span may be. Names and paths of objects that come from no API server can have
// any length.
const maxText = 1 << 10

// bounded cuts a text that is too long.
func bounded(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + " ..."
}

// text is an attribute of a message.
func text(key, value string) slog.Attr { return slog.String(key, bounded(value)) }
