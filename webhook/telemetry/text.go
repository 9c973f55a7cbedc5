package telemetry

import (
	"log/slog"
	"strings"
)

// maxText is the largest length of a text in a message or a span. Names and paths of objects that
// do not come from an API server can have any length.
const maxText = 1 << 10

// bounded shortens a text that is too long.
func bounded(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + " ..."
}

// text returns an attribute of a message.
func text(key, value string) slog.Attr { return slog.String(key, bounded(value)) }
