package settle

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/stratakube/strata/operator/cluster/internal/crd"
)

const (
	request = 3 * time.Second        // one question may take
	pause   = 250 * time.Millisecond // between two questions
	// margin is the time that an API server gets to store objects as its discovery shows: it
	// informs its parts one after the other.
	margin = 2 * time.Second
)

// Options configure how API servers are asked.
type Options struct {
	Servers []*rest.Config
	// Patience is how long an API server may not answer, or show another version.
	Patience time.Duration
	// Unserved are versions that no API server may serve any more.
	Unserved []string
	// Waits gets the address of an API server that did not show the version at first, and why.
	Waits func(server string, why error)
}

// Await returns when each API server shows that it stores the objects of a kind in the storage
// version of its CRD. It returns an error that names each server which does not in time.
func Await(ctx context.Context, d *crd.CRD, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan error)
	waits := make(chan func())
	for _, server := range o.Servers {
		go func() {
			results <- await(ctx, d, server, &o, func(why error) {
				select {
				case waits <- func() { o.Waits(server.Host, why) }:
				case <-ctx.Done():
				}
			})
		}()
	}
	var errs []error
	for done := 0; done < len(o.Servers); {
		select {
		case call := <-waits:
			call()
		case err := <-results:
			done++
			errs = append(errs, err)
		}
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%w\nan API server that has not seen the CRD stores objects in the old version: %s", err, instead)
	}
	return sleep(ctx, margin)
}

// await waits for one API server.
func await(ctx context.Context, d *crd.CRD, server *rest.Config, o *Options, waits func(error)) error {
	config := rest.CopyConfig(server)
	config.Timeout = request
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return fmt.Errorf("ask API server %s: %w", server.Host, err)
	}
	for began, reported := time.Now(), false; ; {
		err := shows(ctx, client, d)
		if err == nil {
			err = serves(ctx, client, d, o.Unserved)
		}
		switch {
		case err == nil, ctx.Err() != nil:
			return ctx.Err()
		case time.Since(began) > o.Patience:
			return fmt.Errorf("API server %s: %w", server.Host, err)
		case !reported:
			reported = true
			waits(err)
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// shows returns an error unless an API server stores the objects of a kind in the storage version.
func shows(ctx context.Context, client *discovery.DiscoveryClient, d *crd.CRD) error {
	version := d.Group + "/" + d.Hub()
	list, err := client.ServerResourcesForGroupVersionWithContext(ctx, version)
	switch {
	case apierrors.IsNotFound(err):
		return fmt.Errorf("it does not serve %s", version)
	case err != nil:
		return err
	}
	return stores(list, d)
}

// serves returns an error if an API server serves one of some versions.
func serves(ctx context.Context, client *discovery.DiscoveryClient, d *crd.CRD, unserved []string) error {
	for _, v := range unserved {
		list, err := client.ServerResourcesForGroupVersionWithContext(ctx, d.Group+"/"+v)
		switch {
		case apierrors.IsNotFound(err):
			continue
		case err != nil:
			return err
		}
		if slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Name == d.Plural }) {
			return fmt.Errorf("it still serves %s in %s", d.Name(), v)
		}
	}
	return nil
}

// stores returns an error unless a list of discovery has the hash of the storage version. Both are
// of the same moment: an API server makes the list from one state of the CRD.
func stores(list *metav1.APIResourceList, d *crd.CRD) error {
	for i := range list.APIResources {
		if r := &list.APIResources[i]; r.Name == d.Plural {
			if r.StorageVersionHash == hash(d) {
				return nil
			}
			return fmt.Errorf("it stores %s in another version than %s", d.Name(), d.Hub())
		}
	}
	return fmt.Errorf("it does not serve %s in %s", d.Name(), d.Hub())
}

// hash returns what discovery shows for a kind that is stored in the storage version. API servers
// compute it in this way, and promise nothing: with another way, no server would show it.
func hash(d *crd.CRD) string {
	sum := sha256.Sum256([]byte(d.Group + "/" + d.Hub() + "/" + d.Kind))
	return base64.StdEncoding.EncodeToString(sum[:8])
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
