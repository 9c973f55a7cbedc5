package site

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// clicks is how many links lead at most from the first page to any other.
const clicks = 3

// rendered is a page of a built site.
type rendered struct {
	ids   map[string]bool
	links []string // as written
}

// Check returns what is wrong with the built site of one version in a folder: links without a
// target, titles or texts that are missing, and pages that are more than three links away from the
// first.
func Check(folder string) ([]string, error) {
	all := map[string]*rendered{}
	err := filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == explorer {
			return filepath.SkipDir // its pages have places that their program makes
		}
		if err != nil || entry.IsDir() || filepath.Ext(file) != ".html" {
			return err
		}
		name, err := filepath.Rel(folder, file)
		if err != nil {
			return err
		}
		all[filepath.ToSlash(name)], err = parse(file)
		return err
	})
	if err != nil {
		return nil, err
	}
	if all["index.html"] == nil {
		return nil, fmt.Errorf("%s has no index.html", folder)
	}
	var faults []string
	targets := map[string][]string{}
	for name, p := range all {
		for _, link := range p.links {
			target, fault := resolve(folder, all, name, link)
			if fault != "" {
				faults = append(faults, fmt.Sprintf("%s: %s: %s", name, link, fault))
			}
			if target != "" {
				targets[name] = append(targets[name], target)
			}
		}
	}
	near := reachable(targets)
	for name := range all {
		if !near[name] && name != "404.html" {
			faults = append(faults, fmt.Sprintf("%s is more than %d links away from index.html", name, clicks))
		}
	}
	slices.Sort(faults)
	return faults, nil
}

// resolve returns the page that a link leads to, if it leads to one of the site, and what is wrong
// with the link.
func resolve(folder string, all map[string]*rendered, from, link string) (target, fault string) {
	u, err := url.Parse(link)
	switch {
	case err != nil:
		return "", err.Error()
	case u.Scheme == "data", u.Scheme == "mailto":
		return "", ""
	case u.Scheme == "https":
		return "", ""
	case u.Scheme != "" || u.Host != "":
		return "", "is no https address"
	case strings.HasPrefix(u.Path, "/"):
		return "", "begins at the server's root, where the site may not be"
	}
	name := from
	if u.Path != "" {
		name = path.Join(path.Dir(from), u.Path)
	}
	p, ok := all[name]
	if !ok {
		if _, err := os.Stat(filepath.Join(folder, filepath.FromSlash(name))); err != nil {
			return "", "there is no such file"
		}
		return "", ""
	}
	if u.Fragment != "" && !p.ids[u.Fragment] {
		return name, "the page has no such place"
	}
	return name, ""
}

// reachable returns the pages that are at most three links away from the first.
func reachable(targets map[string][]string) map[string]bool {
	near := map[string]bool{"index.html": true}
	edge := []string{"index.html"}
	for range clicks {
		var next []string
		for _, from := range edge {
			for _, to := range targets[from] {
				if !near[to] {
					near[to] = true
					next = append(next, to)
				}
			}
		}
		edge = next
	}
	return near
}

// parse reads the places and links of a page.
func parse(file string) (*rendered, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	document, err := html.Parse(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	p := &rendered{ids: map[string]bool{}}
	for node := range document.Descendants() {
		if node.Type != html.ElementNode {
			continue
		}
		for _, a := range node.Attr {
			switch a.Key {
			case "id":
				p.ids[a.Val] = true
			case "href", "src":
				p.links = append(p.links, a.Val)
			}
		}
	}
	return p, nil
}
