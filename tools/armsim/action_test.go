package armsim_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/armsim"
)

const version = "2020-01-01"

// services writes schemas of a few types, each with any properties and with a schema of its name.
func services(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	const expression = `{"$ref": "https://schema.management.azure.com/schemas/common/definitions.json#/definitions/expression"}`
	for provider, types := range map[string]map[string]string{
		"Microsoft.Storage": {"storageAccounts": `{"type": "string", "minLength": 3, "maxLength": 24, "pattern": "^[a-z0-9]+$"}`},
		"Microsoft.ServiceBus": {
			"namespaces": `{"type": "string"}`, "namespaces_queues": `{"type": "string"}`,
			"namespaces_authorizationRules": `{"type": "string"}`, "namespaces_queues_authorizationRules": `{"pattern": "^[a-z]+/[a-z]+/[a-z]+$"}`,
		},
		"Microsoft.Resources": {"deployments": `{"type": "string"}`},
	} {
		var sections []string
		for name, schema := range types {
			sections = append(sections, fmt.Sprintf(`%q: {"type": "object", "properties": {"name": {"oneOf": [%s, %s]}, "type": {"enum": [%q]},
				"apiVersion": {"enum": [%q]}, "properties": {"type": "object", "additionalProperties": true}}}`,
				name, schema, expression, provider+"/"+strings.ReplaceAll(name, "_", "/"), version))
		}
		text := fmt.Sprintf(`{"id": "https://schema.management.azure.com/schemas/%s/%s.json#", "resourceDefinitions": {%s}}`, version, provider, strings.Join(sections, ","))
		file := filepath.Join(dir, version, provider+".json")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	account = group + "/providers/Microsoft.Storage/storageAccounts/"
	bus     = group + "/providers/Microsoft.ServiceBus/namespaces/bus"
)

func TestConnectionStrings(t *testing.T) {
	s := start(t, armsim.Options{Schemas: []string{services(t)}})
	for _, row := range []struct{ path, before, after string }{
		{account + "acc1", "DefaultEndpointsProtocol=https;AccountName=acc1;AccountKey=", ";EndpointSuffix=core.windows.net"},
		{bus, "Endpoint=https://bus.simulated.invalid/;AccessKey=", ""},
		{bus + "/authorizationRules/send", "Endpoint=sb://bus.servicebus.windows.net/;SharedAccessKeyName=send;SharedAccessKey=", ""},
		{bus + "/queues/one", "Endpoint=https://one.simulated.invalid/;AccessKey=", ""},
		{bus + "/queues/one/authorizationRules/read", "Endpoint=sb://bus.servicebus.windows.net/;SharedAccessKeyName=read;SharedAccessKey=", ";EntityPath=one"},
	} {
		s.want(201, "", "PUT", row.path, version, `{"properties":{}}`)
		got := s.want(200, "", "POST", row.path+"/listKeys", version, "")
		if want := row.before + got.in("primaryKey") + row.after; got.in("primaryConnectionString") != want {
			t.Errorf("%s: %s, want %s", row.path, got.text, want)
		}
		if got.in("primaryConnectionString") == got.in("secondaryConnectionString") {
			t.Errorf("%s: both are %s", row.path, got.in("primaryConnectionString"))
		}
		list := s.want(200, "", "POST", row.path+"/listConnectionStrings", version, "")
		if !strings.Contains(list.text, `"connectionString":"`+row.before) {
			t.Errorf("%s: %s", row.path, list.text)
		}
	}
}

func TestNamesFitTheirSchemas(t *testing.T) {
	s := start(t, armsim.Options{Schemas: []string{services(t)}})
	s.want(201, "", "PUT", account+"acc1", version, `{"properties":{}}`)
	for _, name := range []string{"Acc", "ac", "acc-1", strings.Repeat("a", 25)} {
		got := s.want(400, "InvalidResourceName", "PUT", account+name, version, `{"properties":{}}`)
		if got.in("error", "target") != "name" {
			t.Errorf("%s: %s", name, got.text)
		}
	}
	s.want(201, "", "PUT", bus, version, `{}`)
	s.want(201, "", "PUT", bus+"/queues/one", version, `{}`)
	s.want(201, "", "PUT", bus+"/queues/one/authorizationRules/read", version, `{}`)
	s.want(400, "InvalidResourceName", "PUT", bus+"/queues/one/authorizationRules/Write", version, `{}`)
	if stats := s.stats(); stats.Refused != 5 {
		t.Errorf("%d were refused", stats.Refused)
	}
}

func TestActionsThatTakeLong(t *testing.T) {
	for _, row := range []struct {
		style          armsim.Style
		action, result string // the action, and a member of its result
	}{
		{armsim.AsyncOperation, "listKeys", "primaryKey"},
		{armsim.Location, "listKeys", "primaryKey"},
		{armsim.Both, "listKeys", "primaryKey"},
		{armsim.Both, "listConnectionStrings", "connectionStrings"},
	} {
		style := row.style
		t.Run(string(style)+" "+row.action, func(t *testing.T) {
			var c clock
			rules := []armsim.OperationRule{{Type: "*/" + row.action, Methods: []string{"POST"}, Duration: armsim.Duration(moment), Style: style}}
			s := start(t, armsim.Options{Schemas: []string{services(t)}, Operations: rules, Now: c.now})
			s.want(201, "", "PUT", account+"acc1", version, `{"properties":{}}`)
			begun := s.want(202, "", "POST", account+"acc1/"+row.action, version, "")
			status, result := begun.header.Get("Azure-Asyncoperation"), begun.header.Get("Location")
			if (status != "") != (style != armsim.Location) || (result != "") != (style != armsim.AsyncOperation) {
				t.Fatalf("%v", begun.header)
			}
			s.want(200, "", "PUT", account+"acc1", version, `{"properties":{"a":1}}`) // an action does not stop writes
			if result != "" {
				s.want(202, "", "GET", result, "", "")
			}
			if status != "" {
				if got := s.want(200, "", "GET", status, "", ""); got.in("status") != "InProgress" || strings.Contains(got.text, row.result) {
					t.Errorf("while it goes on: %s", got.text)
				}
			}
			c.pass(moment)
			if status != "" {
				if got := s.want(200, "", "GET", status, "", ""); got.in("status") != "Succeeded" || !strings.Contains(got.text, `"properties":{`) || !strings.Contains(got.text, row.result) {
					t.Errorf("at the end: %s", got.text)
				}
			}
			if result != "" {
				if got := s.want(200, "", "GET", result, "", ""); !strings.Contains(got.text, `"`+row.result) {
					t.Errorf("the result: %s", got.text)
				}
			}
			if got := s.want(200, "", "GET", account+"acc1", version, ""); got.in("properties", "provisioningState") != "Succeeded" {
				t.Errorf("the resource: %s", got.text)
			}
		})
	}
	if _, err := armsim.Open(armsim.Options{
		Schemas: []string{services(t)}, Operations: []armsim.OperationRule{{Methods: []string{"POST"}, Duration: 1, Style: armsim.StateOnly}},
	}); err == nil || !strings.Contains(err.Error(), "asyncOperation, location or both") {
		t.Errorf("an action whose result nothing names: %v", err)
	}
}

func TestDeploymentsAreCancelled(t *testing.T) {
	var c clock
	rules := []armsim.OperationRule{{Duration: armsim.Duration(moment), Style: armsim.AsyncOperation}}
	s := start(t, armsim.Options{Schemas: []string{services(t)}, Operations: rules, Now: c.now})
	const deployment = group + "/providers/Microsoft.Resources/deployments/d"
	s.want(404, "ResourceNotFound", "POST", deployment+"/cancel", version, "")
	made := s.want(201, "", "PUT", deployment, version, `{"properties":{}}`)
	s.want(204, "", "POST", deployment+"/cancel", version, "")
	if got := s.want(200, "", "GET", made.header.Get("Azure-Asyncoperation"), "", ""); got.in("status") != "Canceled" {
		t.Errorf("the operation: %s", got.text)
	}
	if got := s.want(200, "", "GET", deployment, version, ""); got.in("properties", "provisioningState") != "Canceled" {
		t.Errorf("the deployment: %s", got.text)
	}
	s.want(409, "DeploymentCannotBeCancelled", "POST", deployment+"/cancel", version, "")
	s.want(202, "", "DELETE", deployment, version, "")
	s.want(409, "DeploymentCannotBeCancelled", "POST", deployment+"/cancel", version, "")
	c.pass(moment)
	s.want(404, "ResourceNotFound", "GET", deployment, version, "")
	s.want(201, "", "PUT", bus, version, `{}`)
	s.want(404, "InvalidAction", "POST", bus+"/cancel", version, "")
}
