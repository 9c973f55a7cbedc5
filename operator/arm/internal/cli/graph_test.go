package cli_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stratakube/strata/operator/arm/internal/armtest"
	"github.com/stratakube/strata/operator/arm/internal/cli"
)

// TestAnswersOfResourceGraph is a table over documented answers of Resource Graph, and those of a
// hostile service. The import writes nothing unless the service has returned all results of the
// query.
func TestAnswersOfResourceGraph(t *testing.T) {
	const graph = "POST /providers/Microsoft.ResourceGraph/resources?api-version=2021-03-01"
	page := func(body string) armtest.Exchange { return armtest.Exchange{Call: graph, Status: 200, Body: body} }
	read := armtest.Exchange{Call: "GET " + persons + "/ben" + version, Status: 200, Body: ben}
	data := `"data":[` + row("ben") + `]`
	full := `"data":[` + strings.TrimSuffix(strings.Repeat(row("ben")+",", 1000), ",") + `]`
	for _, test := range []struct {
		reason string
		script []armtest.Exchange
		fails  string // empty if ben is imported
		notes  string
	}{
		{"all members that are documented", []armtest.Exchange{
			page(`{"totalRecords":1,"count":1,` + data + `,"facets":[],"resultTruncated":"false"}`), read}, "", ""},
		{"no member but the rows", []armtest.Exchange{page(`{` + data + `}`), read}, "", ""},
		{"more members than are documented", []armtest.Exchange{page(`{"new":{"a":[1]},` + data + `}`), read}, "", ""},
		{"a token that is null", []armtest.Exchange{page(`{` + data + `,"$skipToken":null}`), read}, "", ""},
		{"an empty page between others", []armtest.Exchange{
			page(`{"data":[],"$skipToken":"a"}`), page(`{"data":[],"$skipToken":"b"}`), page(`{` + data + `}`), read}, "", ""},
		{"as many rows as a page has, and all", []armtest.Exchange{page(`{"totalRecords":1000,"resultTruncated":"false",` + full + `}`), read}, "", ""},
		{"a query that limits itself", []armtest.Exchange{page(`{"totalRecords":1,"resultTruncated":"true",` + data + `}`), read}, "", "reports more than the 1 resources"},
		{"the same, with a truth value", []armtest.Exchange{page(`{"resultTruncated":true,` + data + `}`), read}, "", "reports more than the 1 resources"},

		{"more than it gives out, without a token", []armtest.Exchange{page(`{"totalRecords":2,` + data + `}`)}, "finds 2 resources, and the answer ends after 1; hint: pages need the column id", ""},
		{"a full page that is truncated, without a token", []armtest.Exchange{page(`{"resultTruncated":"true",` + full + `}`)}, "ends after 1000 resources, and is truncated; hint:", ""},
		{"a count that no number holds", []armtest.Exchange{page(`{"totalRecords":1e999,` + data + `}`), read}, "", ""},
		{"a count beyond all", []armtest.Exchange{page(`{"totalRecords":99999999999999999999,` + data + `}`)}, "and the answer ends after 1", ""},
		{"a circle of one", []armtest.Exchange{page(`{` + data + `,"$skipToken":"a"}`), page(`{` + data + `,"$skipToken":"a"}`)}, "the pages go round in circles", ""},
		{"a circle of two", []armtest.Exchange{
			page(`{` + data + `,"$skipToken":"a"}`), page(`{` + data + `,"$skipToken":"b"}`), page(`{` + data + `,"$skipToken":"a"}`)}, "the pages go round in circles", ""},
		{"a circle of empty pages", []armtest.Exchange{
			page(`{"data":[],"$skipToken":"a"}`), page(`{"data":[],"$skipToken":"b"}`), page(`{"data":[],"$skipToken":"a"}`)}, "the pages go round in circles", ""},
		{"a token that fills the memory", []armtest.Exchange{page(`{` + data + `,"$skipToken":"` + strings.Repeat("a", 65<<10) + `"}`)}, "the token of the next page has 66560 bytes", ""},
		{"an answer that fills the memory", []armtest.Exchange{page(`{"data":[` + strings.Repeat(" ", 9<<20) + `]}`)}, "is larger than 8388608 bytes", ""},
		{"rows as a table", []armtest.Exchange{page(`{"data":{"columns":[{"name":"id"}],"rows":[["` + persons + `/ben"]]}}`)}, "an answer has no rows", ""},
		{"no rows", []armtest.Exchange{page(`{"count":0}`)}, "an answer has no rows", ""},
		{"a row that is none", []armtest.Exchange{page(`{"data":["x"]}`)}, "a row has no id; hint: end the query with | project id", ""},
		{"an identifier that is no text", []armtest.Exchange{page(`{"data":[{"id":{"a":1}}]}`)}, "a row has no id", ""},
		{"an identifier that is none", []armtest.Exchange{page(`{"data":[{"id":"/subscriptions/s/../x"}]}`)}, `a row has the identifier "/subscriptions/s/../x"`, ""},
		{"the tenant", []armtest.Exchange{page(`{"data":[{"id":"/"}]}`)}, `a row has the identifier "/"`, ""},
		{"an identifier that fills the terminal", []armtest.Exchange{page(`{"data":[{"id":"/` + strings.Repeat("a", 1<<20) + `"}]}`)}, strings.Repeat("a", 499) + "...\"", ""},
		{"no JSON", []armtest.Exchange{page(`<html>`)}, "read JSON", ""},
		{"two answers", []armtest.Exchange{page(`{` + data + `}{}`)}, "something follows it", ""},
		{"nesting without end", []armtest.Exchange{page(`{"data":` + strings.Repeat("[", 20_000) + `}`)}, "exceeded max depth", ""},
		{"a query that it refuses", []armtest.Exchange{{Call: graph, Status: 400, Body: `{"error":{"code":"BadRequest","message":"Please provide below info","details":[{"code":"ParserFailure","message":"line 1"}]}}`}},
			"ARM answers 400 BadRequest: Please provide below info; ParserFailure: line 1", ""},
	} {
		t.Run(test.reason, func(t *testing.T) {
			server := armtest.Start(t, test.script...)
			code, out, messages := run(t, server.URL, folder(t), "--subscription", "s", "--query", "resources")
			switch {
			case len(messages) > 10_000:
				t.Errorf("it tells %d bytes", len(messages))
			case test.fails != "" && (code != cli.Failed || out != "" || !strings.Contains(messages, test.fails)):
				t.Errorf("exit code %d, %s%s", code, out, messages)
			case test.fails == "" && (code != cli.Done || strings.Count(out, "azureName: ben") != 1 || !strings.Contains(messages, test.notes)):
				t.Errorf("exit code %d, %s%s", code, out, messages)
			case test.fails == "" && test.notes == "" && strings.Contains(messages, "Resource Graph"):
				t.Errorf("it tells %s", messages)
			}
		})
	}
}

// TestListsThatDoNotEnd covers lists that name pages which were read already.
func TestListsThatDoNotEnd(t *testing.T) {
	for _, rows := range []string{"", row("ben")} {
		first := "GET " + group + "/resources?api-version=2021-04-01"
		exchange := func(call, next string) armtest.Exchange {
			return armtest.Exchange{Call: call, Status: 200, Body: fmt.Sprintf(`{"value":[%s],"nextLink":"{url}/next?%s"}`, rows, next)}
		}
		server := armtest.Start(t, exchange(first, "a"), exchange("GET /next?a", "b"), exchange("GET /next?b", "a"))
		if code, out, messages := run(t, server.URL, folder(t), "--resource-group", group); code != cli.Failed || out != "" || !strings.Contains(messages, "a list: the pages go round in circles") {
			t.Errorf("exit code %d, %s%s", code, out, messages)
		}
	}
}

// TestPagesThatFallShort covers Resource Graph reporting more resources than its pages have. The
// import writes the others, and the exit code reports that it is incomplete.
func TestPagesThatFallShort(t *testing.T) {
	const graph = "POST /providers/Microsoft.ResourceGraph/resources?api-version=2021-03-01"
	page := func(members string) armtest.Exchange {
		return armtest.Exchange{Call: graph, Status: 200, Body: `{` + members + `"data":[` + row("ben") + `]}`}
	}
	for _, test := range []struct {
		reason, last string
		code         int
	}{
		{"it reports as many as it has returned", `"totalRecords":2,`, cli.Done},
		{"it reports more", `"totalRecords":9,`, cli.Incomplete},
		{"it reports that the last page is truncated", `"resultTruncated":"true",`, cli.Incomplete},
	} {
		t.Run(test.reason, func(t *testing.T) {
			server := armtest.Start(t, page(`"$skipToken":"a",`), page(test.last), armtest.Exchange{Call: "GET " + persons + "/ben" + version, Status: 200, Body: ben})
			code, out, messages := run(t, server.URL, folder(t), "--subscription", "s", "--query", "resources")
			isWarned := strings.Contains(messages, "warning: the query: Resource Graph reports more than the 2 resources that it returned\n") &&
				strings.Contains(messages, "warning: the import is incomplete: run it again, or divide the query\n")
			if code != test.code || strings.Count(out, "azureName: ben") != 1 || isWarned != (code == cli.Incomplete) {
				t.Errorf("exit code %d, %s%s", code, out, messages)
			}
		})
	}
}

// TestPageThatIsRefused covers a list of children whose second page is refused. The children are
// not absent, so the import writes nothing.
func TestPageThatIsRefused(t *testing.T) {
	first := "GET " + persons + "/ben/notes" + version
	server := armtest.Start(t,
		armtest.Exchange{Call: "GET " + persons + "/ben" + version, Status: 200, Body: ben},
		armtest.Exchange{Call: first, Status: 200, Body: `{"value":[],"nextLink":"{url}/next"}`},
		armtest.Exchange{Call: "GET /next", Status: 404, Body: `{"error":{"code":"NotFound","message":"the page is gone"}}`})
	code, out, messages := run(t, server.URL, folder(t), persons+"/ben", "--recursive")
	if code != cli.Failed || out != "" || !strings.Contains(messages, "list notes: next page: ") || !strings.Contains(messages, "the page is gone") {
		t.Errorf("exit code %d, %s%s", code, out, messages)
	}
}
