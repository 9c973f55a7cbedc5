package operation

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/stratakube/strata/operator/arm/internal/armid"
	"github.com/stratakube/strata/operator/arm/internal/rest"
)

// Style is the way in which ARM reports an operation.
type Style string

// The styles.
const (
	// Status is a URL whose answer has a status: Azure-AsyncOperation, or Operation-Location.
	Status Style = "status"
	// Location is a URL that answers with status 202 while the operation runs.
	Location Style = "location"
	// Resource is the resource itself: its provisioningState, or its absence.
	Resource Style = "resource"
)

// Handle is the stored state of an operation.
type Handle struct {
	Version int    `json:"v"`
	Method  string `json:"method"` // what began it: PUT or DELETE
	Style   Style  `json:"style"`
	URL     string `json:"url,omitempty"`
	// Odd counts the looks in a row at which the resource was not as the operation should leave
	// it.
	Odd int `json:"odd,omitempty"`
}

// handleVersion is raised when older processes cannot continue operations of newer ones.
const handleVersion = 1

// maxOdd is the number of odd looks after which an operation is lost: answers of ARM may be some
// seconds old.
const maxOdd = 10

// String returns the handle as JSON.
func (h Handle) String() string {
	text, _ := json.Marshal(h) // strings and numbers cannot fail
	return string(text)
}

// ParseHandle parses a handle that a host stored. Users can change it there. ParseHandle refuses
// URLs of another endpoint, and those of another subscription than the resource.
func ParseHandle(text string, client *rest.Client, of armid.ID) (Handle, error) {
	var h Handle
	if err := json.Unmarshal([]byte(text), &h); err != nil {
		return Handle{}, errors.New("the handle is no JSON of ours")
	}
	if h.Version != handleVersion {
		return Handle{}, fmt.Errorf("the handle has version %d, and this plugin knows %d", h.Version, handleVersion)
	}
	if h.Method != http.MethodPut && h.Method != http.MethodDelete {
		return Handle{}, errors.New("the handle's method is neither PUT nor DELETE")
	}
	switch h.Style {
	case Resource:
		return h, nil
	case Status, Location:
		_, err := allowed(h.URL, client, of)
		return h, err
	}
	return Handle{}, fmt.Errorf("the handle's style %q is not known", h.Style)
}

// allowed returns the URL in a text. It must be one of the endpoint, and name no subscription but
// that of the resource.
func allowed(text string, client *rest.Client, of armid.ID) (*url.URL, error) {
	u, err := client.Resolve(text)
	if err != nil {
		return nil, fmt.Errorf("operation: %w", err)
	}
	words := strings.Split(strings.Trim(u.Path, "/"), "/")
	if own := of.Subscription(); own != "" && len(words) > 1 && strings.EqualFold(words[0], "subscriptions") && !strings.EqualFold(words[1], own) {
		return nil, errors.New("operation: its URL names another subscription")
	}
	return u, nil
}
