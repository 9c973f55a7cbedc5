package plaintext

import (
	"regexp"
	"strings"
)

var devices = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?$`)

// IsDevice reports whether Windows reads a name as a device, whatever its extension. Such a name
// cannot be used for a file.
func IsDevice(name string) bool {
	const short, long = len("con"), len("com1") // all names of devices have one of these lengths
	base, _, _ := strings.Cut(name, ".")
	return (len(base) == short || len(base) == long) && devices.MatchString(name)
}

// FileName returns a safe beginning of a file's name: it appends an underscore to the name of a
// device.
func FileName(name string) string {
	if IsDevice(name) {
		return name + "_"
	}
	return name
}
