// Package v1 is version 1 of the kind of plugin that changes items of a backup.
package v1

import "context"

// BackupItemAction changes items of a backup.
type BackupItemAction interface {
	// Execute returns the item to store. It must have ended its work when it returns.
	Execute(context.Context, *ExecuteRequest) (*ExecuteResponse, error)
}

// Version is version 1 of the kind.
var Version = define()
