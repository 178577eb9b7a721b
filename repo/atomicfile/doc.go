// Package atomicfile writes files that survive a crash. Data is synced before the name points at it, and the folder is
// synced before a write is acknowledged, so that after a power loss a name holds its old bytes or its new ones and never
// a part (DESIGN 1, 6).
//
// It owns temporary files, exclusive creation, synced appending and folder syncs. It knows nothing of git or of what the
// files mean. Every name is resolved inside an *os.Root, so nothing here can be led outside by a symlink (DESIGN 16).
// It is the only place that writes whole files.
//
// It may import schema and nothing else of ours.
package atomicfile
