// Package v3 hands out items of any size, in pieces. The conversion from version 1 through
// version 2 loses the checksum, so that version 1 is adapted directly.
package v3

import (
	"context"

	"github.com/stratakube/strata/operator/plugin/contract"
	"github.com/stratakube/strata/operator/plugin/internal/depot/v1"
	"github.com/stratakube/strata/operator/plugin/internal/depot/v2"
)

// Store is what a plugin implements.
type Store interface {
	Fetch(context.Context, *v1.FetchRequest, func(*Piece) error) error
	Take(context.Context, *v1.FetchRequest, func(*Piece) error) error
}

// Version is version 3 of the kind.
var Version = define(contract.Adapted(v2.Version, adapt), contract.Adapted(v1.Version, adaptFirst))

// PieceSize is the size of the pieces that adapters send.
const PieceSize = 1 << 10

func adapt(older v2.Store) Store {
	return adapted{func(ctx context.Context, in *v1.FetchRequest) ([]byte, string, error) {
		out, err := older.Fetch(ctx, in)
		return out.GetData(), "", err
	}}
}

func adaptFirst(older v1.Store) Store {
	return adapted{func(ctx context.Context, in *v1.FetchRequest) ([]byte, string, error) {
		out, err := older.Fetch(ctx, in)
		return out.GetData(), out.GetChecksum(), err
	}}
}

// adapted cuts an item to pieces.
type adapted struct {
	fetch func(context.Context, *v1.FetchRequest) (data []byte, checksum string, err error)
}

func (a adapted) Fetch(ctx context.Context, in *v1.FetchRequest, send func(*Piece) error) error {
	data, checksum, err := a.fetch(ctx, in)
	if err != nil {
		return err
	}
	for first := true; first || len(data) > 0; first = false {
		n := min(len(data), PieceSize)
		if err := send(&Piece{Data: data[:n], Checksum: checksum}); err != nil {
			return err
		}
		data, checksum = data[n:], ""
	}
	return nil
}

func (a adapted) Take(ctx context.Context, in *v1.FetchRequest, send func(*Piece) error) error {
	return a.Fetch(ctx, in, send)
}
