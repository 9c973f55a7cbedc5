package pack

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stratakube/strata/tools/build/command"
)

// Environ is the environment in which a go command sees the packed modules as published ones:
// without go.work, and with the proxy of Proxies.
func (p *Proxy) Environ(ctx context.Context) ([]string, error) {
	if p.cache != "" {
		return p.offline(), nil
	}
	proxies, err := p.Proxies(ctx)
	// -trimpath: no names of folders, so that what is compiled is used wherever the module lies.
	return append([]string{"GOWORK=off", "GOFLAGS=-trimpath"}, proxies...), err
}

// Proxies are the variables with which the go command finds the packed modules: the proxy before
// those that the user has set, and the checksum database left out for our modules only.
func (p *Proxy) Proxies(ctx context.Context) ([]string, error) {
	out, err := command.In{}.Output(ctx, "go", "env", "-json", "GOPROXY", "GONOSUMDB")
	if err != nil {
		return nil, fmt.Errorf("read go's settings: %w", err)
	}
	var set struct{ GOPROXY, GONOSUMDB string }
	if err := json.Unmarshal([]byte(out), &set); err != nil {
		return nil, fmt.Errorf("read go's settings: %w", err)
	}
	unchecked := []string{set.GONOSUMDB}
	for _, m := range p.Modules {
		unchecked = append(unchecked, m.Path)
	}
	others := slices.DeleteFunc(strings.Split(set.GOPROXY, ","), func(entry string) bool { return p.isPack(entry) })
	return []string{
		"GOPROXY=" + strings.Join(append([]string{p.URL()}, others...), ","),
		"GONOPROXY=none", // else a GOPRIVATE that matches our path leads past the proxy
		"GONOSUMDB=" + strings.Join(compacted(unchecked), ","),
	}, nil
}

// isPack reports whether an entry of GOPROXY is this pack, or an earlier one beside it.
func (p *Proxy) isPack(entry string) bool {
	beside := &Proxy{Dir: filepath.Dir(p.Dir)}
	return strings.HasPrefix(entry, beside.URL()+"/")
}

// compacted returns each path of lists that are separated by commas once.
func compacted(lists []string) []string {
	var out []string
	for _, path := range strings.Split(strings.Join(lists, ","), ",") {
		if path != "" && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out
}

// URL is the address of the proxy as an entry of GOPROXY, whose separators it therefore escapes.
func (p *Proxy) URL() string {
	path := filepath.ToSlash(p.Dir)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	address := url.URL{Scheme: "file", Path: path}
	return strings.ReplaceAll(address.String(), ",", "%2C")
}
