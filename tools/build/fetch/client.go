package fetch

import (
	"net"
	"net/http"
	"net/url"
)

// guardedClient is a copy of client that follows only so many redirects, and those
// only to addresses that checkURL accepts.
func guardedClient(client *http.Client, redirects int, loopbackHTTP bool) *http.Client {
	guarded := *client
	guarded.Timeout = 0 // a download may take long; pulse watches it
	guarded.CheckRedirect = func(next *http.Request, before []*http.Request) error {
		if len(before) > redirects {
			return refuse("more than %d redirects", redirects)
		}
		return checkURL(next.URL, loopbackHTTP)
	}
	return &guarded
}

// checkURL accepts https, and plain http to this machine when that is allowed.
func checkURL(u *url.URL, loopbackHTTP bool) error {
	if u.Scheme != "https" && !(u.Scheme == "http" && loopbackHTTP && isLoopback(u.Hostname())) {
		return refuse("%s is not https", public(u))
	}
	if u.Host == "" {
		return refuse("%s names no host", public(u))
	}
	return nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// public prints u without its user information and query, which may be secret.
func public(u *url.URL) string {
	printed := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	return printed.String()
}
