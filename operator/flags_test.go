package operator

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFlags(t *testing.T) {
	for _, test := range []struct {
		reason string
		args   []string
		wrong  []string
	}{
		{"plugins are enough", []string{"--plugins=p"}, nil},
		{"and without them there is nothing to do", nil, []string{"no plugins"}},
		{"what is wrong is told at once", []string{"--plugins=p", "--tolerance=0s", "--log-format=xml", "--log-level=loud", "x"},
			[]string{`unexpected argument "x"`, "--tolerance", "--log-format", "--log-level"}},
		{"what a plugin gets stands in the lock", []string{"--plugins=p", "--plugin-environment=AZURE_*"}, []string{"--plugin-environment is for --unlocked"}},
		{"a lease must outlive its renewal", []string{"--plugins=p", "--leader-election-lease=5s"}, []string{"--leader-election-lease"}},
		{"a concurrency is a number of a kind", []string{"--plugins=p", "--concurrency-for=Person"}, []string{"group/Kind=N"}},
		{"certificates are for conversions", []string{"--plugins=p", "--cert-file=c"}, []string{"are for --serve-conversions"}},
		{"and conversions need them", []string{"--plugins=p", "--serve-conversions"}, []string{"needs --cert-file"}},
		{"a selector of nothing selects nothing", []string{"--plugins=p", "--kinds=a,,b"}, []string{"nothing in it"}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			err := newFlags("x/strata-operator").parse(test.args)
			if (err != nil) != (len(test.wrong) > 0) {
				t.Fatalf("the error is %v", err)
			}
			for _, want := range test.wrong {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error is %v, and lacks %q", err, want)
				}
			}
		})
	}
}

func TestFlagsBecomeOptions(t *testing.T) {
	f := newFlags("strata-operator")
	if err := f.parse([]string{
		"--plugins=p", "--kinds=a,b/C", "--kinds=d", "--namespaces=n", "--concurrency-for=b/C=7", "--resync=1m", "--tolerance=2m", "--metrics-address=off",
		"--unlocked", "--plugin-environment=AZURE_*", "--leader-elect", "--shard-namespaces", "--serve-conversions", "--cert-file=c", "--key-file=k",
	}); err != nil {
		t.Fatal(err)
	}
	o := f.options
	if diff := cmp.Diff([]string{"a", "b/C", "d"}, o.Kinds); diff != "" {
		t.Error(diff)
	}
	if o.ConcurrencyFor["b/C"] != 7 || o.Resync != time.Minute || o.Tolerance != 2*time.Minute || o.MetricsAddress != "" || o.ProbeAddress != ":8081" || !o.LeaderElection.On || !o.ShardNamespaces ||
		o.Conversions == nil || o.Conversions.CertFile != "c" || f.environment[0] != "AZURE_*" {
		t.Errorf("the options are %+v", o)
	}
}

// TestCredentialsAreRequiredWhereTenantsMeet checks which flags allow the operator's own
// credentials.
func TestCredentialsAreRequiredWhereTenantsMeet(t *testing.T) {
	for _, test := range []struct {
		reason string
		args   []string
		want   bool
	}{
		{"all namespaces", nil, true},
		{"several", []string{"--namespaces=a,b"}, true},
		{"one has one tenant", []string{"--namespaces=a"}, false},
		{"unless the user sets another", []string{"--namespaces=a", "--require-credentials"}, true},
		{"either way", []string{"--require-credentials=false"}, false},
	} {
		f := newFlags("operator")
		if err := f.parse(append([]string{"--plugins=p"}, test.args...)); err != nil {
			t.Fatal(err)
		}
		o, _ := f.options.orDefault()
		if *o.RequireCredentials != test.want {
			t.Errorf("%s: they are required: %t", test.reason, *o.RequireCredentials)
		}
	}
}
