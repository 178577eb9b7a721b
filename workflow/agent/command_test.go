//go:build unix

package agent

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-novel/schema"
)

// program is an agent whose program is a shell script.
func program(t *testing.T, script string) *Command {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh on PATH: programs cannot be tried")
	}
	return &Command{
		Role: schema.RoleWriter, Program: sh, Args: []string{"-c", script}, Dir: t.TempDir(), Temp: t.TempDir(),
		Environ: []string{"PATH=" + os.Getenv("PATH"), "GIT_DIR=/nowhere", "git_index_file=x", "NOVEL_RUN=r-other", "KEEP=kept"},
		Timeout: 20 * time.Second, MaxOutput: 1 << 10,
	}
}

func writeJob() Job {
	return Job{Task: schema.Task{Schema: schema.SchemaTask, ID: "t-1", Kind: schema.TaskWrite, Book: "书", Chapter: "0001", Inputs: map[string]any{"outline": "o.json"}}}
}

func TestCommandAnswers(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		`cat`:             `"outline": "o.json"`,
		`echo 正文; exit 0`: "正文\n",
		`echo 旁白; echo 正文 > "$NOVEL_OUT"`:       "正文\n",
		`echo "$NOVEL_RUN"`:                     RunID(writeJob().Task, "agent:writer"),
		`echo "[$GIT_DIR$git_index_file]$KEEP"`: "[]kept",
		`exec 0<&-; echo 不读输入`:                  "不读输入",
		`pwd; ls`:                               "",
	} {
		c := program(t, script)
		res, err := c.Run(t.Context(), writeJob())
		if err != nil {
			t.Errorf("%s: %v", script, err)
			continue
		}
		if got := string(res.Files[FileText]); !strings.Contains(got, want) || strings.Contains(got, "旁白") {
			t.Errorf("%s: %q, want %q", script, got, want)
		}
		if res.Producer != "agent:writer" || res.Depth != schema.DepthAgent || res.Run != RunID(writeJob().Task, c.Name()) {
			t.Errorf("%s: %+v", script, res)
		}
		if left, _ := os.ReadDir(c.Temp); len(left) > 0 {
			t.Errorf("%s left %v", script, left)
		}
	}
}

func TestCommandFails(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		`echo 第一行 >&2; printf '\033[2J坏了\n' >&2; exit 3`: "坏了",
		`true`: "the answer is empty",
		`while :; do echo 很长的一行很长的一行; done`: "more than 1024 bytes",
		`sleep 60`:                          "did not end within",
		`printf '%01025d' 0 > "$NOVEL_OUT"`: "more than 1024 bytes",
	} {
		c := program(t, script)
		if strings.HasPrefix(script, "sleep") {
			c.Timeout = 100 * time.Millisecond
		}
		begin := time.Now()
		_, err := c.Run(t.Context(), writeJob())
		if schema.CodeOf(err) != schema.CodeAgent || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: %v", script, err)
		}
		if took := time.Since(begin); took > 15*time.Second {
			t.Errorf("%s took %s", script, took)
		}
	}
}

// A grandchild in the group ends with it; one that has left the group and holds the pipe does not hold us up.
func TestCommandGrandchildren(t *testing.T) {
	t.Parallel()
	c := program(t, `sleep 300 & echo $! > "$PWD/pid"; echo 正文`)
	begin := time.Now()
	if _, err := c.Run(t.Context(), writeJob()); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("held up for %s", took)
	}
	pid, err := os.ReadFile(filepath.Join(c.Dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	gone := false
	for range 50 {
		if gone = exec.Command("kill", "-0", strings.TrimSpace(string(pid))).Run() != nil; gone { //nolint:gosec // our own child
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat"); !gone && (err != nil || !strings.Contains(string(stat), ") Z ")) {
		t.Error("the grandchild lives on")
	}
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("no setsid on PATH: a grandchild that leaves the group cannot be tried")
	}
	c = program(t, `setsid sleep 8 & echo 正文`)
	begin = time.Now()
	if res, err := c.Run(t.Context(), writeJob()); err != nil || string(res.Files[FileText]) != "正文\n" {
		t.Errorf("%v %v", res, err)
	}
	if took := time.Since(begin); took > 7*time.Second {
		t.Errorf("held up for %s by a grandchild outside of the group", took)
	}
}

func TestCommandTriesAgain(t *testing.T) {
	t.Parallel()
	c := program(t, `echo x >> tries; [ "$(wc -l < tries)" -ge 2 ] || { echo 还不行 >&2; exit 1; }; echo 正文`)
	if _, err := c.Run(t.Context(), writeJob()); schema.CodeOf(err) != schema.CodeAgent {
		t.Errorf("without a further try: %v", err)
	}
	_ = os.Remove(filepath.Join(c.Dir, "tries"))
	c.Retries = 1
	if _, err := c.Run(t.Context(), writeJob()); err != nil {
		t.Error(err)
	}
	// What the check refuses is asked for again too, and told at last.
	job := writeJob()
	asked := 0
	job.Check = func(map[string][]byte) error {
		asked++
		return schema.Errorf(schema.CodeInvalid, "the answer is empty")
	}
	if _, err := c.Run(t.Context(), job); schema.CodeOf(err) != schema.CodeAgent || asked != 2 {
		t.Errorf("%v after %d", err, asked)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	c.Args = []string{"-c", "sleep 60"}
	if _, err := c.Run(ctx, writeJob()); schema.CodeOf(err) != schema.CodeInterrupted || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("interrupted: %v", err)
	}
	c.Program = "/nowhere/at-all"
	if _, err := c.Run(t.Context(), writeJob()); schema.CodeOf(err) != schema.CodeAgent {
		t.Errorf("not there: %v", err)
	}
}

func TestArtifactsOf(t *testing.T) {
	t.Parallel()
	for in, ok := range map[string]bool{
		`{"fulfillment_result":{},"disambiguation_result":{},"extraction_result":{}}`:                     true,
		"```json\n{\"fulfillment_result\":{},\"disambiguation_result\":{},\"extraction_result\":{}}\n```": true,
		`{"fulfillment_result":{}}`: false,
		`[]`:                        false,
		`{`:                         false,
	} {
		if files, err := artifactsOf([]byte(in)); (err == nil) != ok || ok && len(files) != 3 {
			t.Errorf("%s: %v", in, err)
		}
	}
}
