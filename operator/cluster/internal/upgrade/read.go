package upgrade

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

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
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read plan %s: it goes on after the plan: save the plan to a file of its own", file)
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
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("read plan %s: %w: make the plan again", file, err)
	}
	return p, nil
}

// check returns an error unless a plan is one that [Make] can have made, as far as other commands
// rely on it: who edits a plan can also compute its sum. Names of CRDs become rules of roles.
func (p *Plan) check() error {
	if p.Converter == nil {
		return errors.New("it has no converter")
	}
	known := map[string]bool{}
	for i := range p.Kinds {
		k := &p.Kinds[i]
		_, group, _ := strings.Cut(k.CRD, ".")
		switch {
		case len(validation.IsDNS1123Subdomain(k.CRD)) > 0 || !strings.Contains(group, "."):
			return fmt.Errorf("kinds[%d] has the name %q, which no CRD can have", i, k.CRD)
		case known[k.CRD]:
			return fmt.Errorf("it has the kind %s twice", k.CRD)
		case k.New != (k.UID == "") || k.New != (k.From == ""):
			return fmt.Errorf("%s has the UID %q and the hub %q, and new is %t", k.CRD, k.UID, k.From, k.New)
		}
		known[k.CRD] = true
		named := slices.Concat([]string{k.To}, k.Added, k.Gone, k.Unserved, k.StoredVersions)
		if !k.New {
			named = append(named, k.From)
		}
		for _, v := range named {
			if len(validation.IsDNS1035Label(v)) > 0 {
				return fmt.Errorf("%s has the version %q, which no CRD can have", k.CRD, v)
			}
		}
	}
	return nil
}
