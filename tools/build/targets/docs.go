package targets

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/stratakube/strata/tools/build/modules"
	"github.com/stratakube/strata/tools/build/site"
)

// DocsBuild builds the documentation of this checkout and of each release into bin/docs, and checks
// its links.
func DocsBuild(ctx context.Context) error {
	return do(ctx, one("docs", func(ctx context.Context, w *modules.Workspace) error {
		out := docsFolder(w)
		versions, remove, err := site.Versions(ctx, w.Root)
		if err != nil {
			return err
		}
		defer remove()
		if err := site.Build(ctx, siteFolder(w), out, versions); err != nil {
			return err
		}
		faults, err := site.Check(out)
		if err != nil {
			return err
		}
		for _, fault := range faults {
			printLine(fault)
		}
		if len(faults) > 0 {
			return fmt.Errorf("the pages have %d faults", len(faults))
		}
		printLine(fmt.Sprintf("the documentation is in %s, in %d versions", out, len(versions)))
		return nil
	}))
}

// DocsPictures renders the diagrams of all pages that were edited since.
func DocsPictures(ctx context.Context) error {
	return do(ctx, one("pictures", func(ctx context.Context, w *modules.Workspace) error {
		return attended(ctx, w, "./tools/build/site/pictures")
	}))
}

// DocsServe serves the documentation of this checkout on an address of loopback until Ctrl-C, and
// builds it again when a page changes.
func DocsServe(ctx context.Context, address string) error {
	return do(ctx, one("docs", func(ctx context.Context, w *modules.Workspace) error {
		ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		defer stop()
		listener, err := listenOnLoopback(ctx, address)
		if err != nil {
			return err
		}
		out := docsFolder(w)
		server := &http.Server{Handler: http.FileServer(http.Dir(out)), ReadHeaderTimeout: time.Minute}
		built := func() {
			err := site.Build(ctx, siteFolder(w), out, []site.Version{{Name: "main", Root: w.Root}})
			switch {
			case ctx.Err() != nil:
			case err != nil:
				printLine(err.Error())
			default:
				printLine("built: http://" + listener.Addr().String() + "/")
			}
		}
		before := site.StateOf(w.Root)
		built()
		go site.Watch(ctx, w.Root, before, built)
		go func() {
			<-ctx.Done()
			_ = server.Close()
		}()
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	}))
}

// listenOnLoopback listens on an address, which must be one of this machine alone.
func listenOnLoopback(ctx context.Context, address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("serve the documentation: %w", err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("serve the documentation: %s is no address of loopback, such as 127.0.0.1:8000", address)
	}
	var listen net.ListenConfig
	return listen.Listen(ctx, "tcp", address)
}

func docsFolder(w *modules.Workspace) string { return filepath.Join(w.Root, "bin", "docs") }

func siteFolder(w *modules.Workspace) string { return filepath.Join(w.Root, "tools", "build", "site") }
