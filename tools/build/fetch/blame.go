package fetch

import (
	"context"
	"errors"
	"io"
	"io/fs"
)

// blame makes an error of reading an archive a refusal of that archive, unless ctx
// ended, the file that holds it cannot be read, or it is one already.
func blame(ctx context.Context, err error) error {
	_, unreadable := errors.AsType[*fs.PathError](err)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case unreadable, isRefusal(err):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return refuse("the archive is cut short")
	}
	return refuse("the archive is damaged: %w", err)
}

// blaming is a file of an archive whose read errors are refusals of the archive. So a copy
// distinguishes them from write errors.
type blaming struct {
	ctx context.Context
	in  io.Reader
}

func (b blaming) Read(p []byte) (int, error) {
	n, err := b.in.Read(p)
	if err == nil || err == io.EOF {
		return n, err
	}
	return n, blame(b.ctx, err)
}

// guarded ends when ctx does.
type guarded struct {
	ctx context.Context
	in  io.Reader
}

func (g guarded) Read(p []byte) (int, error) {
	if g.ctx.Err() != nil {
		return 0, context.Cause(g.ctx)
	}
	return g.in.Read(p)
}

// bounded refuses a stream of more than left bytes.
type bounded struct {
	in   io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.in.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, refuse("the archive unpacks to more than is allowed")
	}
	return n, err
}
