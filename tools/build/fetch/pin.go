package fetch

import (
	"context"
	"fmt"
)

// Compute downloads the files that s selects, stores none of them, and returns s with the Files,
// Bytes and SHA256 that pin them. It ignores those of s. It needs the same options as Run,
// without Sources and Only. String of the result is the entry for the file of pins.
//
// The result describes the files that the origin sends today. The user must check that they are
// those of the repository at the commit.
func Compute(ctx context.Context, s Source, o Options) (Source, error) {
	if err := s.checkOrigin(); err != nil {
		return Source{}, fmt.Errorf("fetch: %w", err)
	}
	err := work(ctx, o, func(r *run) error {
		return r.from(ctx, s, func(from origin) error {
			t := anyTree(r.limits)
			if err := r.fill(ctx, t, s, from); err != nil {
				return err
			}
			s.Files, s.Bytes, s.SHA256 = t.files(), t.bytes, t.digest()
			return nil
		})
	})
	if err != nil {
		return Source{}, fmt.Errorf("fetch: %s: %w", s.Name, err)
	}
	return s, nil
}
