// Package operator measures what an operator takes to look after many resources: how long until all
// are ready, how often it looked at them, what it asked of the API server and of the external API,
// and what it used of the machine.
//
// It owns what is created, and what the figures are. The test of the budgets and the command
// strata-load, which is `mage bench:operator`, are its callers.
package operator
