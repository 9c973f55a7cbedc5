package server_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stratakube/strata/webhook"
	"github.com/stratakube/strata/webhook/certs"
)

// slowClients holds connections and requests that do not end before the test does.
type slowClients struct {
	t       *testing.T
	files   files
	address string
	url     string
}

func against(t *testing.T, f files, r *running) *slowClients {
	t.Helper()
	return &slowClients{t, f, strings.TrimSuffix(strings.TrimPrefix(r.conversions, "https://"), webhook.Path), r.conversions}
}

// dial opens a connection, with TLS if secure.
func (s *slowClients) dial(secure bool) net.Conn {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.address)
	if err == nil && secure {
		conn = tls.Client(conn, &tls.Config{RootCAs: s.files.roots, ServerName: "127.0.0.1"})
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// write sends a text over HTTP/1.1, and nothing else.
func (s *slowClients) write(text string) net.Conn {
	s.t.Helper()
	conn := s.dial(true)
	if _, err := io.WriteString(conn, text); err != nil {
		s.t.Fatal(err)
	}
	return conn
}

const head = "POST /convert HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"

// stream begins a request over the HTTP/2 connection of a client.
func (s *slowClients) stream(client *http.Client, length int64, part string) {
	body, feed := io.Pipe()
	s.t.Cleanup(func() { _ = feed.Close() })
	request, err := http.NewRequest(http.MethodPost, s.url, body)
	if err != nil {
		s.t.Fatal(err)
	}
	request.ContentLength = length
	go func() {
		if response, err := client.Do(request); err == nil {
			_ = response.Body.Close()
		}
	}()
	if _, err := io.WriteString(feed, part); err != nil {
		s.t.Fatal(err)
	}
}

// hold starts the given number of clients of all kinds, and returns how many reviews they have
// begun.
func (s *slowClients) hold(count int) (reviews int) {
	h2 := s.files.client(true)
	h2.Timeout = 0
	s.t.Cleanup(h2.CloseIdleConnections)
	large := reviewOf(person, `{"pad":"`+strings.Repeat("x", 60<<10))
	for i := range count {
		switch i % 8 {
		case 0: // nothing of the announced body
			s.write(head + "Content-Length: 60000000\r\n\r\n")
			reviews++
		case 1: // the beginning of it
			s.write(head + "Content-Length: 60000000\r\n\r\n" + large)
			reviews++
		case 2: // of unknown length
			s.write(head + "Transfer-Encoding: chunked\r\n\r\n" + fmt.Sprintf("%x\r\n%s\r\n", len(large), large))
			reviews++
		case 3, 4: // many streams of one connection
			s.stream(h2, 60_000_000, large)
			reviews++
		case 5: // a header that never ends
			s.write(head + "X: ")
		case 6: // nothing of the handshake
			s.dial(false)
		case 7: // half a handshake
			conn := s.dial(false)
			_, _ = conn.Write([]byte{22, 3, 1, 2, 0})
		}
	}
	return reviews
}

// reviewsInFlight reads the metric of the server.
func reviewsInFlight(t *testing.T, r *running) (count int) {
	t.Helper()
	_, body := get(t, r.metrics)
	for line := range strings.Lines(body) {
		if _, err := fmt.Sscanf(line, "strata_conversion_reviews_in_flight %d", &count); err == nil {
			return count
		}
	}
	t.Fatal("the server does not count reviews")
	return 0
}

// TestSlowClientsDelayNoOtherClient starts 200 slow clients of one server and none of another, and
// lets both convert in turns. Conversions of the first may take less than twice as long in the
// median, and less than four times as long in the 95th percentile. The test repeats the comparison,
// so that other work on the machine does not make it fail.
func TestSlowClientsDelayNoOtherClient(t *testing.T) {
	f, options := withFiles(t)
	options.MetricsAddress = "127.0.0.1:0"
	options.Limits.Grace = time.Hour // so that they are not cut off
	besieged := start(t, options)
	options.Certificates = certs.NewFiles(f.cert, f.key, nil)
	quiet := start(t, options)
	besieged.waitReady(t)
	quiet.waitReady(t)
	reviews := against(t, f, besieged).hold(200)
	eventually(t, "all slow clients are held", func() bool { return reviewsInFlight(t, besieged) == reviews })

	bodies := []string{reviewOf(person), reviewOf(strings.Replace(person, "north", strings.Repeat("x", 100<<10), 1))}
	for _, body := range bodies {
		median, most := 0.0, 0.0
		for range 5 {
			if median, most = slower(t, f, besieged, quiet, body); median < 2 && most < 4 {
				break
			}
		}
		if median >= 2 || most >= 4 {
			t.Errorf("conversions of %d bytes take %.1f times as long in the median, and %.1f times in the 95th percentile", len(body), median, most)
		}
	}
	// A review counts until its handler has returned, which can be after its client has read the
	// answer.
	eventually(t, "only the slow reviews are left", func() bool { return reviewsInFlight(t, besieged) == reviews })
}

// slower returns how many times as long conversions of one server take as those of another: in the
// median, and in the 95th percentile.
func slower(t *testing.T, f files, one, other *running, body string) (median, most float64) {
	t.Helper()
	var taken [2][]time.Duration
	clients := [2]*http.Client{f.client(true), f.client(false)}
	for range 150 {
		for i, r := range [2]*running{one, other} {
			for _, client := range clients {
				began := time.Now()
				_, answer, err := post(client, r.conversions, strings.NewReader(body))
				if err != nil || !isSuccess(answer, 1) {
					t.Fatalf("%.300s: %v", answer, err)
				}
				taken[i] = append(taken[i], time.Since(began))
			}
		}
	}
	for i := range taken {
		slices.Sort(taken[i])
	}
	for _, client := range clients {
		client.CloseIdleConnections()
	}
	ratio := func(percentile int) float64 {
		at := len(taken[0]) * percentile / 100
		t.Logf("%d bytes, percentile %d: %s, and %s without slow clients", len(body), percentile, taken[0][at], taken[1][at])
		return float64(taken[0][at]) / float64(taken[1][at])
	}
	return ratio(50), ratio(95)
}

// TestSlowReviewsEnd checks that a client that stalls gets an answer and its connection is closed,
// with both protocols.
func TestSlowReviewsEnd(t *testing.T) {
	f, options := withFiles(t)
	options.Limits.Grace = 100 * time.Millisecond
	r := start(t, options)
	r.waitReady(t)
	s := against(t, f, r)
	for reason, text := range map[string]string{
		"nothing of what it announces": head + "Content-Length: 60000000\r\n\r\n",
		"some of it":                   head + "Content-Length: 60000000\r\n\r\n" + reviewOf(person)[:100],
		"a chunk":                      head + "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"a\":\r\n",
	} {
		answer, err := io.ReadAll(s.write(text))
		if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 408 ") {
			t.Errorf("%s: %v: %.300s", reason, err, answer)
		}
	}
	client := f.client(true)
	defer client.CloseIdleConnections()
	body, feed := io.Pipe()
	defer func() { _ = feed.Close() }()
	go func() { _, _ = io.WriteString(feed, "{") }()
	if response, _, err := post(client, r.conversions, body); err != nil || response.StatusCode != http.StatusRequestTimeout {
		t.Errorf("over HTTP/2: %v, %v", response, err)
	}
	eventually(t, "the connection is of use again", func() bool {
		_, answer, err := post(client, r.conversions, strings.NewReader(reviewOf(person)))
		return err == nil && isSuccess(answer, 1)
	})
}

// TestSlowReadersAreCutOff checks that a client that does not read a large answer is cut off, and
// that its memory is released.
func TestSlowReadersAreCutOff(t *testing.T) {
	f, options := withFiles(t)
	options.MetricsAddress = "127.0.0.1:0"
	options.Limits.Grace = 2 * time.Second // in which a client on a busy machine makes progress
	r := start(t, options)
	r.waitReady(t)
	large := make([]string, 20)
	for i := range large {
		large[i] = strings.Replace(person, "north", strings.Repeat("x", 1<<20), 1)
	}
	body := reviewOf(large...)
	conn := against(t, f, r).dial(true)
	go func() { _, _ = io.WriteString(conn, head+fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body))+body) }()
	pipe, feed := io.Pipe()
	go func() { _, _ = io.WriteString(feed, body) }()
	response, err := f.client(true).Post(r.conversions, "application/json", pipe)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "both reviews are ended", func() bool {
		_, metrics := get(t, r.metrics)
		return strings.Contains(metrics, `strata_conversion_reviews_total{result="abandoned"} 2`) &&
			strings.Contains(metrics, "strata_conversion_bytes_in_flight 0\n")
	})
	if answer, err := io.ReadAll(response.Body); err == nil || isSuccess(answer, len(large)) {
		t.Errorf("the answer looks whole: %v", err)
	}
	_ = response.Body.Close()
	_ = feed.Close()
}

// TestConnectionsWithoutRequestEnd checks that connections with no handshake, half a handshake, or
// a header without an end are closed. All wait at once.
func TestConnectionsWithoutRequestEnd(t *testing.T) {
	t.Parallel()
	f, options := withFiles(t)
	r := start(t, options)
	r.waitReady(t)
	s := against(t, f, r)
	half := s.dial(false)
	_, _ = half.Write([]byte{22, 3, 1, 2, 0})
	var all sync.WaitGroup
	for reason, conn := range map[string]net.Conn{"no handshake": s.dial(false), "half a handshake": half, "a header without an end": s.write(head + "X: ")} {
		all.Go(func() {
			_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
			if _, err := io.Copy(io.Discard, conn); err != nil {
				t.Errorf("%s: the connection was not closed: %v", reason, err)
			}
		})
	}
	all.Wait()
}

// TestConnectionsOfOnePeer checks that one peer cannot open more than its share, and can open more
// when it closes some. Other peers are not affected.
func TestConnectionsOfOnePeer(t *testing.T) {
	f, options := withFiles(t)
	options.Connections, options.ConnectionsOfPeer = 5, 3
	r := start(t, options)
	r.waitReady(t)
	s := against(t, f, r)
	works := func(from string) bool {
		dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{RootCAs: f.roots}, DisableKeepAlives: true,
		}}
		_, answer, err := post(client, r.conversions, strings.NewReader(reviewOf(person)))
		return err == nil && isSuccess(answer, 1)
	}
	var clients []net.Conn
	for range 3 {
		clients = append(clients, s.write(head))
	}
	if works("127.0.0.1") {
		t.Error("a fourth connection was let in")
	}
	if !works("127.0.0.2") {
		t.Error("another peer was kept out")
	}
	_ = clients[0].Close()
	eventually(t, "room again", func() bool { return works("127.0.0.1") })
}

// TestCompressedReviewsAreRefused refuses them whatever their content is.
func TestCompressedReviewsAreRefused(t *testing.T) {
	f, options := withFiles(t)
	r := start(t, options)
	r.waitReady(t)
	s := against(t, f, r)
	for header, want := range map[string]string{
		"Content-Encoding: gzip\r\nContent-Length: 2":    "HTTP/1.1 415 ",
		"Content-Encoding: deflate\r\nContent-Length: 2": "HTTP/1.1 415 ",
		"Transfer-Encoding: gzip, chunked":               "HTTP/1.1 501 ",
		"Transfer-Encoding: gzip":                        "HTTP/1.1 501 ",
	} {
		line, err := bufio.NewReader(s.write(head + header + "\r\n\r\n{}")).ReadString('\n')
		if err != nil || !strings.HasPrefix(line, want) {
			t.Errorf("%q: %q, %v", header, line, err)
		}
	}
}

// TestObjectThatIsTooLarge checks that the answer names the object, even while the client still
// sends the rest.
func TestObjectThatIsTooLarge(t *testing.T) {
	f, options := withFiles(t)
	r := start(t, options)
	r.waitReady(t)
	large := strings.Replace(person, "north", strings.Repeat("x", 9<<20), 1)
	medium := strings.Replace(person, "north", strings.Repeat("x", 7<<20), 1)
	body := reviewOf(person, strings.Replace(large, "ann", "huge", 1), medium, medium)
	for _, http2 := range []bool{false, true} {
		client := f.client(http2)
		for range 5 {
			_, answer, err := post(client, r.conversions, strings.NewReader(body))
			want := "convert Person huge of crm.example.com/v20110101 to crm.example.com/v20190909 (request.objects[1]): the object is larger than 8388608 bytes"
			if err != nil || !strings.Contains(string(answer), `"status":"Failure"`) || !strings.Contains(string(answer), want) {
				t.Errorf("%v: %.500s", err, answer)
			}
		}
		if _, answer, err := post(client, r.conversions, strings.NewReader(reviewOf(medium))); err != nil || !isSuccess(answer, 1) {
			t.Errorf("one within bounds: %v: %.300s", err, answer)
		}
		client.CloseIdleConnections()
	}
}
