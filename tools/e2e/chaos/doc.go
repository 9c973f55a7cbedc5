// Package chaos proves what becomes of resources when everything goes wrong that does: operators
// are killed and paused, leaders change, the API server restarts, plugins crash and hang, and the
// external API throttles, fails, answers too late for what it has done, and fails and loses
// operations. In the end nothing may have been created twice, nothing may be lost, and all must be
// ready. It holds only tests: five rounds of them, and fifty with STRATA_SOAK.
package chaos
