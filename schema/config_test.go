package schema

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const testKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ3yVhLqf0DqvG0xTz4N1yqv1cJ0Yx3kqJ7JwE6Zy2aB author@example.org"

const fullConfig = `# 雨夜灯的书库
rules = 1
genre = "悬疑"
strand = "main_heavy"
colour = "amber" # not ours

[review] # gates
dimensions = [
  "setting", "timeline", "continuity", # three
  "character", "logic", "ai_flavor",
]
require = "agent"
polish_limit = 10

[chapters]
digits = 4
min_chars = 0

[draft]
commit = "segment"

[trust]
signers = ["` + testKey + `"]
acknowledge = ["author@example.org"]

[backup]
remote = "origin"
auto = false

[agents]
context = "builtin"

[agents.reviewer]
command = ["claude", "-p", "审查 #1"]
timeout = "90s"
retries = 0
max_output = 65536

[agents.data]
timeout = 30
`

func TestParseConfig(t *testing.T) {
	t.Parallel()
	got, err := ParseConfig("config.toml", []byte(fullConfig), LibraryScope)
	if err != nil {
		t.Fatal(err)
	}
	data := BuiltinAgent()
	data.Timeout = 30 * time.Second
	want := &Config{
		Rules: 1, Genre: "悬疑", Strand: "main_heavy",
		Review:   ReviewConfig{Dimensions: append(FullDimensions(), CategoryAIFlavor), Require: RequireAgent, PolishLimit: 10},
		Chapters: ChaptersConfig{Digits: 4},
		Draft:    DraftConfig{Commit: DraftSegment},
		Trust:    TrustConfig{Signers: []string{testKey}, Acknowledge: []string{"author@example.org"}},
		Backup:   BackupConfig{Remote: "origin"},
		Agents: map[Role]Agent{
			RoleContext:  BuiltinAgent(),
			RoleReviewer: {Command: []string{"claude", "-p", "审查 #1"}, Timeout: 90 * time.Second, MaxOutput: 65536},
			RoleData:     data,
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, text := range []string{"", "\n", "\ufeff# only a comment\r\n"} {
		empty, err := ParseConfig("config.toml", []byte(text), LibraryScope)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(DefaultConfig(), empty); d != "" {
			t.Error(d)
		}
	}
}

func TestParseConfigFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"all at once", "rules = 2\n[review]\npolish_limit = 16\nrequire = \"none\"\ndimensions = [\"setting\", \"plot\"]\n[chapters]\ndigits = \"4\"\nmin_chars = -1\n[draft]\ncommit = true\n", []string{
			"rules:1: must be a whole number from 1 to 1, not 2",
			"review.polish_limit:3: must be a whole number from 0 to 15, not 16",
			`review.require:4: "none" is not allowed here; allowed: any, agent`,
			`review.dimensions:5: "plot" is not a dimension here`,
			"review.dimensions:5: leaves out timeline, continuity, character, logic; a library may only add dimensions",
			`chapters.digits:7: must be a whole number from 2 to 4, not "4"`,
			"chapters.min_chars:8: must be a whole number from 0",
			"draft.commit:10: true is not allowed here; allowed: prompt, segment, transition",
		}},
		{"misspelled", "[reviews]\npolish_limit = 1\n[chapters]\ndigit = 3\nsomething_else = 1\n[trust]\nsigner = []\n", []string{
			`reviews:1: unknown key "reviews": is "review" meant?`, `chapters.digit:4: unknown key "digit": is "digits" meant?`,
			`trust.signer:7: unknown key "signer": is "signers" meant?`,
		}},
		{"tables", "review = 3\nagents = []\n", []string{"review:1: must be a table, not 3", "agents:2: must be a table, not […]"}},
		{"trust", "[trust]\nsigners = [\"me\"]\nacknowledge = [\"me\"]\n", []string{
			`trust.signers:2: "me" is not an SSH public key`, `trust.acknowledge:3: "me" is not an e-mail address`,
		}},
		{"backup", "backup.remote = \"--mirror\"\nbackup.auto = 1\n", []string{
			`backup.remote:1: "--mirror" cannot be the name of a remote`, "backup.auto:2: must be true or false, not 1",
		}},
		{"agents", "[agents]\nwriter = \"claude\"\n[agents.data]\ncommand = \"sh -c x\"\ntimeout = \"0s\"\nretries = 11\n[agents.polish]\ncommand = [\"\"]\n[agents.context]\ncommand = [\"a\", 1]\nmax_output = 1\n", []string{
			`agents.writer:2: "claude" is not allowed here; allowed: "builtin", or a table with a command`,
			`agents.data.command:4: must be a list of strings, not "sh -c x"`, "agents.data.timeout:5: must be a duration from 1s to 24h",
			"agents.data.retries:6: must be a whole number from 0 to 10, not 11", "agents.polish.command:8: names no program",
			"agents.context.command:10: must be a list of strings; 1 is none", "agents.context.max_output:11: must be a whole number from 1024",
		}},
		{"inline", "draft = { commit = \"never\" }\n", []string{`draft.commit:1: "never" is not allowed here`}},
		{"syntax", "rules = 1\nreview = [\"a\" \"b\"]\n", []string{":2: "}},
		{"twice", "rules = 1\nrules = 1\n", []string{":2: "}},
		{"not utf-8", "genre = \"\xff\"\n", []string{":1: "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := ParseConfig("config.toml", []byte(c.text), LibraryScope)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v", err)
			}
			faultTexts(t, err)
			var got []string
			for _, f := range e.Details {
				got = append(got, f.Field+":"+itoa(f.Line)+": "+f.Msg.String())
			}
			wantFaults(t, got, c.want...)
		})
	}
}

// TestUserConfig: only agents count in a user's file.
func TestUserConfig(t *testing.T) {
	t.Parallel()
	c, err := ParseConfig("config.toml", []byte("[agents.reviewer]\ncommand = [\"r\"]\n"), UserScope)
	if err != nil || c.Agent(RoleReviewer).Builtin() {
		t.Errorf("%+v %v", c, err)
	}
	_, err = ParseConfig("config.toml", []byte("rules = 1\n[review]\nrequire = \"any\"\n"), UserScope)
	wantFaults(t, faultTexts(t, err), "rules: belongs in the library's", "review: belongs in the library's")
}

// TestResolveAgent: a cloned library can propose a program but never run one (DESIGN 11).
func TestResolveAgent(t *testing.T) {
	t.Parallel()
	with := func(cmd ...string) *Config {
		c := DefaultConfig()
		a := BuiltinAgent()
		a.Command = cmd
		c.Agents[RoleReviewer] = a
		return c
	}
	none := DefaultConfig()
	for _, c := range []struct {
		name          string
		user, library *Config
		trusted       bool
		want          string
	}{
		{"nothing", none, none, true, ""},
		{"nil", nil, nil, true, ""},
		{"library, not trusted", none, with("evil"), false, ""},
		{"library, not trusted, no user file", nil, with("evil"), false, ""},
		{"library, trusted", none, with("lib"), true, "lib"},
		{"user", with("mine"), none, false, "mine"},
		{"user before library", with("mine"), with("lib"), true, "mine"},
		{"user says built-in", with(), with("lib"), true, ""},
	} {
		if got := strings.Join(ResolveAgent(RoleReviewer, c.user, c.library, c.trusted).Command, " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if none.AgentsDigest() != "" || with().AgentsDigest() != "" {
		t.Error("a library without programs asks for trust")
	}
	digests := map[string]bool{}
	for _, c := range []*Config{with("a"), with("a", "b"), with("a b"), with("a", ""), with("ab")} {
		digests[c.AgentsDigest()] = true
	}
	slow := with("a")
	slow.Agents[RoleReviewer] = Agent{Command: []string{"a"}, Timeout: time.Hour}
	digests[slow.AgentsDigest()] = true
	if len(digests) != 6 {
		t.Errorf("%d digests of 6 different proposals", len(digests))
	}
}

func TestRequiredDepthAndStricter(t *testing.T) {
	t.Parallel()
	c := DefaultConfig()
	if c.RequiredDepth(false) != RequireAny || c.RequiredDepth(true) != RequireAgent {
		t.Error("the default depends on whether a reviewer agent is configured")
	}
	c.Review.Require = RequireAny
	if c.RequiredDepth(true) != RequireAny {
		t.Error("an explicit any counts")
	}
	d := DefaultConfig()
	d.Review.Dimensions = append(d.Review.Dimensions, CategoryPacing)
	d.Review.PolishLimit = 5
	s := c.Stricter(d)
	if s.Review.PolishLimit != 5 || len(s.Review.Dimensions) != 6 || len(c.Review.Dimensions) != 5 {
		t.Errorf("stricter = %+v", s.Review)
	}
}

func TestConfigKeys(t *testing.T) {
	t.Parallel()
	def := DefaultConfig()
	full, err := ParseConfig("config.toml", []byte(fullConfig), LibraryScope)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range ConfigKeys() {
		if got := k.Value(def); got != k.Default {
			t.Errorf("%s: default %q, the table says %q", k.Name, got, k.Default)
		}
		if k.About.IsZero() || len(k.Scopes) == 0 {
			t.Errorf("%s: incomplete", k.Name)
		}
		// what `config get` prints can be set again, and means the same
		v := k.Value(full)
		if strings.Contains(v, "#1") {
			v = `["claude", "-p", "审查 #1"]`
		}
		data, err := SetConfig([]byte(fullConfig), k.Name, v, LibraryScope)
		if v == "" && k.Type == TypeList || err != nil && strings.HasPrefix(k.Name, "agents.context.") {
			continue
		}
		if err != nil {
			t.Errorf("%s = %q: %v", k.Name, v, err)
			continue
		}
		again, err := ParseConfig("config.toml", data, LibraryScope)
		if err != nil {
			t.Errorf("%s: %v", k.Name, err)
			continue
		}
		if again.Rules != full.Rules || k.Value(again) != k.Value(full) {
			t.Errorf("%s: %q became %q", k.Name, k.Value(full), k.Value(again))
		}
	}
	_, err = FindConfigKey("review.polish_limits")
	var e *Error
	if !errors.As(err, &e) || e.Code != CodeUsage || !strings.Contains(e.Hint.String(), "review.polish_limit") {
		t.Errorf("got %v", err)
	}
}

func TestSetConfig(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, key, value, want string }{
		{"empty file", "", "genre", "悬疑", "genre = \"悬疑\"\n"},
		{"empty file, table", "", "draft.commit", "segment", "[draft]\ncommit = \"segment\"\n"},
		{"same value", "[draft]\ncommit   =  \"segment\" # why\n", "draft.commit", "segment", "[draft]\ncommit   =  \"segment\" # why\n"},
		{"keeps comment", "rules = 1 # first\n# c\nx = 2\n", "rules", "1", "rules = 1 # first\n# c\nx = 2\n"},
		{"replace", "[review]\nrequire = 'any' # c\npolish_limit = 10\n", "review.require", "agent", "[review]\nrequire = \"agent\" # c\npolish_limit = 10\n"},
		{
			"replace list", "[review]\ndimensions = [\n \"setting\", # ]\n \"timeline\", \"continuity\", \"character\", \"logic\"\n] # end\nx = 1\n", "review.dimensions", "setting,timeline,continuity,character,logic,pacing",
			"[review]\ndimensions = [\"setting\", \"timeline\", \"continuity\", \"character\", \"logic\", \"pacing\"] # end\nx = 1\n",
		},
		{"into table", "[review] # r\nrequire = \"any\"\n\n# next\n[draft]\n", "review.polish_limit", "5", "[review] # r\nrequire = \"any\"\npolish_limit = 5\n\n# next\n[draft]\n"},
		{"into empty table", "[review]\n[draft]\n", "review.polish_limit", "5", "[review]\npolish_limit = 5\n[draft]\n"},
		{"new table", "rules = 1", "draft.commit", "segment", "rules = 1\n\n[draft]\ncommit = \"segment\"\n"},
		{"top before tables", "# head\n\n# about draft\n[draft]\n", "genre", "x", "# head\n\ngenre = \"x\"\n# about draft\n[draft]\n"},
		{"top beside", "rules = 1\n\n[draft]\n", "genre", "x", "rules = 1\ngenre = \"x\"\n\n[draft]\n"},
		{"dotted", "review.require = \"any\"\n[draft]\n", "review.polish_limit", "5", "review.require = \"any\"\nreview.polish_limit = 5\n[draft]\n"},
		{"dotted in table", "[agents]\ndata.timeout = \"10s\"\n", "agents.data.retries", "2", "[agents]\ndata.timeout = \"10s\"\ndata.retries = 2\n"},
		{"sub-table", "[agents.data]\ntimeout = \"10s\"\n", "agents.data.command", "prog, a b", "[agents.data]\ntimeout = \"10s\"\ncommand = [\"prog\", \"a b\"]\n"},
		{"other sub-table", "[agents.data]\ntimeout = \"10s\"\n", "agents.writer.retries", "0", "[agents.data]\ntimeout = \"10s\"\n\n[agents.writer]\nretries = 0\n"},
		{"crlf", "rules = 1\r\n[draft]\r\n", "draft.commit", "segment", "rules = 1\r\n[draft]\r\ncommit = \"segment\"\r\n"},
		{"bom", "\ufeffrules = 1\n", "genre", "x", "\ufeffrules = 1\ngenre = \"x\"\n"},
		{"quoted key", "[\"review\"]\n\"require\" = \"any\"\n", "review.require", "agent", "[\"review\"]\n\"require\" = \"agent\"\n"},
		{"multi-line string", "note = \"\"\"\n[draft]\ncommit = 1\n\"\"\"\n", "draft.commit", "segment", "note = \"\"\"\n[draft]\ncommit = 1\n\"\"\"\n\n[draft]\ncommit = \"segment\"\n"},
		{"odd characters", "", "genre", "a\"b\\c\td", "genre = \"a\\\"b\\\\c\\td\"\n"},
		{"array of tables", "[[other]]\nx = 1\n", "rules", "1", "rules = 1\n[[other]]\nx = 1\n"},
		{"boolean word", "", "backup.auto", "off", "[backup]\nauto = false\n"},
		{"toml list", "", "trust.acknowledge", `["a@b.c", 'd@e.f']`, "[trust]\nacknowledge = [\"a@b.c\", \"d@e.f\"]\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := SetConfig([]byte(c.in), c.key, c.value, LibraryScope)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, string(got)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestSetConfigRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in, key, value string
		scope                ConfigScope
		code                 Code
	}{
		{"unknown", "", "review.polish", "1", LibraryScope, CodeUsage},
		{"range", "", "review.polish_limit", "20", LibraryScope, CodeInvalid},
		{"number", "", "review.polish_limit", "ten", LibraryScope, CodeInvalid},
		{"boolean", "", "backup.auto", "maybe", LibraryScope, CodeInvalid},
		{"word", "", "draft.commit", "never", LibraryScope, CodeInvalid},
		{"list", "", "trust.signers", "[1]", LibraryScope, CodeInvalid},
		{"list trick", "", "trust.acknowledge", "[]\nx = 1", LibraryScope, CodeInvalid},
		{"inline table", "draft = { commit = \"segment\" }\n", "draft.commit", "prompt", LibraryScope, CodeInvalid},
		{"string agent", "agents.data = \"builtin\"\n", "agents.data.retries", "1", LibraryScope, CodeInvalid},
		{"damaged", "rules = = 1\n", "rules", "1", LibraryScope, CodeInvalid},
		{"user scope", "", "review.require", "any", UserScope, CodeUsage},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := SetConfig([]byte(c.in), c.key, c.value, c.scope)
			if CodeOf(err) != c.code || got != nil {
				t.Errorf("code %s, want %s; %q, %v", CodeOf(err), c.code, got, err)
			}
		})
	}
}

// TestSetConfigKeepsRest: setting any key to any valid value changes at most that setting, keeps every comment and unknown
// line, and is idempotent.
func TestSetConfigKeepsRest(t *testing.T) {
	t.Parallel()
	blocks := []string{
		"[review]\nrequire = \"any\" # c1\n", "[chapters]\n# c2\ndigits = 3\n", "[draft]\n", "# c3\n[other]\nx = [1, # c4\n2]\n",
		"[agents.data]\ntimeout = \"10s\"\n", "[[more]]\ny = '''\n[backup]\n'''\n", "[trust]\nsigners = []\n\n",
	}
	values := map[string][]string{
		"rules": {"1"}, "genre": {"x", "悬疑 \"a\""}, "review.require": {"any", "agent", ""}, "review.polish_limit": {"0", "15"},
		"chapters.digits": {"2", "4"}, "chapters.min_chars": {"0", "900"}, "draft.commit": {"prompt", "transition"},
		"backup.auto": {"true", "false"}, "backup.remote": {"origin"}, "agents.data.timeout": {"1h"}, "agents.polish.retries": {"3"},
		"trust.signers": {testKey}, "agents.writer.command": {"a, b c"},
	}
	keys := sortedKeys(values)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"", "# top\nrules = 1\nunknown = 5 # u\n", "genre = \"g\"\n"}).Draw(t, "top") +
			strings.Join(rapid.SliceOfNDistinct(rapid.SampledFrom(blocks), 0, len(blocks), rapid.ID[string]).Draw(t, "blocks"), "")
		if rapid.Bool().Draw(t, "crlf") {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		key := rapid.SampledFrom(keys).Draw(t, "key")
		value := rapid.SampledFrom(values[key]).Draw(t, "value")
		before, err := ParseConfig("c", []byte(text), LibraryScope)
		if err != nil {
			t.Fatal(err)
		}
		out, err := SetConfig([]byte(text), key, value, LibraryScope)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		after, err := ParseConfig("c", out, LibraryScope)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range ConfigKeys() {
			if k.Name != key && k.Value(before) != k.Value(after) {
				t.Fatalf("%s changed too:\n%s", k.Name, out)
			}
		}
		if again, err := SetConfig(out, key, value, LibraryScope); err != nil || string(again) != string(out) {
			t.Fatalf("not idempotent: %v\n%s", err, again)
		}
		rest := string(out)
		for line := range strings.SplitSeq(text, "\n") {
			if strings.Contains(line, "#") || strings.Contains(line, "unknown") || strings.Contains(line, "backup]") {
				comment := line
				if i := strings.IndexByte(line, '#'); i >= 0 {
					comment = line[i:]
				}
				i := strings.Index(rest, comment)
				if i < 0 {
					t.Fatalf("%q is gone:\n%s", comment, out)
				}
				rest = rest[i+len(comment):]
			}
		}
	})
}

func FuzzConfig(f *testing.F) {
	f.Add([]byte(fullConfig), "genre", "x")
	f.Add([]byte("review.require = \"any\"\na.b.c = { d = [1, 2] }\n"), "review.polish_limit", "3")
	f.Add([]byte("x = \"\"\"a\"\"\"\"\"\n[draft]"), "draft.commit", "segment")
	f.Fuzz(func(t *testing.T, data []byte, key, value string) {
		scanTOML(data) // must end and not panic, whatever the bytes are
		before, err := ParseConfig("f", data, LibraryScope)
		if err != nil {
			if CodeOf(err) != CodeInvalid {
				t.Fatal(err)
			}
			return
		}
		out, err := SetConfig(data, key, value, LibraryScope)
		if err != nil {
			return
		}
		after, err := ParseConfig("f", out, LibraryScope)
		if err != nil {
			t.Fatalf("%v\n%q", err, out)
		}
		for _, k := range ConfigKeys() {
			if k.Name != key && k.Value(before) != k.Value(after) {
				t.Fatalf("%s changed too: %q", k.Name, out)
			}
		}
	})
}
