package site

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Session is the picture of a terminal in the README, below the root. It shows some parts of the
// demo.
const Session = "docs/pictures/session.svg"

// story is the output of the demo, which each run of its test compares with what it prints.
const story = "tools/demo/testdata/story.txt"

// pictured are the parts of the story that the picture shows, with the first command only where a
// part has false.
var pictured = []struct {
	part  string
	whole bool
}{{"4", false}, {"5", false}, {"6", true}}

// columns are how many characters a line of the picture has at most.
const columns = 92

// The measures of the picture, in pixels.
const (
	column, row, border = 8.43, 20, 16
)

// The colors of a line, on a dark background.
const (
	plainColor, wordsColor, commandColor = "#b6c2cf", "#79c0ff", "#f0f6fc"
	goneColor, newColor, backColor       = "#ff9492", "#7ee787", "#0d1117"
)

var partLine = regexp.MustCompile(`^(\d+)/\d+  (.*)$`)

// line is a line of the picture.
type line struct{ text, color string }

// RenderSession draws the picture of the session from the story of the demo.
func RenderSession(root string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(story)))
	if err != nil {
		return nil, err
	}
	lines, err := session(string(text))
	if err != nil {
		return nil, err
	}
	return draw(lines), nil
}

// session returns the lines of the parts that the picture shows.
func session(text string) ([]line, error) {
	var lines []line
	for _, t := range pictured {
		part, err := partOf(text, t.part)
		if err != nil {
			return nil, err
		}
		if !t.whole {
			blocks := strings.SplitAfterN(part, "\n\n", 3)
			part = blocks[0] + blocks[1]
		}
		inDiff := false
		for l := range strings.Lines(strings.TrimRight(part, "\n") + "\n\n") {
			l = strings.TrimSuffix(l, "\n")
			if words := partLine.FindStringSubmatch(l); words != nil {
				lines = append(lines, folded("# "+words[2], wordsColor, "# ")...)
				continue
			}
			l = strings.TrimPrefix(l, "    ")
			if strings.HasPrefix(l, "$ ") {
				inDiff = strings.HasPrefix(l, "$ diff ")
				lines = append(lines, folded(l, commandColor, "    ")...)
				continue
			}
			color := plainColor
			switch {
			case inDiff && strings.HasPrefix(l, "-"):
				color = goneColor
			case inDiff && strings.HasPrefix(l, "+"):
				color = newColor
			}
			lines = append(lines, folded(l, color, "    ")...)
		}
	}
	for len(lines) > 0 && lines[len(lines)-1].text == "" {
		lines = lines[:len(lines)-1]
	}
	return lines, nil
}

// partOf returns one part of the story, which begins with its number.
func partOf(text, number string) (string, error) {
	start := strings.Index(text, "\n"+number+"/")
	if start < 0 {
		return "", fmt.Errorf("%s has no part %s", story, number)
	}
	part := text[start+1:]
	for offset := 0; ; {
		end := strings.Index(part[offset:], "\n\n")
		if end < 0 {
			return part, nil
		}
		offset += end + 2
		if partLine.MatchString(strings.SplitN(part[offset:], "\n", 2)[0]) {
			return part[:offset], nil
		}
	}
}

// folded breaks a long line between words. The lines that follow begin with the prefix.
func folded(text, color, prefix string) []line {
	var lines []line
	for len(text) > columns {
		at := strings.LastIndexByte(text[:columns], ' ')
		if at <= len(prefix) {
			at = columns
		}
		lines = append(lines, line{text[:at], color})
		text = prefix + strings.TrimPrefix(text[at:], " ")
	}
	return append(lines, line{text, color})
}

// draw prints the lines as an SVG picture.
func draw(lines []line) []byte {
	width, height := 2*border+columns*column, float64(2*border+len(lines)*row)
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="ui-monospace, DejaVu Sans Mono, Menlo, monospace" font-size="14">`+"\n", width, height)
	fmt.Fprintf(&out, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+"\n", backColor)
	for i, l := range lines {
		text := strings.TrimLeft(l.text, " ")
		if text == "" {
			continue
		}
		x := border + float64(len(l.text)-len(text))*column
		fmt.Fprintf(&out, `<text x="%.1f" y="%d" fill="%s" textLength="%.1f" lengthAdjust="spacingAndGlyphs" style="white-space:pre">`, x, border+14+i*row, l.color, float64(len(text))*column)
		// A buffer takes every byte.
		_ = xml.EscapeText(&out, []byte(text))
		out.WriteString("</text>\n")
	}
	out.WriteString("</svg>\n")
	return out.Bytes()
}
