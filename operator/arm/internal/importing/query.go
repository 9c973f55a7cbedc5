package importing

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/stratakube/strata/operator/arm/internal/armid"
	"github.com/stratakube/strata/operator/arm/internal/body"
	"github.com/stratakube/strata/operator/arm/internal/rest"
)

// Of Resource Graph.
const (
	graphPath    = "/providers/Microsoft.ResourceGraph/resources"
	graphVersion = "2021-03-01"
	graphPage    = 1000
)

// query reads all pages of what a query finds in the subscriptions of the scopes. Its rows need the column id.
func (r *run) query(ctx context.Context) ([]armid.ID, error) {
	var subscriptions []any
	for _, id := range r.Scopes {
		subscriptions = append(subscriptions, id.Subscription())
	}
	var ids []armid.ID
	for token := ""; ; {
		options := map[string]any{"resultFormat": "objectArray", "$top": graphPage}
		if token != "" {
			options["$skipToken"] = token
		}
		asked := map[string]any{"query": r.Query, "options": options}
		if len(subscriptions) > 0 {
			asked["subscriptions"] = subscriptions
		}
		sent, err := body.Encode(asked)
		if err != nil {
			return nil, err
		}
		answer, err := r.get(ctx, rest.Request{Method: http.MethodPost, Path: graphPath, Version: graphVersion, Body: sent})
		if err != nil {
			return nil, err
		}
		page, next, err := readRows(answer)
		if err != nil {
			return nil, err
		}
		if ids = append(ids, page...); len(ids) > maxObjects {
			return nil, fmt.Errorf("the query finds more than %d resources", maxObjects)
		}
		if next == "" {
			return ids, nil
		}
		if next == token || len(page) == 0 {
			return nil, errors.New("the pages go round in circles")
		}
		token = next
	}
}

func readRows(answer []byte) ([]armid.ID, string, error) {
	object, err := body.Object(answer)
	if err != nil {
		return nil, "", err
	}
	rows, ok := object["data"].([]any)
	if !ok {
		return nil, "", errors.New("an answer has no rows")
	}
	var ids []armid.ID
	for _, value := range rows {
		row, _ := value.(map[string]any)
		text, ok := row["id"].(string)
		if !ok {
			return nil, "", errors.New("a row has no id; hint: end the query with | project id")
		}
		id, err := armid.Parse(text)
		if err != nil || id.IsTenant() {
			return nil, "", fmt.Errorf("a row has the identifier %q", text)
		}
		ids = append(ids, id)
	}
	next, _ := object["$skipToken"].(string)
	return ids, next, nil
}
