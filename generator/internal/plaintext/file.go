package plaintext

import "regexp"

var devices = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$`)

// IsDevice reports whether Windows takes a name for a device, whatever its extension: no file can be called so.
func IsDevice(name string) bool { return devices.MatchString(name) }

// FileName gives a name that files can begin with: that of a device has an underscore behind it.
func FileName(name string) string {
	if IsDevice(name) {
		return name + "_"
	}
	return name
}
