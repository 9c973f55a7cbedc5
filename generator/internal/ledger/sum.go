package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/stratakube/strata/generator/internal/model"
)

// sumWord is the first word of the line with a file's checksum.
const sumWord = "sum"

// sum returns a checksum of the lines of a head and of the names of versions. Lines of different
// runs must not be combined, because a row determines how the rows of other versions and paths
// are read. Without the sum, git could merge the lines of two branches that both ran the
// generator, without a conflict.
func sum(head []byte, m *model.Resource) string {
	text := slices.Clone(head)
	for _, v := range m.Versions {
		text = append(text, "version "+v.Name+"\n"...)
	}
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:8])
}

// checkSum reports a checksum that is missing, duplicated or wrong.
func (p *parser) checkSum() {
	if p.entry.Older != "" {
		return // the line is an error in older formats
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

// sumWithout returns the sum of the lines between the first line and the model, except h.
func (p *parser) sumWithout(h head) string {
	first, next := strings.IndexByte(p.text, '\n')+1, h.at+len(h.word)+len(" ")+len(h.rest)+len("\n")
	return sum([]byte(p.text[first:h.at]+p.text[min(next, p.model):p.model]), p.entry.Model)
}

func (p *parser) failMerged(at int, text string) {
	p.fail(at, "%s", text)
	p.messages[len(p.messages)-1].Hint = editedHint
}
