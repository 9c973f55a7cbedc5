package fetch

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// mirror is where sources come from: the code host, an https prefix or a folder.
type mirror struct {
	prefix *url.URL // nil without an https mirror
	folder string   // empty without a local one
}

func parseMirror(text string, loopbackHTTP bool) (mirror, error) {
	if text == "" {
		return mirror{}, nil
	}
	if !strings.Contains(text, "://") {
		info, err := os.Stat(text)
		if err == nil && !info.IsDir() {
			err = fmt.Errorf("%s is not a folder", text)
		}
		if err != nil {
			return mirror{}, hint(fmt.Errorf("mirror: %w", err), "%s is a folder or an https URL", MirrorVariable)
		}
		return mirror{folder: text}, nil
	}
	u, err := url.Parse(text)
	if err != nil {
		return mirror{}, fmt.Errorf("mirror: %w", withoutURL(err))
	}
	if err := checkURL(u, loopbackHTTP); err != nil {
		return mirror{}, fmt.Errorf("mirror: %w", err)
	}
	return mirror{prefix: u}, nil
}

// archiveURL is where the archive of s is asked for.
func (m mirror) archiveURL(s Source) (*url.URL, error) {
	if m.prefix != nil {
		return m.prefix.JoinPath(s.Repository, s.Commit+".tar.gz"), nil
	}
	host, path, _ := strings.Cut(s.Repository, "/")
	if host != "github.com" {
		return nil, hint(fmt.Errorf("no archive endpoint is known of %s", host),
			"set %s to a folder or an https URL that holds %s/%s.tar.gz", MirrorVariable, s.Repository, s.Commit)
	}
	return &url.URL{Scheme: "https", Host: host, Path: "/" + path + "/archive/" + s.Commit + ".tar.gz"}, nil
}

// local finds s in the folder: a tree of its name, else an archive.
func (m mirror) local(s Source) (dir, archive string, err error) {
	dir = filepath.Join(m.folder, s.Name)
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return dir, "", nil
	}
	archive = filepath.Join(m.folder, filepath.FromSlash(s.Repository), s.Commit+".tar.gz")
	if _, err := os.Stat(archive); err != nil {
		return "", "", hint(fmt.Errorf("mirror: neither a folder %s nor an archive %s", dir, archive),
			"%s holds <name>/ or <repository>/<commit>.tar.gz", MirrorVariable)
	}
	return "", archive, nil
}
