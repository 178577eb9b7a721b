package gitstore

import (
	"container/list"

	"git-novel/schema"
)

// objectCache keeps the trees and commits that were read last, and the bases of deltas, up to a number of bytes.
type objectCache struct {
	limit, used int
	order       *list.List // most recent first, of *cached
	byKey       map[cacheKey]*list.Element
}

type cached struct {
	key cacheKey
	o   object
}

// cacheKey names an object by id, or by its place in a pack while its id is not known.
type cacheKey struct {
	id   schema.OID
	pack *pack
	at   int64
}

func newObjectCache(limit int) *objectCache {
	return &objectCache{limit: limit, order: list.New(), byKey: map[cacheKey]*list.Element{}}
}

func (c *objectCache) get(key cacheKey) (object, bool) {
	e, ok := c.byKey[key]
	if !ok {
		return object{}, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*cached).o, true
}

func (c *objectCache) put(key cacheKey, o object) {
	if _, ok := c.byKey[key]; ok || len(o.data) > c.limit/4 {
		return
	}
	c.byKey[key] = c.order.PushFront(&cached{key: key, o: o})
	c.used += len(o.data) + 128
	for c.used > c.limit {
		last := c.order.Back()
		old := c.order.Remove(last).(*cached)
		delete(c.byKey, old.key)
		c.used -= len(old.o.data) + 128
	}
}
