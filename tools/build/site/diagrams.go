package site

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	fence  = regexp.MustCompile("(?ms)^```mermaid\n(.*?)^```$")
	titled = regexp.MustCompile(`(?m)^\s*accTitle:\s*(\S.*)$`)
)

// mermaid is the text of a diagram in a page.
type mermaid string

// diagrams returns the diagrams of a page, in order.
func diagrams(text string) []mermaid {
	var all []mermaid
	for _, found := range fence.FindAllStringSubmatch(text, -1) {
		all = append(all, mermaid(strings.TrimSpace(found[1])))
	}
	return all
}

// digest names the picture of a diagram: a diagram that was edited has no picture until one is
// rendered.
func (m mermaid) digest() string {
	sum := sha256.Sum256([]byte(m))
	return hex.EncodeToString(sum[:])
}

// The colors of pictures.
const (
	Light = "light"
	Dark  = "dark"
)

// Picture is that of a diagram in one of the colors.
type Picture struct {
	File  string // below the root of the checkout
	Color string
	ID    string // for the elements of the picture
	Text  string // of the diagram, for mermaid
}

// Pictures returns the pictures that the diagrams of all pages need, in the order of the pages.
func Pictures(root string) ([]Picture, error) {
	all, err := sources(root)
	if err != nil {
		return nil, err
	}
	var pictures []Picture
	for _, source := range all {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(source)))
		if err != nil {
			return nil, err
		}
		for _, d := range diagrams(string(text)) {
			for _, color := range []string{Light, Dark} {
				pictures = append(pictures, Picture{File: "docs/" + d.file(color), Color: color, ID: "d" + d.digest()[:8], Text: string(d)})
			}
		}
	}
	return pictures, nil
}

// file returns the picture in one of the two colors, below docs.
func (m mermaid) file(color string) string {
	return "pictures/" + m.digest()[:16] + "-" + color + ".svg"
}

// picture describes the rendered diagram. It is an error if there is none, or if the diagram has no
// title for readers who do not see it.
func (m mermaid) picture(root string) (diagram, error) {
	title := titled.FindStringSubmatch(string(m))
	if title == nil {
		return diagram{}, fmt.Errorf("a diagram has no title: add a line such as \"accTitle: How a review is answered\" to\n%s", m)
	}
	d := diagram{Title: title[1], Light: m.file(Light), Dark: m.file(Dark)}
	var err error
	if d.Width, d.Height, err = size(filepath.Join(root, "docs", filepath.FromSlash(d.Light))); err != nil {
		return diagram{}, fmt.Errorf("the diagram %q has no picture: go tool mage docs:pictures renders it: %w", d.Title, err)
	}
	return d, nil
}
