package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
	"github.com/stratakube/strata/operator/cluster/internal/record"
	"github.com/stratakube/strata/operator/cluster/internal/rewrite"
)

// shortened is the evidence by which migrate has shortened status.storedVersions.
type shortened struct {
	// Marker is a resource version that is later than the last write in another version.
	Marker string         `json:"marker"`
	Lists  []rewrite.Seen `json:"lists"`
	Stored []string       `json:"storedVersions"`
}

// shorten proves that all objects of a kind are stored in the storage version, and then removes the
// other versions from status.storedVersions. At the time seen, all API servers had read the CRD:
// requests that began before then end within m.grace. It returns nil without an error, beside a
// report that names them, if objects cannot be written.
func (m *migration) shorten(ctx context.Context, d *crd.CRD, config *rest.Config, o rewrite.Options, seen time.Time, progress io.Writer) (*shortened, rewrite.Report, error) {
	if left := m.grace - time.Since(seen); left > 0 {
		fmt.Fprintf(progress, "%s: waits %s for requests that began before\n", d.Name(), left.Round(time.Second))
		select {
		case <-ctx.Done():
			return nil, rewrite.Report{}, context.Cause(ctx)
		case <-time.After(left):
		}
	}
	marker, err := rewrite.Marker(ctx, o)
	if err != nil {
		return nil, rewrite.Report{}, err
	}
	lists, report, err := rewrite.Prove(ctx, o, marker, false)
	if err != nil || report.Poison.Objects > 0 {
		return nil, report, err
	}
	config = rest.CopyConfig(config)
	config.Impersonate = rest.ImpersonationConfig{} // only objects are written as another user
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, report, err
	}
	out := &shortened{Marker: marker, Lists: lists, Stored: []string{d.Hub()}}
	return out, report, setStored(ctx, client, d, out.Stored)
}

// setStored writes status.storedVersions, under the resource version of a CRD whose spec is as it
// was.
func setStored(ctx context.Context, client dynamic.Interface, before *crd.CRD, stored []string) error {
	return crd.Attempt(func() error {
		d, err := crd.Get(ctx, client, before.Name())
		switch {
		case err != nil:
			return err
		case d.UID != before.UID, d.Generation != before.Generation:
			return fmt.Errorf("another program has changed the CRD %s meanwhile: run the command again", d.Name())
		case slices.Equal(d.Stored, stored):
			return nil
		}
		return d.SetStored(ctx, client, stored, record.Manager)
	})
}
