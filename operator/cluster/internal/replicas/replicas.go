// Package replicas asks each replica of a conversion webhook which versions it converts. Packages
// references and cli call it.
package replicas

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/stratakube/strata/operator/cluster/internal/converter"
	"github.com/stratakube/strata/operator/cluster/internal/crd"
)

// The limits of what replicas answer.
const (
	patience    = 10 * time.Second // for one answer
	maxAnswer   = 4 << 20
	maxReplicas = 500
)

const (
	// DefaultPort is the port of probes of a generated Deployment, and probes the port's name.
	DefaultPort = 8081
	probes      = "probes"
)

var (
	endpoints = schema.GroupVersionResource{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices"}
	pods      = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
)

// Options configure where replicas are found.
type Options struct {
	// URLs are addresses of probes, as in http://10.0.0.1:8081. Without any, the pods of the
	// webhook's service are asked through the API server.
	URLs []string
	// Port is that of the probes of pods which name no port, or which the user may not list.
	Port int
	// Client finds the pods, and Raw answers a GET of a path of the API server.
	Client dynamic.Interface
	Raw    func(ctx context.Context, path string) (io.ReadCloser, error)
}

// Replica is a process of a webhook.
type Replica struct {
	Name string
	get  func(ctx context.Context) (io.ReadCloser, error)
}

// Find returns the replicas of the webhook of a service: those at the addresses, or else all pods
// behind the service, also those that are not ready.
func Find(ctx context.Context, at *crd.Service, o Options) ([]Replica, error) {
	if len(o.URLs) > 0 {
		return o.named(), nil
	}
	if at == nil {
		return nil, errors.New("the CRD names no service: name the address of each replica's probes with --webhook, as in http://10.0.0.1:8081")
	}
	out, err := o.behind(ctx, at)
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("the service %s/%s has no pods: name the address of each replica's probes with --webhook", at.Namespace, at.Name)
	}
	return out, err
}

// named returns the replicas whose addresses the user named.
func (o *Options) named() (out []Replica) {
	for _, url := range o.URLs {
		out = append(out, Replica{url, func(ctx context.Context) (io.ReadCloser, error) {
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(url, "/")+"/versions", nil)
			if err != nil {
				return nil, err
			}
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				return nil, err
			}
			if response.StatusCode != http.StatusOK {
				_ = response.Body.Close()
				return nil, fmt.Errorf("it answers %s", response.Status)
			}
			return response.Body, nil
		}})
	}
	return out
}

// slice has the members of an EndpointSlice that lead to pods.
type slice struct {
	Endpoints []struct {
		Addresses  []string
		Conditions struct{ Serving, Terminating *bool }
		TargetRef  struct{ Kind, Name string }
	}
}

// behind returns the pods of a service. A pod that ends and answers no requests any more is none.
func (o *Options) behind(ctx context.Context, at *crd.Service) ([]Replica, error) {
	list, err := o.Client.Resource(endpoints).Namespace(at.Namespace).List(ctx, metav1.ListOptions{
		LabelSelector: "kubernetes.io/service-name=" + at.Name, Limit: maxReplicas,
	})
	if err != nil {
		return nil, fmt.Errorf("find the replicas of the webhook: %w", err)
	}
	var names []string
	for i := range list.Items {
		var of slice
		text, err := list.Items[i].MarshalJSON()
		if err == nil {
			err = json.Unmarshal(text, &of)
		}
		if err != nil {
			return nil, fmt.Errorf("find the replicas of the webhook: %w", err)
		}
		for _, e := range of.Endpoints {
			c := e.Conditions
			ends := c.Terminating != nil && *c.Terminating && c.Serving != nil && !*c.Serving
			switch {
			case e.TargetRef.Kind != "Pod":
				return nil, fmt.Errorf("the service %s/%s has the address %s, which is no pod: name the address of each replica's probes with --webhook", at.Namespace, at.Name, strings.Join(e.Addresses, " "))
			case !ends && !slices.Contains(names, e.TargetRef.Name):
				names = append(names, e.TargetRef.Name)
			}
		}
	}
	if len(names) > maxReplicas || list.GetContinue() != "" {
		return nil, fmt.Errorf("the service %s/%s has more than %d pods", at.Namespace, at.Name, maxReplicas)
	}
	slices.Sort(names)
	var out []Replica
	for _, name := range names {
		path := fmt.Sprintf("/api/v1/namespaces/%s/pods/%s:%d/proxy/versions", at.Namespace, name, o.port(ctx, at.Namespace, name))
		out = append(out, Replica{"pod " + at.Namespace + "/" + name, func(ctx context.Context) (io.ReadCloser, error) { return o.Raw(ctx, path) }})
	}
	return out, nil
}

// port returns the port at which a pod answers probes: the one with that name, or that of the
// options.
func (o *Options) port(ctx context.Context, namespace, name string) int {
	list, err := o.Client.Resource(pods).Namespace(namespace).List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name, Limit: 1})
	if err != nil {
		return o.Port
	}
	var of struct {
		Items []struct {
			Metadata struct{ Name string }
			Spec     struct {
				Containers []struct {
					Ports []struct {
						Name          string
						ContainerPort int
					}
				}
			}
		}
	}
	text, err := list.MarshalJSON()
	if err != nil || json.Unmarshal(text, &of) != nil {
		return o.Port
	}
	for _, pod := range of.Items {
		for _, container := range pod.Spec.Containers {
			for _, port := range container.Ports {
				if pod.Metadata.Name == name && port.Name == probes {
					return port.ContainerPort
				}
			}
		}
	}
	return o.Port
}

// Ask returns what a replica converts. A replica that does not end its answer in time, or answers
// too much, is an error.
func (r *Replica) Ask(ctx context.Context) (*converter.Versions, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("no answer within %s", patience))
	defer cancel()
	text, err := r.read(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	case len(text) > maxAnswer:
		return nil, fmt.Errorf("its answer has more than %d bytes", maxAnswer)
	}
	return converter.Parse(text)
}

// read reads an answer, and at most one byte beyond the limit.
func (r *Replica) read(ctx context.Context) ([]byte, error) {
	answer, err := r.get(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Close() }()
	return io.ReadAll(io.LimitReader(answer, maxAnswer+1))
}

// Check returns the number of replicas of the webhook of a CRD. It is an error if one of them does
// not convert all versions. A CRD without a webhook has none.
func Check(ctx context.Context, d *crd.CRD, versions []string, o Options) (int, error) {
	if !d.Converts {
		return 0, nil
	}
	all, err := Find(ctx, d.Webhook, o)
	if err != nil {
		return 0, fmt.Errorf("the webhook of %s: %w", d.Name(), err)
	}
	var errs []error
	for _, r := range all {
		by, err := r.Ask(ctx)
		if err != nil {
			err = fmt.Errorf("it does not answer: %w", err)
		} else {
			err = knows(d, versions, by)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("replica %s of the webhook of %s: %w", r.Name, d.Name(), err))
		}
	}
	return len(all), errors.Join(errs...)
}

// knows returns an error unless a replica converts all versions.
func knows(d *crd.CRD, versions []string, by *converter.Versions) error {
	of := by.Of(d.Group, d.Kind)
	if of == nil {
		return errors.New("it does not convert the kind")
	}
	for _, v := range versions {
		if !slices.Contains(of, v) {
			return fmt.Errorf("it does not convert %s, but %s", v, strings.Join(of, ", "))
		}
	}
	return nil
}
