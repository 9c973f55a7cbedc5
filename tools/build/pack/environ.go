package pack

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/stratakube/strata/tools/build/command"
)

// Environ is the environment in which a go command sees the packed modules as published ones:
// without go.work, with the proxy before those that the user has set, and with the checksum
// database left out for our modules only.
func (p *Proxy) Environ(ctx context.Context) ([]string, error) {
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
	return []string{
		"GOWORK=off",
		"GOFLAGS=-trimpath", // no names of folders: what is compiled is used wherever the module lies
		"GOPROXY=" + p.URL() + "," + set.GOPROXY,
		"GONOPROXY=none", // else a GOPRIVATE that matches our path leads past the proxy
		"GONOSUMDB=" + strings.TrimPrefix(strings.Join(unchecked, ","), ","),
	}, nil
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
