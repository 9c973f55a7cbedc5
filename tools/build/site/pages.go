package site

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// groups are the sections of the menu, in order, by their paths in the site.
var groups = []string{"/guide", "/guide/howto", "/guide/explanation", "/guide/reference", "/reports", "/adr"}

// titles are those of folders that have no README.md.
var titles = map[string]string{
	"docs/guide/howto":       "How-to guides",
	"docs/guide/explanation": "Explanation",
	"docs/guide/reference":   "Reference",
	"docs/reports":           "Reports",
}

var (
	heading   = regexp.MustCompile(`(?m)^# (.+)$`)
	linked    = regexp.MustCompile(`\]\(([^)\s#]+)`)
	charts    = regexp.MustCompile(`!\[[^\]]*\]\(([^)\s]+)\)`)
	paragraph = regexp.MustCompile(`(?s)\A[^\n]*\n+((?:[^\n#|>` + "`" + `-][^\n]*\n)+)`)
	markup    = regexp.MustCompile("\\[([^\\]]*)\\]\\([^)]*\\)|[`*]")
)

// page is a page of the documentation.
type page struct {
	source string // the file, below the root of the checkout: docs/guide/howto/x.md
	file   string // the file below Hugo's content folder: guide/howto/x.md
	title  string
	text   string // without the title's line
	weight int    // its place among the pages of its folder
}

// data is what the layout reads.
type data struct {
	Version  string             `json:"version"`
	Versions []link             `json:"versions"`
	Groups   []string           `json:"groups"`
	Example  bool               `json:"example"`  // the site has the pages of the worked example
	Pages    map[string]string  `json:"pages"`    // from the file below the root to the path of the page
	Images   map[string]image   `json:"images"`   // from the file below the root
	Diagrams map[string]diagram `json:"diagrams"` // from the digest of the text of a diagram
}

type link struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// image is a picture of the site, with its size in pixels, so that a browser reserves the place.
type image struct {
	File   string `json:"file"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

// diagram is a picture in two colors.
type diagram struct {
	Title  string `json:"title"`
	Light  string `json:"light"`
	Dark   string `json:"dark"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

// pages are all pages of a checkout.
type pages struct {
	root string
	all  []page
	data data
}

// read reads README.md and the pages of docs.
func read(root string) (*pages, error) {
	p := &pages{root: root, data: data{Groups: groups, Pages: map[string]string{}, Images: map[string]image{}, Diagrams: map[string]diagram{}}}
	all, err := sources(root)
	if err != nil {
		return nil, err
	}
	for _, source := range all {
		if err := p.add(source, contentFile(source)); err != nil {
			return nil, err
		}
	}
	p.order()
	return p, nil
}

// sources returns the files of all pages below the root, README.md first.
func sources(root string) ([]string, error) {
	all := []string{"README.md"}
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(file) != ".md" {
			return err
		}
		name, err := filepath.Rel(root, file)
		all = append(all, filepath.ToSlash(name))
		return err
	})
	return all, err
}

// contentFile returns the file of a page below Hugo's content folder. The page of a folder is its
// README.md. That of docs itself is beside that of the site, which is README.md of the root.
func contentFile(source string) string {
	below := strings.TrimPrefix(source, "docs/")
	switch {
	case source == "README.md":
		return "_index.md"
	case below == "README.md":
		return "contents.md"
	case path.Base(below) == "README.md":
		return path.Join(path.Dir(below), "_index.md")
	}
	return below
}

// add reads a page, with the pictures that it shows.
func (p *pages) add(source, file string) error {
	raw, err := os.ReadFile(filepath.Join(p.root, filepath.FromSlash(source)))
	if err != nil {
		return err
	}
	text := string(raw)
	title := heading.FindStringSubmatch(text)
	if title == nil {
		return fmt.Errorf("%s has no title: begin it with a line such as \"# Title\"", source)
	}
	p.all = append(p.all, page{source: source, file: file, title: plain(title[1]), text: text})
	p.data.Pages[source] = "/" + strings.TrimSuffix(strings.TrimSuffix(file, "_index.md"), ".md")
	for _, d := range diagrams(text) {
		if p.data.Diagrams[d.digest()], err = d.picture(p.root); err != nil {
			return fmt.Errorf("%s: %w", source, err)
		}
	}
	for _, found := range charts.FindAllStringSubmatch(text, -1) {
		file := path.Join(path.Dir(source), found[1])
		width, height, err := size(filepath.Join(p.root, filepath.FromSlash(file)))
		if err != nil {
			return fmt.Errorf("%s: %w", source, err)
		}
		p.data.Images[file] = image{File: "pictures/" + strings.ReplaceAll(file, "/", "-"), Width: width, Height: height}
	}
	return nil
}

// plain returns the text of a line of Markdown.
func plain(line string) string { return strings.TrimSpace(markup.ReplaceAllString(line, "$1")) }

// order gives pages the order in which the guide links them first. Others follow by their names.
func (p *pages) order() {
	at := slices.IndexFunc(p.all, func(g page) bool { return g.source == "docs/guide/README.md" })
	weights := map[string]int{}
	if at >= 0 {
		for _, found := range linked.FindAllStringSubmatch(p.all[at].text, -1) {
			target := path.Join("docs/guide", found[1])
			if weights[target] == 0 {
				weights[target] = len(weights) + 1
			}
		}
	}
	slices.SortStableFunc(p.all, func(a, b page) int { return strings.Compare(a.source, b.source) })
	for i := range p.all {
		g := &p.all[i]
		if g.weight = weights[g.source]; g.weight == 0 {
			g.weight = 1000 + i
		}
	}
}

// write writes the content and the pictures into the folder of a site.
func (p *pages) write(work string) error {
	for _, g := range p.all {
		front := map[string]any{"title": g.title, "source": g.source, "weight": g.weight}
		if d := paragraph.FindStringSubmatch(g.text); d != nil {
			front["description"] = plain(strings.Join(strings.Fields(d[1]), " "))
		}
		if err := writePage(work, g.file, front, g.text); err != nil {
			return err
		}
	}
	for source, title := range titles {
		if _, err := os.Stat(filepath.Join(p.root, filepath.FromSlash(source), "README.md")); err == nil {
			continue
		}
		file := path.Join(strings.TrimPrefix(source, "docs/"), "_index.md")
		if err := writePage(work, file, map[string]any{"title": title, "source": source + "/README.md"}, ""); err != nil {
			return err
		}
	}
	for file, i := range p.data.Images {
		if err := copied(filepath.Join(p.root, filepath.FromSlash(file)), filepath.Join(work, "static", filepath.FromSlash(i.File))); err != nil {
			return err
		}
	}
	for _, d := range p.data.Diagrams {
		for _, file := range []string{d.Light, d.Dark} {
			if err := copied(filepath.Join(p.root, "docs", filepath.FromSlash(file)), filepath.Join(work, "static", filepath.FromSlash(file))); err != nil {
				return err
			}
		}
	}
	return nil
}

// writePage writes a page with the front matter that Hugo reads.
func writePage(work, file string, front map[string]any, text string) error {
	head, err := json.MarshalIndent(front, "", "  ")
	if err != nil {
		return err
	}
	return written(filepath.Join(work, "content", filepath.FromSlash(file)), append(append(head, "\n\n"...), text...))
}

// size returns the size of an SVG picture in pixels, rounded up.
func size(file string) (width, height int, err error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return 0, 0, err
	}
	var svg struct {
		ViewBox string `xml:"viewBox,attr"`
	}
	if err := xml.Unmarshal(raw, &svg); err != nil {
		return 0, 0, fmt.Errorf("read %s: %w", filepath.Base(file), err)
	}
	numbers := strings.Fields(svg.ViewBox)
	if len(numbers) != 4 {
		return 0, 0, fmt.Errorf("%s has no viewBox of four numbers", filepath.Base(file))
	}
	sides := make([]int, 2)
	for i, n := range numbers[2:] {
		side, err := strconv.ParseFloat(n, 64)
		if err != nil || side <= 0 || side > 10_000 {
			return 0, 0, fmt.Errorf("%s has a viewBox with the size %s", filepath.Base(file), n)
		}
		sides[i] = int(side + 0.999)
	}
	return sides[0], sides[1], nil
}
