package gitstore

import (
	"strconv"
	"strings"
	"time"

	"git-novel/schema"
)

// Identity gives who a commit made now is by, from GIT_AUTHOR_* and GIT_COMMITTER_*, then author.*, committer.* and user.*,
// then EMAIL. Nothing is invented: git would make up an address from the host name, which ends up in history for ever.
// CodeUsage with the two commands when something is missing.
func (r *Repo) Identity() (author, committer Ident, err error) {
	now := r.env.Clock()
	author, err = r.ident("author", "GIT_AUTHOR_", now)
	if err != nil {
		return Ident{}, Ident{}, err
	}
	committer, err = r.ident("committer", "GIT_COMMITTER_", now)
	if err != nil {
		return Ident{}, Ident{}, err
	}
	return author, committer, nil
}

func (r *Repo) ident(section, env string, now time.Time) (Ident, error) {
	first := func(keys ...string) string {
		for _, k := range keys {
			if v, ok := r.config.Get(k); ok && cleanIdent(v) != "" {
				return cleanIdent(v)
			}
		}
		return ""
	}
	id := Ident{Name: cleanIdent(r.env.get(env + "NAME")), Email: cleanIdent(r.env.get(env + "EMAIL")), When: now.Truncate(time.Second)}
	if id.Name == "" {
		id.Name = first(section+".name", "user.name")
	}
	if id.Email == "" {
		id.Email = first(section+".email", "user.email")
	}
	if id.Email == "" && !r.config.Bool("user.useconfigonly", false) {
		id.Email = cleanIdent(r.env.get("EMAIL"))
	}
	if id.Name == "" || id.Email == "" {
		return Ident{}, schema.Errorf(schema.CodeUsage, "git does not know who you are (user.name and user.email are not set), so nothing can be committed").
			WithHint("set both, then run the command again:\n  git config --global user.name \"Your Name\"\n  git config --global user.email you@example.com")
	}
	if date := r.env.get(env + "DATE"); date != "" {
		when, ok := parseDate(date)
		if !ok {
			return Ident{}, schema.Errorf(schema.CodeUsage, "%sDATE holds no date that git-novel can read: %q", env, date).
				WithHint("write it like 2006-01-02T15:04:05+08:00")
		}
		id.When = when
	}
	return id, nil
}

// parseDate reads the date formats that git documents for the environment: internal (seconds and zone, with or without
// @), RFC 2822 and ISO 8601.
func parseDate(s string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	secs, zone, _ := strings.Cut(strings.TrimPrefix(s, "@"), " ")
	if n, err := strconv.ParseInt(secs, 10, 64); err == nil && n >= 0 && n < 1<<40 && (strings.HasPrefix(s, "@") || len(secs) > 8) {
		return time.Unix(n, 0).In(parseZone(strings.TrimSpace(zone))), true
	}
	for _, layout := range []string{
		time.RFC3339, "2006-01-02T15:04:05-0700", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 -07:00",
		"2006-01-02T15:04:05 -0700", "Mon, 2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04:05 -0700",
		"Mon Jan 2 15:04:05 2006 -0700",
	} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "Mon Jan 2 15:04:05 2006"} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
