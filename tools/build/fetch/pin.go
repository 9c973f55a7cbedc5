package fetch

import (
	"context"
	"fmt"
)

// Compute brings the files that s selects, keeps none of them, and returns s with the
// Files, Bytes and SHA256 that pin them; it does not look at those of s. Of o it needs
// what Run needs, but for Sources and Only. String of the result is the text to put
// into the file of pins.
//
// What it returns says what the origin gave on this day. Whether that is what the
// repository holds at the commit is for a person to judge.
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
