package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/stratakube/strata/operator/plugin"
	depotv1 "github.com/stratakube/strata/operator/plugin/internal/depot/v1"
	depotv2 "github.com/stratakube/strata/operator/plugin/internal/depot/v2"
	depotv3 "github.com/stratakube/strata/operator/plugin/internal/depot/v3"
)

func init() {
	versions["depot.v1"] = func(s *plugin.Server, name string) { depotv1.Register(s, name, openDepot[depotv1.Store](depot1{})) }
	versions["depot.v2"] = func(s *plugin.Server, name string) { depotv2.Register(s, name, openDepot[depotv2.Store](depot2{})) }
	versions["depot.v3"] = func(s *plugin.Server, name string) { depotv3.Register(s, name, openDepot[depotv3.Store](depot3{})) }
}

func openDepot[T any](store T) plugin.Factory[T] {
	return func(context.Context, map[string]string) (T, error) { return store, nil }
}

// depot1 has items of any size, each with a checksum.
type depot1 struct{}

func (depot1) Fetch(_ context.Context, in *depotv1.FetchRequest) (*depotv1.Fetched, error) {
	return &depotv1.Fetched{Data: make([]byte, in.GetSize()), Checksum: "sum of " + in.GetName()}, nil
}

type depot2 struct{}

func (depot2) Fetch(_ context.Context, in *depotv1.FetchRequest) (*depotv2.Fetched, error) {
	return &depotv2.Fetched{Data: make([]byte, in.GetSize())}, nil
}

// depot3 sends the pieces that the name of the item determines. It logs how many pieces it has
// sent when a call ends early.
type depot3 struct{}

const pieceSize = 64 << 10

func (d depot3) Take(ctx context.Context, in *depotv1.FetchRequest, send func(*depotv3.Piece) error) error {
	return d.Fetch(ctx, in, send)
}

func (d depot3) Fetch(ctx context.Context, in *depotv1.FetchRequest, send func(*depotv3.Piece) error) error {
	what, argument, _ := strings.Cut(in.GetName(), " ")
	if what == "through" {
		return through(ctx, argument, in.GetSize(), send)
	}
	if before, ok := beforeItems[what]; ok {
		if err := before(argument, send); err != nil {
			return err
		}
	}
	if err := d.fill(in.GetSize(), send); err != nil {
		if what == "careless" {
			return nil
		}
		return err
	}
	switch what {
	case "die":
		os.Exit(5)
	case "hang":
		<-ctx.Done()
		fmt.Fprintln(os.Stderr, "the call was cancelled")
		return ctx.Err()
	case "panic":
		panic("in a stream")
	case "fail":
		return errors.New("no more")
	}
	return nil
}

// fill sends pieces of size bytes together, or without end if size is negative.
func (depot3) fill(size int64, send func(*depotv3.Piece) error) error {
	for number := 0; size != 0; number++ {
		n := int64(pieceSize)
		if size > 0 {
			n = min(n, size)
			size -= n
		}
		if err := send(&depotv3.Piece{Data: bytes.Repeat([]byte{byte(number)}, int(n))}); err != nil {
			fmt.Fprintln(os.Stderr, "sent", number, "pieces:", err)
			return err
		}
	}
	return nil
}

// beforeItems maps names of items to the actions before the first piece.
var beforeItems = map[string]func(argument string, send func(*depotv3.Piece) error) error{
	"die-once": func(mark string, _ func(*depotv3.Piece) error) error {
		if _, err := os.Stat(mark); err == nil {
			return nil
		}
		if err := os.WriteFile(mark, nil, 0o600); err != nil {
			return err
		}
		os.Exit(5)
		return nil
	},
	"die-after-one-once": func(mark string, send func(*depotv3.Piece) error) error {
		if _, err := os.Stat(mark); err == nil {
			return nil
		}
		if err := errors.Join(os.WriteFile(mark, nil, 0o600), send(&depotv3.Piece{Data: []byte("x")})); err != nil {
			return err
		}
		hang()
		return nil
	},
	"careless": func(_ string, send func(*depotv3.Piece) error) error {
		_ = send(&depotv3.Piece{Data: make([]byte, 17<<20)}) // too large, and not noticed
		return nil
	},
	"large": func(_ string, send func(*depotv3.Piece) error) error {
		return send(&depotv3.Piece{Data: make([]byte, 17<<20)})
	},
	"empty": func(_ string, send func(*depotv3.Piece) error) error {
		for {
			if err := send(&depotv3.Piece{}); err != nil {
				return err
			}
		}
	},
	"nil": func(_ string, send func(*depotv3.Piece) error) error { return send(nil) },
	"memory": func(_ string, send func(*depotv3.Piece) error) error {
		status, err := os.ReadFile("/proc/self/status")
		if err != nil {
			return err
		}
		return send(&depotv3.Piece{Data: status})
	},
}
