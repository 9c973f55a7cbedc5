package importing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/stratakube/strata/operator/arm/internal/armid"
	"github.com/stratakube/strata/operator/arm/internal/body"
	"github.com/stratakube/strata/operator/arm/internal/rest"
)

// The address, the API version and the page size of Resource Graph.
const (
	graphPath    = "/providers/Microsoft.ResourceGraph/resources"
	graphVersion = "2021-03-01"
	graphPage    = 1000
)

// query reads all pages of the query in the subscriptions of the scopes. The rows must have the
// column id.
func (r *run) query(ctx context.Context) ([]armid.ID, error) {
	var (
		ids     []armid.ID
		visited pages
	)
	for token := ""; ; {
		answer, err := r.askGraph(ctx, token)
		if err != nil {
			return nil, err
		}
		page, err := readRows(answer)
		if err != nil {
			return nil, err
		}
		if ids = append(ids, page.ids...); len(ids) > maxObjects {
			return nil, fmt.Errorf("the query finds more than %d resources", maxObjects)
		}
		if page.next == "" {
			return ids, r.checkWhole(page, len(ids))
		}
		if err := visited.visit(page.next); err != nil {
			return nil, err
		}
		token = page.next
	}
}

// askGraph requests a page of the query: the first one, or that of a token.
func (r *run) askGraph(ctx context.Context, token string) ([]byte, error) {
	options := map[string]any{"resultFormat": "objectArray", "$top": graphPage}
	if token != "" {
		options["$skipToken"] = token
	}
	asked := map[string]any{"query": r.Query, "options": options}
	var subscriptions []any
	for _, id := range r.Scopes {
		subscriptions = append(subscriptions, id.Subscription())
	}
	if len(subscriptions) > 0 {
		asked["subscriptions"] = subscriptions
	}
	sent, err := body.Encode(asked)
	if err != nil {
		return nil, err
	}
	return r.get(ctx, rest.Request{Method: http.MethodPost, Path: graphPath, Version: graphVersion, Body: sent})
}

// rows is one page of results.
type rows struct {
	ids         []armid.ID
	next        string // the token of the page after it; empty for the last one
	total       int    // the number of rows of the query in all pages; 0 if it is not reported
	isTruncated bool
}

// checkWhole returns an error if the answer ends before the query does. Resource Graph returns no
// token for queries that it cannot divide into pages. checkWhole accepts a query that limits
// itself. If several pages have too few rows, the import is incomplete: resources may be created
// and deleted meanwhile.
func (r *run) checkWhole(last rows, found int) error {
	const hint = "hint: pages need the column id as text, and no limit, take or sample in the query; or divide the query"
	isOnePage := found == len(last.ids)
	switch {
	case last.total > found && isOnePage:
		return fmt.Errorf("the query finds %d resources, and the answer ends after %d; %s", last.total, found, hint)
	case last.isTruncated && len(last.ids) >= graphPage:
		return fmt.Errorf("the answer ends after %d resources, and is truncated; %s", found, hint)
	case last.isTruncated || last.total > found:
		r.isIncomplete = !isOnePage
		r.notes = append(r.notes, fmt.Sprintf("the query: Resource Graph reports more than the %d resources that it returned", found))
	}
	return nil
}

func readRows(answer []byte) (page rows, err error) {
	object, err := body.Object(answer)
	if err != nil {
		return page, err
	}
	data, ok := object["data"].([]any)
	if !ok {
		return page, errors.New("an answer has no rows")
	}
	for _, value := range data {
		row, _ := value.(map[string]any)
		text, ok := row["id"].(string)
		if !ok {
			return page, errors.New("a row has no id; hint: end the query with | project id")
		}
		id, err := armid.Parse(text)
		if err != nil || id.IsTenant() {
			return page, fmt.Errorf("a row has the identifier %q", cut(text))
		}
		page.ids = append(page.ids, id)
	}
	page.next, _ = object["$skipToken"].(string)
	if number, ok := object["totalRecords"].(json.Number); ok {
		page.total, _ = strconv.Atoi(string(number))
	}
	switch truncated := object["resultTruncated"].(type) { // documented both as a text and as a boolean
	case string:
		page.isTruncated = strings.EqualFold(truncated, "true")
	case bool:
		page.isTruncated = truncated
	}
	return page, nil
}
