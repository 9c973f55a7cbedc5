// Package v2 is version 2 of the kind of plugin that changes items of a backup. Its work may go on
// after Execute.
package v2

import (
	"context"

	"github.com/stratakube/strata/operator/plugin/contract"

	"example.com/backup/itemaction/v1"
)

// BackupItemAction changes items of a backup.
type BackupItemAction interface {
	// Execute returns the item to store, and the operation that goes on, if any.
	Execute(context.Context, *v1.ExecuteRequest) (*ExecuteResponse, error)
	// Progress returns how far an operation is.
	Progress(context.Context, *ProgressRequest) (*ProgressResponse, error)
}

// Version is version 2 of the kind.
var Version = define(contract.Adapted(v1.Version, adapt))

// adapt adapts an action of version 1, whose work has ended when Execute returns.
func adapt(older v1.BackupItemAction) BackupItemAction { return adapted{older} }

type adapted struct{ older v1.BackupItemAction }

func (a adapted) Execute(ctx context.Context, in *v1.ExecuteRequest) (*ExecuteResponse, error) {
	out, err := a.older.Execute(ctx, in)
	return &ExecuteResponse{Item: out.GetItem(), Additional: out.GetAdditional()}, err
}

func (adapted) Progress(context.Context, *ProgressRequest) (*ProgressResponse, error) {
	return &ProgressResponse{Completed: true}, nil
}
