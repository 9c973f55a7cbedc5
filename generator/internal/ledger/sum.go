package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// sumWord begins the line with the sum of a file.
const sumWord = "sum"

// sum is a checksum of the lines of a head and of the names of versions. Lines of two runs do not
// go together: a row decides how those rows are read which other versions and paths have. Without
// the sum, git could merge the lines of two branches that both ran the generator, without a
// conflict.
func sum(head []byte, m *model.Resource) string {
	text := slices.Clone(head)
	for _, v := range m.Versions {
		text = append(text, "version "+v.Name+"\n"...)
	}
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:8])
}

// checkSum reports a sum that is missing, stands twice, or is not that of the file.
func (p *parser) checkSum() {
	if p.entry.Older != "" {
		return // its line is refused
	}
	var sums []head
	for _, h := range p.heads {
		if h.word == sumWord {
			sums = append(sums, h)
		}
	}
	switch {
	case len(sums) == 0:
		p.fail(0, "the line %q with the checksum of the file is missing", sumWord)
	case len(sums) > 1:
		p.failMerged(sums[1].at, "a second checksum: branches were merged, or the file was edited")
	case len(p.messages) == 0 && p.sumWithout(sums[0]) != sums[0].rest:
		p.failMerged(sums[0].at, "the checksum is not that of the file: branches were merged, or the file was edited")
	}
}

// sumWithout is the sum of the lines between the first one and the model, without one of them.
func (p *parser) sumWithout(h head) string {
	first, next := strings.IndexByte(p.text, '\n')+1, h.at+len(h.word)+len(" ")+len(h.rest)+len("\n")
	return sum([]byte(p.text[first:h.at]+p.text[min(next, p.model):p.model]), p.entry.Model)
}

func (p *parser) failMerged(at int, text string) {
	p.fail(at, "%s", text)
	p.messages[len(p.messages)-1].Hint = editedHint
}
