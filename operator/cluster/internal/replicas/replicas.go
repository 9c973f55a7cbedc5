// Package replicas asks each replica of a conversion webhook which versions it converts. Package
// cli calls it.
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
	"k8s.io/client-go/rest"

	"github.com/stratakube/strata/operator/cluster/internal/converter"
	"github.com/stratakube/strata/operator/cluster/internal/crd"
)

const (
	patience  = 10 * time.Second // for one answer
	maxAnswer = 4 << 20
)

var endpoints = schema.GroupVersionResource{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices"}

// Options configure where replicas are found.
type Options struct {
	// URLs are addresses of probes, as in http://10.0.0.1:8081. Without any, the pods of the
	// webhook's service are asked through the API server, at Port.
	URLs   []string
	Port   int
	Client dynamic.Interface
	Pods   rest.Interface
}

// Check returns the number of replicas of the webhook of a CRD. It is an error if one of them does
// not convert all versions. A CRD without a webhook has none.
func Check(ctx context.Context, d *crd.CRD, versions []string, o Options) (int, error) {
	var of struct {
		Spec struct {
			Conversion struct {
				Strategy string
				Webhook  struct {
					ClientConfig struct {
						URL     string
						Service struct{ Namespace, Name string }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(d.Text, &of); err != nil {
		return 0, fmt.Errorf("read CRD %s: %w", d.Name(), err)
	}
	if of.Spec.Conversion.Strategy != "Webhook" {
		return 0, nil
	}
	asks := o.named()
	if service := of.Spec.Conversion.Webhook.ClientConfig.Service; len(asks) == 0 && service.Name != "" {
		var err error
		if asks, err = o.pods(ctx, service.Namespace, service.Name); err != nil {
			return 0, err
		}
	}
	if len(asks) == 0 {
		return 0, fmt.Errorf("the webhook of %s has no replica that can be asked: name the address of each one's probes with --webhook, as in http://10.0.0.1:8081", d.Name())
	}
	var errs []error
	for name, ask := range asks {
		if err := knows(ctx, d, versions, ask); err != nil {
			errs = append(errs, fmt.Errorf("replica %s of the webhook of %s: %w", name, d.Name(), err))
		}
	}
	return len(asks), errors.Join(errs...)
}

// knows returns an error unless a replica converts all versions.
func knows(ctx context.Context, d *crd.CRD, versions []string, ask func(context.Context) ([]byte, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	text, err := ask(ctx)
	if err != nil {
		return fmt.Errorf("it does not answer: %w", err)
	}
	by, err := converter.Parse(text)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(by.Kinds, func(k converter.Kind) bool { return k.Group == d.Group && k.Kind == d.Kind })
	if i < 0 {
		return errors.New("it does not convert the kind")
	}
	for _, v := range versions {
		if !slices.Contains(by.Kinds[i].Versions, v) {
			return fmt.Errorf("it does not convert %s, but %s", v, strings.Join(by.Kinds[i].Versions, ", "))
		}
	}
	return nil
}

// named returns how the replicas are asked whose addresses the user named.
func (o *Options) named() map[string]func(context.Context) ([]byte, error) {
	out := map[string]func(context.Context) ([]byte, error){}
	for _, url := range o.URLs {
		out[url] = func(ctx context.Context) ([]byte, error) {
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(url, "/")+"/versions", nil)
			if err != nil {
				return nil, err
			}
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				return nil, err
			}
			defer func() { _ = response.Body.Close() }()
			if response.StatusCode != http.StatusOK {
				return nil, fmt.Errorf("it answers %s at %s", response.Status, request.URL)
			}
			return io.ReadAll(io.LimitReader(response.Body, maxAnswer))
		}
	}
	return out
}

// pods returns how the pods of a service are asked: through the API server.
func (o *Options) pods(ctx context.Context, namespace, name string) (map[string]func(context.Context) ([]byte, error), error) {
	list, err := o.Client.Resource(endpoints).Namespace(namespace).List(ctx, metav1.ListOptions{LabelSelector: "kubernetes.io/service-name=" + name})
	if err != nil {
		return nil, fmt.Errorf("find the replicas of the webhook: %w", err)
	}
	text, err := list.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("find the replicas of the webhook: %w", err)
	}
	var slices struct {
		Items []struct {
			Endpoints []struct {
				Addresses []string
				TargetRef struct{ Kind, Name string }
			}
		}
	}
	if err := json.Unmarshal(text, &slices); err != nil {
		return nil, fmt.Errorf("find the replicas of the webhook: %w", err)
	}
	out := map[string]func(context.Context) ([]byte, error){}
	for _, slice := range slices.Items {
		for _, e := range slice.Endpoints {
			if e.TargetRef.Kind != "Pod" {
				return nil, fmt.Errorf("the service %s/%s has the address %s, which is no pod: name the address of each replica's probes with --webhook", namespace, name, strings.Join(e.Addresses, " "))
			}
			out[namespace+"/"+e.TargetRef.Name] = func(ctx context.Context) ([]byte, error) {
				return o.Pods.Get().AbsPath("/api/v1/namespaces", namespace, "pods", fmt.Sprintf("%s:%d", e.TargetRef.Name, o.Port), "proxy/versions").DoRaw(ctx)
			}
		}
	}
	return out, nil
}
