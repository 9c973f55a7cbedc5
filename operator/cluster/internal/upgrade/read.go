package upgrade

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/stratakube/strata/operator/cluster/internal/bounded"
)

// maxPlan is the size of the largest plan that is read.
const maxPlan = 64 << 20

// Read reads a saved plan. It is an error if the plan is not as it was saved.
func Read(file string) (*Plan, error) {
	text, err := bounded.ReadFile(file, maxPlan)
	if err != nil {
		return nil, fmt.Errorf("read plan %s: %w", file, err)
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
