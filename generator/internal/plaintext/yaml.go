package plaintext

import (
	"fmt"
	"strings"
)

// YAML returns a text as YAML that reads as that string, with quotes only where they are needed.
func YAML(name string) string {
	plain := strings.IndexFunc(name, func(r rune) bool {
		return !(r == '_' || r == '-' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9')
	}) < 0
	first := name == "" || !(name[0] == '_' || 'a' <= name[0]|0x20 && name[0]|0x20 <= 'z')
	switch strings.ToLower(name) {
	case "true", "false", "null", "yes", "no", "on", "off", "y", "n":
		plain = false
	}
	if plain && !first {
		return name
	}
	return fmt.Sprintf("%q", name)
}
