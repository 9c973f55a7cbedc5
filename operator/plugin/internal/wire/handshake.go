package wire

import goplugin "github.com/hashicorp/go-plugin"

// Protocol is the number of the protocol on the wire.
const Protocol = 1

// Handshake shows a plugin that a Strata host has started it. It is no protection.
var Handshake = goplugin.HandshakeConfig{
	ProtocolVersion:  Protocol,
	MagicCookieKey:   "STRATA_PLUGIN",
	MagicCookieValue: "c5f0a4b7-2d0c-4d7e-9c55-6f3a1c8e21d4",
}

// The variables that a host sets for a plugin, beside those of go-plugin.
const (
	LimitVariable = "STRATA_PLUGIN_MESSAGE_LIMIT" // the largest message, in bytes
	LevelVariable = "STRATA_PLUGIN_LOG_LEVEL"     // the lowest level that is logged, as slog spells it
)

// DefaultLimit is the default size of the largest message, in bytes.
const DefaultLimit = 16 << 20

// InstanceHeader names the instance of a call.
const InstanceHeader = "strata-instance"

// The methods of the service that every plugin has.
const (
	ListMethod = "/strata.plugin.v1.Plugin/List"
	OpenMethod = "/strata.plugin.v1.Plugin/Open"
)
