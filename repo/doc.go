// Package repo is the handle of a library: it finds and opens one, reads it as of a commit or as it lies on disk, and
// changes it in one way only, Update, which makes one transition one commit (DESIGN 6).
//
// It owns the files of a library and the order in which they, the index and the refs change. It decides nothing about
// chapters, reviews or states: that is workflow's. It may import schema and its own subpackages: gitstore (the native
// git engine), gitcmd (the git program), lock and atomicfile.
//
// # How Update stays whole
//
//  1. The library lock, a flock in the common git folder, keeps other git-novel writers out. What a crash left is
//     finished or undone first.
//  2. HEAD.lock and the branch's lock are taken before the caller decides, so HEAD cannot move between the decision and
//     the commit, and the decision never has to be made twice. Rejected: locking after the decision and running it again
//     when HEAD moved (its side effects would run twice), or failing then (a long import would lose to any commit). A plain
//     git commit waits for these locks for a tenth of a second and is refused after that.
//  3. index.lock and the locks of further refs are taken. Objects, new files (in a work folder below .novel-writer/tmp), the
//     new values of refs and the journal are written and synced, side by side.
//  4. The journal, novel/tx.json in the common git folder, gets its name, durably. From here on a crash is rolled forward:
//     the journal and the objects are all that is needed.
//  5. Worktree files get their names. An old file is exchanged for the new one and looked at after that, so that no edit
//     slips in between; one that is not what was seen is put back.
//  6. The new index is written and synced under its lock, side refs move, the branch moves, the index gets its name; the
//     folders and reflogs are synced together.
//  7. The journal goes.
//
// An error before the branch moved undoes 5 and 6 in place; after that the rest is completed. Recovery compares what it
// finds with the old and the new blob of each path: a file that is neither was edited since, and stays as it is.
//
// Lock files that a dead process left are told from everybody else's by inode: a second name for each lock that we make is
// kept under novel/held until it is released, and a lock file is removed only when it is the same file as that
// (claims.go). Rejected: process ids, which come back.
//
// Where git itself must make the commit (handover.go), the same journal is written without a new id, and recovery undoes
// as long as the branch has not moved.
package repo
