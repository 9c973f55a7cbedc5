package upgrade

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// maxPlan is the size of the largest plan that is read.
const maxPlan = 64 << 20

// Read reads a saved plan. It is an error if the plan is not as it was saved.
func Read(file string) (*Plan, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read plan: %w", err)
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxPlan))
	if err != nil {
		return nil, fmt.Errorf("read plan: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // the build of a converter has any members
	p := &Plan{}
	if err := d.Decode(p); err != nil {
		return nil, fmt.Errorf("read plan %s: %w", file, err)
	}
	if p.Format != format {
		return nil, fmt.Errorf("read plan %s: its format is %d, and this program reads %d: make the plan again", file, p.Format, format)
	}
	digest, err := p.digest()
	if err != nil {
		return nil, err
	}
	switch sum, err := p.sum(); {
	case err != nil:
		return nil, err
	case sum != p.Sum || digest != p.Digest:
		return nil, fmt.Errorf("read plan %s: it is not as it was saved: its sum is %s, and its content has %s", file, p.Sum, sum)
	}
	return p, nil
}
