package v3

import (
	"context"

	"google.golang.org/protobuf/proto"

	"example.com/backup/objectstore/v1"
	"example.com/backup/objectstore/v2"
)

// adapt adapts a store of version 2, which does not know the sizes of objects.
func adapt(older v2.ObjectStore) ObjectStore { return adapted{older} }

type adapted struct{ v2.ObjectStore }

func (a adapted) Get(ctx context.Context, in *v1.GetRequest, send func(*Piece) error) error {
	out, err := a.ObjectStore.Get(ctx, in)
	if err != nil {
		return err
	}
	return cut(out.GetBody(), send)
}

func (a adapted) List(ctx context.Context, in *v1.ListRequest, send func(*Object) error) error {
	out, err := a.ObjectStore.List(ctx, in)
	if err != nil {
		return err
	}
	for _, key := range out.GetKeys() {
		if err := send(&Object{Key: key}); err != nil {
			return err
		}
	}
	return nil
}

// pieceSize is the size of the pieces of an object that came as a whole.
const pieceSize = 64 << 10

func cut(body []byte, send func(*Piece) error) error {
	for len(body) > 0 {
		n := min(len(body), pieceSize)
		if err := send(&Piece{Data: body[:n]}); err != nil {
			return err
		}
		body = body[n:]
	}
	return nil
}

// adaptFirst adapts a store of version 1, with the sizes of objects.
func adaptFirst(older v1.ObjectStore) ObjectStore { return adaptedFirst{older} }

type adaptedFirst struct{ older v1.ObjectStore }

func (a adaptedFirst) Put(ctx context.Context, in *v1.PutRequest) (*v1.PutResponse, error) {
	return a.older.Put(ctx, in)
}

func (a adaptedFirst) Get(ctx context.Context, in *v1.GetRequest, send func(*Piece) error) error {
	out, err := a.older.Get(ctx, in)
	if err != nil {
		return err
	}
	return cut(out.GetBody(), send)
}

func (a adaptedFirst) List(ctx context.Context, in *v1.ListRequest, send func(*Object) error) error {
	out, err := a.older.List(ctx, in)
	if err != nil {
		return err
	}
	for _, object := range out.GetObjects() {
		if err := send(&Object{Key: object.GetKey(), Size: proto.Int64(object.GetSize())}); err != nil {
			return err
		}
	}
	return nil
}

func (a adaptedFirst) Exists(ctx context.Context, in *v2.ExistsRequest) (*v2.ExistsResponse, error) {
	out := &v2.ExistsResponse{}
	err := a.List(ctx, &v1.ListRequest{Prefix: in.GetKey()}, func(object *Object) error {
		out.Exists = out.Exists || object.GetKey() == in.GetKey()
		return nil
	})
	return out, err
}
