package engine

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/finding"
)

// maxBaseline is the largest size of a baseline, in bytes. A finding takes some 400.
const maxBaseline = 256 << 20

// baseline reads the fingerprints of the findings that an earlier run has written; nil without a
// file.
func baseline(file string) (map[string]bool, error) {
	if file == "" {
		return nil, nil
	}
	known, err := readBaseline(file)
	if err != nil {
		return nil, diag.Errorf(diag.InFile(file), "%v", err).WithHint("write it with strata diff -o json > FILE, or strata check -o json > FILE")
	}
	return known, nil
}

func readBaseline(file string) (known map[string]bool, err error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read baseline: %w", err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	text, err := io.ReadAll(io.LimitReader(in, maxBaseline+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read baseline: %w", err)
	case len(text) > maxBaseline:
		return nil, fmt.Errorf("larger than %d bytes", maxBaseline)
	}
	return finding.Baseline(text)
}
