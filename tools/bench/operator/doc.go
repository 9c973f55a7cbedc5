// Package operator measures the cost of many resources for an operator: the time until all are
// ready, the number of reconciles, the calls to the API server and to the external API, and the
// use of memory and processors.
//
// It creates the resources, and defines the figures. The test of the budgets and the command
// strata-load, which is `mage bench:operator`, call it.
//
// For more resources than an API server creates in minutes, it copies ready ones in etcd and in the
// simulator, and starts operators on them. The command strata-scale, which is `mage bench:scale`,
// does so.
package operator
