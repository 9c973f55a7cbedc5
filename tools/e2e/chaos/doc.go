// Package chaos tests resources under faults. Operators are killed and paused, leaders change, the
// API server restarts, and plugins crash and hang. The external API throttles, fails, answers too
// late for changes that it has made, and fails and loses operations. In the end no resource may
// have been created twice or be lost, and all objects must be Ready. The package has tests only:
// five rounds in `mage test:long`, and fifty in `mage soak`. If the tests run under the race
// detector, so do the operators and their plugins, and none may report a data race.
package chaos
