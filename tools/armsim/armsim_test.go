package armsim_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stratakube/strata/tools/armsim"
)

// TestEachVersionHasItsOwnSchema puts, in each version of the worked example, a body of that
// version and one with something of another.
func TestEachVersionHasItsOwnSchema(t *testing.T) {
	s := start(t, armsim.Options{})
	const names, modern = `"firstName":"Ann","lastName":"Lee"`, `"legalName":"Ann Lee","familyName":"Lee"`
	for _, row := range []struct{ version, good, wrong, path, reason string }{
		{"2011-01-01", names, names + `,"middleName":"B"`, "properties.middleName", "it comes in 2013"},
		{"2012-02-02", names, modern, "properties.familyName", "it comes in 2014"},
		{"2013-03-03", names + `,"residentialAddress":{"label":"x"}`, `"residentialAddress":{"city":"x"}`, "properties.residentialAddress.city", "the address is a label"},
		{"2014-04-04-preview", `"fullName":"Ann Lee"`, `"legalName":"Ann Lee"`, "properties.legalName", "a preview's own name"},
		{"2014-04-04", modern + `,"alphaKey":"L"`, `"legalName":"Ann Lee"`, "properties.familyName", "it is required"},
		{"2015-05-05", modern + `,"sortKey":"L"`, modern + `,"alphaKey":"L"`, "properties.alphaKey", "it was renamed"},
		{"2016-06-06", modern + `,"mailingAddress":{"street":"x"}`, modern, "properties.mailingAddress", "it is required"},
		{"2017-07-07", modern, modern + `,"mailingAddress":{"postCode":"x"}`, "properties.mailingAddress.postCode", "it comes in 2018"},
		{"2018-08-08", modern + `,"mailingAddress":{"postCode":"x"}`, modern + `,"mailingAddress":{"street":"x"}`, "properties.mailingAddress.street", "it has gone"},
		{"2019-09-09", modern + `,"mailingAddress":{"latitude":1.5}`, modern + `,"mailingAddress":{"latitude":91}`, "properties.mailingAddress.latitude", "it is out of bounds"},
	} {
		at := ann + row.version
		s.want(201, "", "PUT", at, row.version, `{"properties":{`+row.good+`}}`)
		got := s.want(400, "InvalidRequestContent", "PUT", at, row.version, `{"properties":{`+row.wrong+`}}`)
		if got.in("error", "target") != row.path || !strings.Contains(got.in("error", "message"), "Path '"+row.path+"'") {
			t.Errorf("%s (%s): %s", row.version, row.reason, got.text)
		}
	}
	if stats := s.stats(); stats.Refused != 10 || stats.Creates != 10 {
		t.Errorf("refused %d, created %d", stats.Refused, stats.Creates)
	}
}

func TestUnionsAndShapes(t *testing.T) {
	s := start(t, armsim.Options{})
	for _, row := range []struct{ body, path, reason string }{
		{`"displayName":"x","details":{"kind":"Company","registrationNumber":"1"}`, "", "a branch, whose base knows the kind alone"},
		{`"displayName":"x","details":{"kind":"Company"}`, "properties.details.registrationNumber", "the branch requires it"},
		{`"displayName":"x","details":{"kind":"Club"}`, "properties.details.kind", "no such branch"},
		{`"displayName":"x","details":{"kind":"Company","registrationNumber":"1","strange":1}`, "properties.details.strange", "unknown in the branch"},
		{`"displayName":"x","stage":"[parameters('stage')]"`, "properties.stage", "what a template evaluates is a text here, and none of the enum"},
		{`"displayName":"x","creditLimit":-1`, "properties.creditLimit", "below the minimum"},
		{`"displayName":"x","creditLimit":12345678901234567890.5`, "", "a number beyond all integers"},
		{`"displayName":"x","extensions":{"any":[1,{"thing":null}]}`, "", "free JSON"},
		{`"displayName":"x","attributes":{"a":"b","c":1}`, "properties.attributes.c", "a map of strings"},
		{`"displayName":"x","members":[{"strange":1}]`, "properties.members[0].strange", "within a list"},
		{`"displayName":null`, "properties.displayName", "null is no string"},
	} {
		got := s.do("PUT", group+"/providers/microsoft.crm/Parties/p", v2019, `{"properties":{`+row.body+`}}`)
		if row.path == "" && got.status >= 400 || row.path != "" && (got.status != 400 || !strings.Contains(got.text, `"target":"`+row.path+`"`)) {
			t.Errorf("%s (%s): %d %s", row.body, row.reason, got.status, got.text)
		}
	}
	s.want(400, "InvalidRequestContent", "PUT", ann, v2019, `{"properties":{},`)
	s.want(400, "InvalidRequestContent", "PUT", ann, v2019, `[]`)
	got := s.want(400, "InvalidRequestContent", "PUT", ann, v2019, `{"properties":{"legalName":1,"familyName":2},"strange":3}`)
	if details, _ := got.body["error"].(map[string]any)["details"].([]any); len(details) != 3 {
		t.Errorf("not all is told at once: %s", got.text)
	}
}

func TestLifeOfResource(t *testing.T) {
	s := start(t, armsim.Options{})
	s.want(404, "ResourceNotFound", "GET", ann, v2019, "")
	s.want(404, "", "HEAD", ann, v2019, "")
	first := s.want(201, "", "PUT", ann, v2015, `{"properties":{"legalName":"Ann Lee","familyName":"Lee","sortKey":"L"}}`)
	if first.in("id") != ann || first.in("name") != "ann" || first.in("type") != "Microsoft.Crm/persons" ||
		first.in("properties", "provisioningState") != "Succeeded" || first.header.Get("Etag") != first.in("etag") {
		t.Errorf("created: %s %v", first.text, first.header)
	}
	again := s.want(200, "", "PUT", strings.ToUpper(ann), v2015, first.text)
	if again.text != first.text {
		t.Errorf("what was read is PUT, in another letter case:\n%s\n%s", first.text, again.text)
	}
	changed := s.want(200, "", "PUT", ann, v2019, `{"properties":{"legalName":"Ann Day","familyName":"Day","residentialAddress":{"city":"X"}},"tags":{"a":"b"}}`)
	if changed.in("etag") == first.in("etag") {
		t.Error("a change keeps the etag")
	}
	if old := s.want(200, "", "GET", ann, v2015, ""); old.in("properties") != `{"familyName":"Day","legalName":"Ann Day","provisioningState":"Succeeded"}` || old.in("tags") != `{"a":"b"}` {
		t.Errorf("in an older version: %s", old.text)
	}
	s.want(200, "", "PATCH", ann, v2015, `{"tags":{"a":null,"c":"d"}}`)
	patched := s.want(200, "", "GET", ann, v2019, "")
	if patched.in("tags") != `{"c":"d"}` || patched.in("properties", "residentialAddress") != `{"city":"X"}` {
		t.Errorf("patched through an older version: %s", patched.text)
	}
	s.want(400, "InvalidRequestContent", "PATCH", ann, v2015, `{"tags":{"a":1}}`)
	s.want(204, "", "HEAD", ann, v2019, "")
	s.want(200, "", "DELETE", ann, v2019, "")
	s.want(204, "", "DELETE", ann, v2019, "")
	s.want(404, "ResourceNotFound", "GET", ann, v2019, "")
	s.want(201, "", "PUT", ann, v2019, person)
	want := armsim.Totals{Puts: 5, Creates: 2, Updates: 2, Unchanged: 1, Deletes: 1, Duplicates: 1}
	got := s.stats().Totals
	if want.Sequence = got.Sequence; got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestUnknownTypesAndVersions(t *testing.T) {
	s := start(t, armsim.Options{})
	s.want(404, "InvalidResourceType", "PUT", group+"/providers/Microsoft.Crm/strange/x", v2019, person)
	s.want(404, "InvalidResourceType", "GET", group+"/providers/Strange.Crm/persons/x", v2019, "")
	got := s.want(400, "NoRegisteredProviderFound", "PUT", ann, "2010-01-01", person)
	if !strings.Contains(got.text, "2011-01-01, 2012-02-02, 2013-03-03, 2014-04-04, 2014-04-04-preview") {
		t.Errorf("the known versions are not told: %s", got.text)
	}
	s.want(400, "NoRegisteredProviderFound", "PUT", ann+"/notes/n", v2019, `{"properties":{"text":"x"}}`)
	s.want(400, "MissingApiVersionParameter", "GET", ann, "", "")
	s.want(400, "InvalidResourceId", "GET", "/subscriptions/S/strange/x", v2019, "")
	s.want(405, "MethodNotAllowed", "POST", ann, v2019, "")
	s.want(404, "InvalidAction", "POST", ann+"/explode", v2019, "")
	s.want(413, "RequestContentTooLarge", "PUT", ann, v2019, strings.Repeat(" ", 5<<20))
	s.want(400, "InvalidRequestContent", "PUT", ann, v2019, `{"name":"bob","properties":{"legalName":"A","familyName":"B"}}`)
}

func TestParents(t *testing.T) {
	s := start(t, armsim.Options{})
	note := `{"properties":{"text":"x"}}`
	s.want(404, "ParentResourceNotFound", "PUT", ann+"/notes/one", v2015, note)
	s.want(201, "", "PUT", ann, v2015, person)
	s.want(201, "", "PUT", ann+"/notes/one", v2015, note)
	s.want(201, "", "PUT", ann+"/notes/two", v2015, note)
	if got := s.want(200, "", "GET", ann+"/notes", v2015, ""); len(got.body["value"].([]any)) != 2 {
		t.Errorf("children: %s", got.text)
	}
	s.want(200, "", "DELETE", ann, v2015, "")
	s.want(404, "ParentResourceNotFound", "GET", ann+"/notes/one", v2015, "")
	s.want(201, "", "PUT", ann, v2015, person)
	s.want(404, "ResourceNotFound", "GET", ann+"/notes/one", v2015, "")
	s.want(200, "", "DELETE", group, v2015, "")
	s.want(404, "ResourceGroupNotFound", "PUT", ann, v2015, person)
	s.want(201, "", "PUT", group, v2015, `{"location":"here"}`)
	s.want(404, "ResourceNotFound", "GET", ann, v2015, "")
	s.want(201, "", "PUT", ann, v2015, person)
}

func TestStrict(t *testing.T) {
	s := start(t, armsim.Options{Strict: true})
	s.want(404, "SubscriptionNotFound", "PUT", ann, v2019, person)
	s.want(404, "SubscriptionNotFound", "PUT", group, v2019, `{"location":"here"}`)
	s.want(201, "", "PUT", "/subscriptions/S", v2019, `{}`)
	s.want(404, "ResourceGroupNotFound", "PUT", ann, v2019, person)
	s.want(404, "ResourceGroupNotFound", "GET", group, v2019, "")
	s.want(400, "LocationRequired", "PUT", group, v2019, `{}`)
	s.want(400, "InvalidRequestContent", "PUT", group, v2019, `{"location":"here","strange":1}`)
	s.want(201, "", "PUT", group, v2019, `{"location":"here"}`)
	s.want(412, "PreconditionFailed", "PUT", group, v2019, `{"location":"there"}`, "If-None-Match: *")
	s.want(200, "", "PUT", group, v2019, `{"location":"here","tags":{"a":"b"}}`)
	s.want(201, "", "PUT", ann, v2019, person)
	if got := s.want(200, "", "GET", "/subscriptions/S/resourcegroups", v2019, ""); !strings.Contains(got.text, `"tags":{"a":"b"}`) {
		t.Errorf("groups: %s", got.text)
	}
	if got := s.want(200, "", "GET", group+"/resources", v2019, ""); !strings.Contains(got.text, `"id":"`+ann+`"`) {
		t.Errorf("contents: %s", got.text)
	}
	s.want(200, "", "DELETE", "/subscriptions/S", v2019, "")
	if stats := s.stats(); stats.Resources != 0 {
		t.Errorf("%d resources are left", stats.Resources)
	}
}

func TestPreconditions(t *testing.T) {
	s := start(t, armsim.Options{})
	s.want(412, "PreconditionFailed", "PUT", ann, v2019, person, "If-Match: *")
	created := s.want(201, "", "PUT", ann, v2019, person, "If-None-Match: *")
	s.want(412, "PreconditionFailed", "PUT", ann, v2019, person, "If-None-Match: *")
	other := strings.Replace(person, "Ann", "Bea", 1)
	s.want(412, "PreconditionFailed", "PUT", ann, v2019, other, `If-Match: "no"`)
	s.want(304, "", "GET", ann, v2019, "", "If-None-Match: "+created.in("etag"))
	s.want(200, "", "PUT", ann, v2019, other, "If-Match: "+created.in("etag"))
	s.want(412, "PreconditionFailed", "DELETE", ann, v2019, "", "If-Match: "+created.in("etag"))
	s.want(200, "", "DELETE", ann, v2019, "", "If-Match: *")
}

func TestListsAndPages(t *testing.T) {
	s := start(t, armsim.Options{PageSize: 3})
	for i := range 7 {
		at := fmt.Sprintf("/subscriptions/S/resourceGroups/G%d/providers/Microsoft.Crm/persons/p%d", i%2, i)
		s.want(201, "", "PUT", at, v2019, person)
	}
	names, next := []string{}, "/subscriptions/S/providers/Microsoft.Crm/persons"
	for pages := 0; next != ""; pages++ {
		if pages > 3 {
			t.Fatal("the pages do not end")
		}
		got := s.want(200, "", "GET", next, v2019, "")
		for _, v := range got.body["value"].([]any) {
			names = append(names, v.(map[string]any)["name"].(string))
		}
		next = got.in("nextLink")
	}
	if fmt.Sprint(names) != "[p0 p2 p4 p6 p1 p3 p5]" {
		t.Errorf("all of the subscription: %v", names)
	}
	if got := s.want(200, "", "GET", "/subscriptions/S/resourceGroups/G1/providers/Microsoft.Crm/persons", v2019, ""); len(got.body["value"].([]any)) != 3 {
		t.Errorf("those of a group: %s", got.text)
	}
}

func TestKeys(t *testing.T) {
	s := start(t, armsim.Options{Seed: 1})
	s.want(404, "ResourceNotFound", "POST", ann+"/listKeys", v2019, "")
	s.want(201, "", "PUT", ann, v2019, person)
	first := s.want(200, "", "POST", ann+"/listKeys", v2019, "")
	if again := s.want(200, "", "POST", ann+"/listkeys", v2019, ""); again.text != first.text || len(first.in("primaryMasterKey")) < 40 {
		t.Errorf("%s\n%s", first.text, again.text)
	}
	s.want(201, "", "PUT", ann+"2", v2019, person)
	if other := s.want(200, "", "POST", ann+"2/listKeys", v2019, ""); other.in("primaryKey") == first.in("primaryKey") {
		t.Error("two resources share keys")
	}
}

// TestVersionOfLastWrite writes the same in two versions. The stored version is that of the last
// write, also if that changes nothing.
func TestVersionOfLastWrite(t *testing.T) {
	s := start(t, armsim.Options{})
	for _, version := range []string{v2015, v2019, v2015} {
		s.do("PUT", ann, version, person)
		if all, err := s.sim.Resources(); err != nil || len(all) != 1 || all[0].APIVersion != version {
			t.Errorf("after a write in %s: %+v (%v)", version, all, err)
		}
	}
}

func TestAuthorization(t *testing.T) {
	s := start(t, armsim.Options{Token: "s3cret-token"})
	s.want(201, "", "PUT", ann, v2019, person)
	if got := s.want(401, "AuthenticationFailed", "GET", ann, v2019, "", "Authorization: "); got.header.Get("Www-Authenticate") == "" {
		t.Error("it is not told how to authenticate")
	}
	s.want(401, "AuthenticationFailed", "GET", ann, v2019, "", "Authorization: Bearer other")
	s.want(401, "AuthenticationFailed", "GET", ann, v2019, "", "Authorization: Basic s3cret-token")
	calls, _ := json.Marshal(s.sim.Calls())
	if strings.Contains(string(calls), "s3cret") || strings.Contains(string(calls), "Bearer other") {
		t.Errorf("tokens are logged: %s", calls)
	}
	start(t, armsim.Options{Anonymous: true}).want(404, "ResourceNotFound", "GET", ann, v2019, "", "Authorization: ")
}

func TestThrottling(t *testing.T) {
	var c clock
	s := start(t, armsim.Options{Reads: armsim.Rate{PerSecond: 2, Burst: 2}, Now: c.now})
	s.want(201, "", "PUT", ann, v2019, person)
	if got := s.want(200, "", "GET", ann, v2019, ""); got.header.Get("X-Ms-Ratelimit-Remaining-Subscription-Reads") != "1" {
		t.Errorf("%v", got.header)
	}
	s.want(200, "", "GET", ann, v2019, "")
	got := s.want(429, "TooManyRequests", "GET", ann, v2019, "")
	if got.header.Get("Retry-After") != "1" || got.header.Get("X-Ms-Ratelimit-Remaining-Subscription-Reads") != "0" {
		t.Errorf("%v", got.header)
	}
	s.want(404, "ResourceNotFound", "GET", strings.Replace(ann, "/S/", "/T/", 1), v2019, "")
	c.pass(500 * time.Millisecond)
	s.want(200, "", "GET", ann, v2019, "")
	s.want(429, "TooManyRequests", "GET", ann, v2019, "")
}

func TestCallsAreRemembered(t *testing.T) {
	file := filepath.Join(t.TempDir(), "calls")
	s := start(t, armsim.Options{Calls: 3, CallLog: file})
	s.want(400, "InvalidRequestContent", "PUT", ann, v2019, `{"strange":1}`, "If-None-Match: *", "X-Ms-Client-Request-Id: c1", "X-Ms-Return-Client-Request-Id: true")
	s.want(201, "", "PUT", ann, v2019, person)
	got := s.want(200, "", "GET", "/_sim/calls", "", "").body["calls"].([]any)
	refused, made := got[0].(map[string]any), got[1].(map[string]any)
	if refused["refused"] != true || refused["committed"] != nil || fmt.Sprint(refused["headers"]) != "map[If-None-Match:* X-Ms-Client-Request-Id:c1]" ||
		!strings.Contains(refused["response"].(string), "Path 'properties'") || refused["status"] != 400.0 {
		t.Errorf("refused: %v", refused)
	}
	if made["committed"] != true || made["path"] != ann || made["apiVersion"] != v2019 || made["body"].(map[string]any)["location"] != "here" {
		t.Errorf("made: %v", made)
	}
	for range 5 {
		s.want(200, "", "GET", ann, v2019, "")
	}
	if calls := s.sim.Calls(); len(calls) != 3 || calls[0].Sequence != 5 {
		t.Errorf("remembered: %v", calls)
	}
	if got := s.want(200, "", "GET", s.url+"/_sim/calls?after=6&limit=5", "", ""); len(got.body["calls"].([]any)) != 1 {
		t.Errorf("the last: %s", got.text)
	}
	s.want(204, "", "DELETE", "/_sim/calls", "", "")
	if calls := s.sim.Calls(); len(calls) != 0 {
		t.Errorf("forgotten: %v", calls)
	}
	data, err := os.ReadFile(file)
	if err != nil || strings.Count(string(data), "\n") != 7 || !json.Valid([]byte(strings.SplitN(string(data), "\n", 2)[0])) {
		t.Errorf("the file: %v\n%s", err, data)
	}
	s.want(404, "NotFound", "GET", "/_sim/strange", "", "")
	if got := s.want(200, "", "GET", "/_sim/stats", "", ""); got.in("creates") != "1" || got.in("statuses") != `{"200":5,"201":1,"400":1}` {
		t.Errorf("stats: %s", got.text)
	}
	if got := s.want(200, "", "GET", "/_sim/resources", "", ""); !strings.Contains(got.text, `"id":"`+ann+`"`) {
		t.Errorf("resources: %s", got.text)
	}
}

func TestStateComesBack(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	o := armsim.Options{Schemas: []string{crm}, State: state, Operations: []armsim.OperationRule{
		{Type: "*/notes", Duration: armsim.Duration(300 * time.Millisecond), Style: armsim.AsyncOperation},
	}}
	var before, polled, etag string
	t.Run("before", func(t *testing.T) {
		s := start(t, o)
		s.want(201, "", "PUT", ann, v2015, person)
		s.want(200, "", "DELETE", "/subscriptions/S/resourceGroups/Gone", v2015, "")
		note := s.want(201, "", "PUT", ann+"/notes/n", v2015, `{"properties":{"text":"x"}}`)
		polled = strings.TrimPrefix(note.header.Get("Azure-Asyncoperation"), s.url)
		got := s.want(200, "", "GET", ann, v2015, "")
		before, etag = got.text, got.in("etag")
		if _, err := armsim.Open(o); err == nil || !strings.Contains(err.Error(), state+": another process has it") {
			t.Errorf("the state is opened twice: %v", err)
		}
	})
	s := start(t, o)
	if got := s.want(200, "", "GET", ann, v2015, ""); got.text != before {
		t.Errorf("before %s\nafter %s", before, got.text)
	}
	s.want(404, "ResourceGroupNotFound", "PUT", strings.Replace(ann, "/G/", "/Gone/", 1), v2015, person)
	s.eventually("the operation ends", func() bool { return s.do("GET", s.url+polled, "", "").in("status") == "Succeeded" })
	if got := s.want(200, "", "GET", ann+"/notes/n", v2015, ""); got.in("properties", "provisioningState") != "Succeeded" {
		t.Errorf("%s", got.text)
	}
	if changed := s.want(200, "", "PUT", ann, v2015, strings.Replace(person, "Ann", "Bea", 1)); changed.in("etag") == etag {
		t.Error("an etag is given twice")
	}
	if got := s.stats(); got.Creates != 2 || got.Deletes != 1 || got.Updates != 1 {
		t.Errorf("%+v", got.Totals)
	}
}

func TestWrongOptions(t *testing.T) {
	_, err := armsim.Open(armsim.Options{Schemas: []string{crm}, Operations: []armsim.OperationRule{
		{Style: "strange", Fraction: 2, Methods: []string{"GET"}, Duration: -1},
	}})
	for _, want := range []string{"style", "fraction", "methods", "duration"} {
		if err == nil || !strings.Contains(err.Error(), "operations[0]: "+want) {
			t.Errorf("%s is not told: %v", want, err)
		}
	}
	if _, err := armsim.Open(armsim.Options{Schemas: []string{filepath.Join(t.TempDir(), "none")}}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	if _, err := armsim.Open(armsim.Options{Schemas: []string{t.TempDir()}}); err == nil {
		t.Error("an empty folder is taken")
	}
}

// TestConcurrentClients has many clients write, read and delete the same few resources, with
// operations and faults. Every one that is acknowledged is there, and the state adds up.
func TestConcurrentClients(t *testing.T) {
	s := start(t, armsim.Options{
		State:      filepath.Join(t.TempDir(), "state"),
		Operations: []armsim.OperationRule{{Fraction: 0.3, Duration: armsim.Duration(2 * time.Millisecond), Style: armsim.Both}},
		Faults: armsim.Faults{Seed: 1, Rules: []armsim.Fault{
			{Mode: armsim.ServerError, Probability: 0.05}, {Mode: armsim.TimeoutAfterCommit, Probability: 0.05, Methods: []string{"PUT"}},
			{Mode: armsim.LoseOperation, Probability: 0.1},
		}},
	})
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 60 {
				at := fmt.Sprintf("%s%d", ann, i%5)
				body := fmt.Sprintf(`{"properties":{"legalName":"%d","familyName":"%d"}}`, worker, i)
				method := [...]string{"PUT", "GET", "PUT", "DELETE"}[(i+worker)%4]
				got, err := s.try(method, at, v2019, body)
				if err == nil && (got.status >= 500 && got.code() != "InternalServerError" || got.status == 400) {
					t.Errorf("%s: %d %s", method, got.status, got.text)
				}
				_, _ = s.sim.Resources()
				_, _ = s.sim.Stats()
			}
		})
	}
	wg.Wait()
	s.eventually("all operations end", func() bool { return s.stats().Running == 0 })
	stats := s.stats()
	if stats.Puts != stats.Creates+stats.Updates+stats.Unchanged || stats.Creates-stats.Deletes != stats.Resources || stats.Creates == 0 {
		t.Errorf("%+v", stats)
	}
	committed := 0
	for _, c := range s.sim.Calls() {
		if c.Committed && c.Method == http.MethodPut {
			committed++
		}
	}
	if committed != stats.Puts {
		t.Errorf("%d PUTs are logged as committed, %d are counted", committed, stats.Puts)
	}
}

// TestRestore stores resources under other names. Clients find them with the etags and the times of
// the first ones, and no call has made them.
func TestRestore(t *testing.T) {
	s := start(t, armsim.Options{})
	made := s.want(201, "", "PUT", ann, v2019, person)
	all, err := s.sim.Resources()
	if err != nil || len(all) != 1 {
		t.Fatalf("%d resources, %v", len(all), err)
	}
	beth := all[0]
	beth.ID = strings.TrimSuffix(ann, "ann") + "beth"
	if err := s.sim.Restore(beth); err != nil {
		t.Fatal(err)
	}
	got := s.want(200, "", "GET", beth.ID, v2015, "")
	if got.in("name") != "beth" || got.in("properties", "familyName") != "Lee" {
		t.Errorf("the resource is %s", got.text)
	}
	for _, path := range [][]string{{"etag"}, {"systemData", "createdAt"}} {
		if got.in(path...) != made.in(path...) {
			t.Errorf("%v is %s, want %s", path, got.in(path...), made.in(path...))
		}
	}
	if stats := s.stats(); stats.Puts != 1 || stats.Creates != 1 || stats.Resources != 2 {
		t.Errorf("counted: %+v", stats)
	}
	s.want(200, "", "DELETE", beth.ID, v2019, "")
	s.want(201, "", "PUT", beth.ID, v2019, person)
	if stats := s.stats(); stats.Duplicates != 1 {
		t.Errorf("the create after a restored one is no duplicate: %+v", stats)
	}

	busy := beth
	busy.Operation = "1"
	for _, wrong := range []armsim.Resource{busy, {ID: group}, {ID: "/no/such//id"}} {
		carl := beth
		carl.ID = strings.TrimSuffix(ann, "ann") + "carl"
		if err := s.sim.Restore(carl, wrong); err == nil {
			t.Errorf("%s is restored", wrong.ID)
		}
		s.want(404, "ResourceNotFound", "GET", carl.ID, v2019, "")
	}
}
