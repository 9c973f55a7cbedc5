// Command bench measures the cost of the framework against a plain go-plugin with the same
// interface: starts until the first answer, and calls, with TLS and without. It prints a page of
// Markdown. It is its own plugin, in both forms.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/stratakube/strata/operator/plugin"
	v1 "github.com/stratakube/strata/operator/plugin/provider/v1"
	provider "github.com/stratakube/strata/operator/plugin/provider/v2"
)

func main() {
	serve := flag.String("serve", "", "serve as a plugin, ours or bare, instead of measuring")
	rounds := flag.Int("rounds", 15, "how often each has its turn")
	reports := flag.String("reports", "", "a folder that plugin.md and ratios.json are written to")
	flag.Parse()
	switch *serve {
	case "ours":
		plugin.Serve(func(s *plugin.Server) {
			provider.Register(s, name, func(context.Context, map[string]string) (provider.Provider, error) { return echo{}, nil })
		})
	case "bare":
		serveBare()
	default:
		page, err := measure(context.Background(), *rounds)
		if err == nil && *reports != "" {
			err = page.write(*reports)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Print(page.String())
	}
}

const name = "example.com/echo"

// echo answers with the spec of the request.
type echo struct{ provider.Provider }

func (echo) Observe(_ context.Context, in *provider.Subject) (*v1.ObserveResponse, error) {
	return answer(in), nil
}
