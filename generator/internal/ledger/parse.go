package ledger

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stratakube/strata/generator/internal/chain"
	"github.com/stratakube/strata/generator/internal/diag"
	"github.com/stratakube/strata/generator/internal/model"
)

// The hints for a damaged ledger.
const (
	restoreHint  = "restore the ledger from version control"
	mergeHint    = "take ledger and manifest.json of the side that was generated first, then run strata generate to add the other's"
	editedHint   = restoreHint + "; after a merge, " + mergeHint
	conflictHint = "it has merge conflicts: " + mergeHint
	lineEndHint  = "its lines end in CR LF: have git leave it as it is (**/ledger/** -text in .gitattributes), and check it out again"
)

func hintFor(text string) string {
	switch {
	case strings.HasPrefix(text, "<<<<<<<"), strings.Contains(text, "\n<<<<<<< "):
		return conflictHint
	case strings.Contains(text, "\r\n"):
		return lineEndHint
	}
	return restoreHint
}

// parser reads one entry's file.
type parser struct {
	name, text string
	entry      Entry
	messages   []diag.Message
	heads      []head
	model      int            // offset of the model
	lines      int            // the number of lines that were read
	lineages   map[string]int // numbers of lineage lines
}

// head is one line of a file's head.
type head struct {
	at         int
	word, rest string
	key        chain.KeyRow // of a key
	lineage    *chain.LineageRow
	join       *chain.Join
	made       Made
}

// parse reads a file. If it returns no messages, the entry is valid: the model is refined, and
// the head agrees with it. File is empty.
func parse(name, text string) (*Entry, []diag.Message) {
	p := parser{name: name, text: text, lineages: map[string]int{}}
	if p.head() && p.readModel() {
		p.check()
	}
	if len(p.messages) > 0 {
		return nil, p.messages
	}
	return &p.entry, nil
}

func (p *parser) fail(at int, format string, args ...any) {
	p.messages = append(p.messages, diag.Errorf(diag.At(p.name, at, ""), format, args...).WithHint("%s", hintFor(p.text)))
}

// head reads the lines before the model. It returns false if there is no model.
func (p *parser) head() bool {
	first, _, _ := strings.Cut(p.text, "\n")
	switch first {
	case Format:
	case First, Second, Third:
		p.entry.Older = first
	default:
		p.fail(0, "%s is expected in the first line: the ledger is damaged, or of another release of strata", strconv.Quote(Format))
		return false
	}
	at := len(first) + 1
	p.lines = 1
	for at < len(p.text) && !strings.HasPrefix(p.text[at:], "resource ") {
		text, _, _ := strings.Cut(p.text[at:], "\n")
		p.lines++
		p.line(at, text)
		at += len(text) + 1
	}
	if at >= len(p.text) {
		p.fail(len(p.text), "the model is missing")
		return false
	}
	p.model = at
	return true
}

func (p *parser) line(at int, text string) {
	h := head{at: at}
	h.word, h.rest, _ = strings.Cut(text, " ")
	if since := sinceFormat[strings.TrimPrefix(h.word, statusPrefix)]; slices.Contains(since, p.entry.Older) {
		p.fail(at, "a line %q is not of the format %q", h.word, p.entry.Older)
		return
	}
	switch h.word {
	case sumWord:
	case "hub":
		p.entry.Hubs = append(p.entry.Hubs, h.rest)
	case "served":
		p.entry.Served = append(p.entry.Served, h.rest)
	case "key", "via", statusPrefix + "key", statusPrefix + "via":
		row, err := parseKey(h.word, h.rest)
		if err != nil {
			p.fail(at, "%v", err)
			return
		}
		h.key = row
		p.entry.Keys = append(p.entry.Keys, row)
	case "lineage", statusPrefix + "lineage":
		n, err := parseLineage(h.word, h.rest)
		if err != nil {
			p.fail(at, "%v", err)
			return
		}
		if first, twice := p.lineages[text]; twice {
			p.fail(at, "the line stands twice, first as line %d", first)
			return
		}
		p.lineages[text] = p.lines
		h.lineage = &n
		p.entry.Lineages = append(p.entry.Lineages, n)
	case "join", statusPrefix + "join":
		j, err := parseJoin(h.word, h.rest)
		if err != nil {
			p.fail(at, "%v", err)
			return
		}
		h.join = &j
		p.entry.Joins = append(p.entry.Joins, j)
	case "made":
		m, err := parseMade(h.rest)
		if err != nil {
			p.fail(at, "%v", err)
			return
		}
		h.made = m
		p.entry.Made = append(p.entry.Made, m)
	default:
		p.fail(at, "sum, hub, served, key, via, lineage, join, made or resource is expected, not %q", h.word)
		return
	}
	p.heads = append(p.heads, h)
}

// sinceFormat maps a word to the formats that lack it.
var sinceFormat = map[string][]string{"join": {First}, "lineage": {First, Second}, sumWord: {First, Second, Third}}

// parseKey reads the words of a key's line. In a line "via", the version of a compat package
// follows the name.
func parseKey(kind, text string) (chain.KeyRow, error) {
	var row chain.KeyRow
	words, err := parseWords(text)
	if err != nil {
		return row, err
	}
	kind, row.Status = strings.CutPrefix(kind, statusPrefix)
	if kind == "via" && len(words) > 2 {
		row.Compat = words[2]
		words = slices.Delete(words, 2, 3)
	}
	if len(words) < 3 {
		return chain.KeyRow{}, errors.New("a key needs a version, a name and a property")
	}
	names := propertyNames(words[2:])
	row.Version, row.Name, row.Property = words[0], words[1], names[0]
	if len(names) > 1 {
		row.Path = names[1:]
	}
	return row, nil
}

// parseLineage reads the words of a lineage's line.
func parseLineage(kind, text string) (chain.LineageRow, error) {
	words, err := parseWords(text)
	if err == nil && len(words) < 3 {
		err = errors.New("a lineage needs a version, a name and a property")
	}
	if err != nil {
		return chain.LineageRow{}, err
	}
	names := propertyNames(words[2:])
	row := chain.LineageRow{Status: strings.HasPrefix(kind, statusPrefix), Version: words[0], Name: words[1], Property: names[0]}
	if len(names) > 1 {
		row.Path = names[1:]
	}
	return row, nil
}

// parseJoin reads the words of a join's line.
func parseJoin(kind, text string) (chain.Join, error) {
	var j chain.Join
	words, rest, err := leadingWords(text)
	if err != nil {
		return j, err
	}
	if !strings.HasPrefix(rest+" ", "to ") || len(words) < 2 {
		return j, errors.New("a join needs a version, a property, and behind the word to a path")
	}
	names := propertyNames(words[1:])
	j.Version, j.Property, j.Status = words[0], names[0], strings.HasPrefix(kind, statusPrefix)
	if len(names) > 1 {
		j.Path = names[1:]
	}
	if rest = rest[len("to"):]; rest != "" {
		j.To, err = parseWords(rest[1:])
	}
	j.To = propertyNames(j.To)
	return j, err
}

// propertyNames is the inverse of appendNames; it changes words in place.
func propertyNames(words []string) []string {
	for i, w := range words {
		if w == chain.AdditionalKey {
			words[i] = chain.AdditionalName
		} else if strings.TrimLeft(w, "$") == chain.AdditionalKey[1:] && strings.HasPrefix(w, "$$") {
			words[i] = w[1:]
		}
	}
	return words
}

// parseWords reads quoted words.
func parseWords(text string) ([]string, error) {
	words, rest, err := leadingWords(text)
	if err == nil && rest != "" || text == "" {
		err = fmt.Errorf("a word in quotes is expected at %q", rest)
	}
	return words, err
}

// leadingWords reads quoted words, up to the first one without quotes.
func leadingWords(text string) (words []string, rest string, err error) {
	for strings.HasPrefix(text, `"`) {
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			return nil, "", fmt.Errorf("a word in quotes is expected at %q", text)
		}
		w, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, "", fmt.Errorf("word %s: %w", quoted, err)
		}
		words = append(words, w)
		if text = text[len(quoted):]; text == "" {
			return words, "", nil
		}
		if text[0] != ' ' {
			return nil, "", fmt.Errorf("a space is expected at %q", text)
		}
		text = text[1:]
		if text == "" {
			return nil, "", fmt.Errorf("a word in quotes is expected at %q", text)
		}
	}
	return words, text, nil
}

func (p *parser) readModel() bool {
	resources, err := model.Parse(p.name, []byte(p.text[p.model:]))
	if err != nil {
		p.syntax(err)
		return false
	}
	if len(resources) != 1 {
		p.fail(p.model, "%d resources in one file", len(resources))
		return false
	}
	p.entry.Model = resources[0]
	return true
}

// syntax adds the errors of the model's parser.
func (p *parser) syntax(err error) {
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		p.fail(p.model, "%v", err)
		return
	}
	for _, err := range joined.Unwrap() {
		var syntax *model.SyntaxError
		if errors.As(err, &syntax) {
			p.fail(p.offset(syntax), "%s", syntax.Message)
		} else {
			p.fail(p.model, "%v", err)
		}
	}
}

// offset returns the offset of an error in the model's text.
func (p *parser) offset(e *model.SyntaxError) int {
	at := p.model
	for range e.Line - 1 {
		at += strings.IndexByte(p.text[at:], '\n') + 1
	}
	return min(at+e.Column-1, len(p.text))
}
