package pageserver

import (
	"bytes"
	"context"
	"errors"
	"net"
	"net/http"
	"path"
	"strconv"
	"time"
)

// Page is a file. Path is its path in addresses, without a slash before it.
type Page struct {
	Path string
	Body []byte
}

// patience is how long a client may take for the headers of a request, and open requests may take
// to end.
const patience = 5 * time.Second

// Serve serves pages until the context ends. It listens on the loopback interface only, at a port
// or, for zero, at a free one. It calls ready with the address of the page named index.
func Serve(ctx context.Context, pages []Page, index string, port int, ready func(url string) error) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return err
	}
	number := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	server := &http.Server{Handler: newHandler(pages, index, number), ReadHeaderTimeout: patience, MaxHeaderBytes: 1 << 14}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	if err := ready("http://127.0.0.1:" + number + "/"); err != nil {
		return errors.Join(err, server.Close())
	}
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	limited, end := context.WithTimeout(context.WithoutCancel(ctx), patience/10)
	defer end()
	if err := server.Shutdown(limited); err != nil {
		return server.Close()
	}
	return nil
}

// handler answers requests for pages.
type handler struct {
	pages map[string][]byte
	hosts map[string]bool
}

func newHandler(pages []Page, index, port string) *handler {
	h := &handler{map[string][]byte{}, map[string]bool{}}
	for _, p := range pages {
		h.pages["/"+p.Path] = p.Body
	}
	h.pages["/"] = h.pages["/"+index]
	for _, name := range []string{"127.0.0.1", "localhost"} {
		h.hosts[net.JoinHostPort(name, port)] = true
		h.hosts[name] = port == "80"
	}
	return h
}

// types are the types of pages by the ends of their names.
var types = map[string]string{"": "text/html", ".html": "text/html", ".js": "text/javascript", ".json": "application/json"}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Cache-Control", "no-store")
	body, has := h.pages[r.URL.Path]
	switch {
	case !h.hosts[r.Host]:
		http.Error(w, "this server answers requests to localhost only", http.StatusMisdirectedRequest)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		header.Set("Allow", "GET, HEAD")
		http.Error(w, "pages can only be read", http.StatusMethodNotAllowed)
	case !has:
		http.Error(w, "there is no such page", http.StatusNotFound)
	default:
		header.Set("Content-Type", types[path.Ext(r.URL.Path)]+"; charset=utf-8")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	}
}
