// Package layers owns how the layers of story contracts meet (reference harness 4.8): what a volume or a review contract
// may do to the master, what holds in the end, and what may change in a contract that is on record.
//
// It is pure: documents come in, documents and faults go out. It may import schema only.
package layers
