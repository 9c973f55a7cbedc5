package importing

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
)

// Limits of lists with pages: a service may return new tokens or addresses without end.
const (
	maxPages = 10_000
	maxToken = 64 << 10
)

// pages has the tokens or addresses of the pages that were read. Its zero value is empty and
// ready.
type pages struct{ seen map[[sha256.Size]byte]bool }

// visit records a token. It returns an error for one that was recorded already, one that is too
// long, and one too many.
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

// cut shortens a text of a service for a message.
func cut(text string) string {
	const longest = 500
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:longest], "") + "..."
}
