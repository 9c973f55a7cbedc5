package settle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// instead is the hint for clusters whose API servers cannot be asked one by one.
const instead = "name each API server with --server, or wait without asking: --settle 30s"

// name is in the certificate of each API server, whatever its address.
const name = "kubernetes.default.svc"

var endpoints = schema.GroupVersionResource{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices"}

// Named returns the configurations of clients of the API servers that have these URLs.
func Named(config *rest.Config, urls []string) ([]*rest.Config, error) {
	var out []*rest.Config
	for _, text := range urls {
		u, err := url.Parse(text)
		if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			return nil, fmt.Errorf("--server is like https://10.0.0.1:6443, not %q", text)
		}
		of := rest.CopyConfig(config)
		of.Host = text
		out = append(out, of)
	}
	return out, nil
}

// Found returns the configurations of clients of all API servers that the cluster lists: the
// addresses of the service kubernetes in the namespace default. It is an error if the configuration
// checks no certificates, since credentials could go to anybody who can write the addresses.
func Found(ctx context.Context, config *rest.Config, c dynamic.Interface) ([]*rest.Config, error) {
	if config.Insecure {
		return nil, errors.New("the kubeconfig checks no certificates, so credentials go to no address that the cluster lists: " + instead)
	}
	list, err := c.Resource(endpoints).Namespace("default").List(ctx, metav1.ListOptions{LabelSelector: "kubernetes.io/service-name=kubernetes"})
	if err != nil {
		return nil, fmt.Errorf("find the addresses of the API servers: %w\n%s", err, instead)
	}
	text, err := list.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("find the addresses of the API servers: %w", err)
	}
	hosts, err := hosts(text)
	if err != nil {
		return nil, fmt.Errorf("find the addresses of the API servers: %w\n%s", err, instead)
	}
	var out []*rest.Config
	for _, host := range hosts {
		of := rest.CopyConfig(config)
		of.Host, of.ServerName = host, name
		out = append(out, of)
	}
	return out, nil
}

// hosts returns the URLs of a list of EndpointSlices.
func hosts(text []byte) ([]string, error) {
	var list struct {
		Items []struct {
			Endpoints []struct{ Addresses []string }
			Ports     []struct {
				Name string
				Port int
			}
		}
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	var out []string
	for _, slice := range list.Items {
		for _, endpoint := range slice.Endpoints {
			for _, address := range endpoint.Addresses {
				for _, port := range slice.Ports {
					host := "https://" + net.JoinHostPort(address, strconv.Itoa(port.Port))
					if net.ParseIP(address) == nil || port.Port < 1 || port.Port > 1<<16-1 {
						return nil, fmt.Errorf("%q is no address", host)
					}
					if !slices.Contains(out, host) {
						out = append(out, host)
					}
				}
			}
		}
	}
	if len(out) == 0 {
		return nil, errors.New("the service default/kubernetes has no addresses")
	}
	return out, nil
}
