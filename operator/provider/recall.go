package provider

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// recall remembers what Secrets with credentials held when they were read last. Each namespace has
// space of its own, so that Secrets of one namespace displace none of another. Its zero value is
// empty and ready.
type recall struct {
	mu         sync.Mutex
	namespaces map[string]*remembered
	uses       uint64
}

// remembered are the Secrets of one namespace.
type remembered struct {
	secrets map[string]secret
	used    uint64
}

// secret is what a Secret held when it was read last.
type secret struct {
	made time.Time
	data map[string][]byte
	used uint64
}

// What is remembered. Beyond it, the Secret, or the namespace, that was used longest ago is
// forgotten. Larger Secrets are not remembered: credentials take some KiB.
const (
	maxNamespaces = 10000
	maxSecrets    = 100 // of a namespace
	maxSecret     = 64 << 10
)

// put stores what a Secret holds.
func (r *recall) put(key client.ObjectKey, read secret) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of := r.use(key.Namespace)
	if delete(of.secrets, key.Name); sizeOf(read.data) > maxSecret {
		return
	}
	if len(of.secrets) >= maxSecrets {
		delete(of.secrets, longestAgo(of.secrets, func(s secret) uint64 { return s.used }))
	}
	read.used = r.uses
	of.secrets[key.Name] = read
}

// get returns what a Secret held; false for one that is not remembered.
func (r *recall) get(key client.ObjectKey) (secret, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.namespaces[key.Namespace] == nil {
		return secret{}, false
	}
	of := r.use(key.Namespace)
	known, has := of.secrets[key.Name]
	if known.used = r.uses; has {
		of.secrets[key.Name] = known
	}
	return known, has
}

// use returns the Secrets of a namespace, as the one that was used last.
func (r *recall) use(namespace string) *remembered {
	r.uses++
	of := r.namespaces[namespace]
	if of == nil {
		if len(r.namespaces) >= maxNamespaces {
			delete(r.namespaces, longestAgo(r.namespaces, func(of *remembered) uint64 { return of.used }))
		}
		if of = (&remembered{secrets: map[string]secret{}}); r.namespaces == nil {
			r.namespaces = map[string]*remembered{}
		}
		r.namespaces[namespace] = of
	}
	of.used = r.uses
	return of
}

// longestAgo returns the key of what was used longest ago.
func longestAgo[V any](all map[string]V, used func(V) uint64) string {
	return slices.MinFunc(slices.Collect(maps.Keys(all)), func(a, b string) int { return cmp.Compare(used(all[a]), used(all[b])) })
}

func sizeOf(data map[string][]byte) (size int) {
	for key, value := range data {
		size += len(key) + len(value)
	}
	return size
}
