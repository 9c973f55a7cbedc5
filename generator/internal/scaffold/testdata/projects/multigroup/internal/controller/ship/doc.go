// Package ship has the controllers of the group ship.example.com.
package ship
