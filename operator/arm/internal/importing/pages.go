package importing

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
)

// Bounds of what is read page by page: a service may give out tokens, or addresses, for ever.
const (
	maxPages = 10_000
	maxToken = 64 << 10
)

// pages are the tokens, or the addresses, of the pages that were read. The zero value is empty and
// ready.
type pages struct{ seen map[[sha256.Size]byte]bool }

// visit refuses the token of a page that was read, one that is too long, and one too many.
func (p *pages) visit(token string) error {
	if len(token) > maxToken {
		return fmt.Errorf("the token of the next page has %d bytes, more than %d", len(token), maxToken)
	}
	sum := sha256.Sum256([]byte(token))
	switch {
	case p.seen[sum]:
		return errors.New("the pages go round in circles")
	case len(p.seen) == maxPages:
		return fmt.Errorf("there are more than %d pages", maxPages)
	case p.seen == nil:
		p.seen = map[[sha256.Size]byte]bool{}
	}
	p.seen[sum] = true
	return nil
}

// cut is a text of a service as it may stand in a message.
func cut(text string) string {
	const longest = 500
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:longest], "") + "..."
}
