// Package golden runs tests whose cases are txtar archives. The comment of each gives its reason,
// and its files are the input and the expected output.
package golden
