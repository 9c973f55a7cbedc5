// Package itemaction is the kind of plugin that changes items of a backup, for the backup tool: its
// newest version, whichever one plugins implement.
package itemaction

import "example.com/backup/itemaction/v2"

// BackupItemAction is the newest interface of the kind.
type BackupItemAction = v2.BackupItemAction

// Latest is the newest version of the kind.
var Latest = v2.Version
