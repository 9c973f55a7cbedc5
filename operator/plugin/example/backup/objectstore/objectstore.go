// Package objectstore is the kind of plugin that stores backups, for the backup tool: its newest
// version, whichever one plugins implement.
package objectstore

import "example.com/backup/objectstore/v3"

// ObjectStore is the newest interface of the kind.
type ObjectStore = v3.ObjectStore

// Latest is the newest version of the kind.
var Latest = v3.Version
