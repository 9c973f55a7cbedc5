package armsim_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stratakube/strata/tools/armsim"
)

// TestRealTypes puts bodies into real types in all of their versions. Each is read again, in that
// version, in the first and in the last.
func TestRealTypes(t *testing.T) {
	dir := os.Getenv("STRATA_CORPORA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "corpora")
	}
	dir = filepath.Join(dir, "arm")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("needs corpora: there are no real schemas: set STRATA_CORPORA to their folder")
	}
	s := start(t, armsim.Options{Schemas: []string{dir}})
	early := map[string]string{ // bodies that these versions had otherwise
		"Microsoft.Storage/storageAccounts 2015-05-01-preview":              `{"location":"here","properties":{"accountType":"Standard_LRS"}}`,
		"Microsoft.Storage/storageAccounts 2015-06-15":                      `{"location":"here","properties":{"accountType":"Standard_LRS"}}`,
		"Microsoft.Kusto/clusters 2018-09-07-preview":                       `{"location":"here","sku":{"name":"D14_v2","tier":"Standard"},"properties":{}}`,
		"Microsoft.AppConfiguration/configurationStores 2019-02-01-preview": `{"location":"here","properties":{}}`,
	}
	versions := 0
	for typ, body := range map[string]string{
		"Microsoft.Batch/batchAccounts":                  `{"location":"here","properties":{"autoStorage":{"storageAccountId":"/a"}}}`,
		"Microsoft.KeyVault/vaults":                      `{"location":"here","properties":{"tenantId":"12345678-1234-1234-1234-123456789012","sku":{"family":"A","name":"standard"},"accessPolicies":[]}}`,
		"Microsoft.Kusto/clusters":                       `{"location":"here","sku":{"name":"Standard_D14_v2","tier":"Standard"},"properties":{}}`,
		"Microsoft.Search/searchServices":                `{"location":"here","properties":{"replicaCount":1,"partitionCount":1}}`,
		"Microsoft.Storage/storageAccounts":              `{"location":"here","sku":{"name":"Standard_LRS"},"kind":"Storage","properties":{}}`,
		"Microsoft.AppConfiguration/configurationStores": `{"location":"here","sku":{"name":"free"},"properties":{}}`,
		"Microsoft.DataFactory/factories":                `{"location":"here","properties":{}}`,
	} {
		at := group + "/providers/" + typ + "/x"
		refused := s.want(400, "NoRegisteredProviderFound", "GET", at, "2000-01-01", "")
		known := regexp.MustCompile(`\d{4}-\d\d-\d\d(-[a-z]+)?`).FindAllString(refused.in("error", "message"), -1)[1:]
		for _, version := range known {
			body := body
			if first := early[typ+" "+version]; first != "" {
				body = first
			}
			own := at + strings.ReplaceAll(version, "-", "")
			own = own[:min(len(own), len(at)+20)]
			got := s.do("PUT", own, version, body)
			if got.status != 201 {
				t.Errorf("%s %s: %d %s", typ, version, got.status, got.text)
				continue
			}
			versions++
			s.want(400, "InvalidRequestContent", "PUT", at, version, strings.Replace(body, `{`, `{"strangeMember":1,`, 1))
			for _, other := range []string{version, known[0], known[len(known)-1]} {
				if read := s.want(200, "", "GET", own, other, ""); read.in("location") != "here" {
					t.Errorf("%s: put in %s, read in %s: %s", typ, version, other, read.text)
				}
			}
		}
	}
	t.Logf("%d versions", versions)
	if versions < 100 {
		t.Errorf("only %d versions were tried", versions)
	}
}
