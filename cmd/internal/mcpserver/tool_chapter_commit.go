package mcpserver

import (
	"context"
	"encoding/json"

	"git-novel/schema"
	"git-novel/workflow"
)

func chapterCommitTool() tool {
	return tool{
		name: "novel_chapter_commit",
		about: "章节提交（第 5 步）：把这一章连同审查、履约、消歧、抽取四份结果收进全书记忆。不给结果时由内置的 data agent 生成。" +
			"不合规则时整体拒绝并逐条列出原因，什么都不改。",
		args: []property{
			bookArg(), chapterArg(),
			document("reviewResult", "审查结果"), document("fulfillmentResult", "大纲履约结果"),
			document("disambiguationResult", "消歧结果"), document("extractionResult", "抽取结果"),
			boolean("dryRun", "只说会怎样，什么都不写"),
			{"waive", map[string]any{
				"type": "array", "description": "放过的可选大纲节点及理由",
				"items": map[string]any{
					"type": "object", "required": []string{"node", "reason"}, "additionalProperties": false,
					"properties": map[string]any{"node": map[string]any{"type": "string"}, "reason": map[string]any{"type": "string"}},
				},
			}},
			boolean("enrich", "给导入的章节补上抽取与摘要，不需要审查"),
			rootArg(),
		},
		required: []string{"chapter"},
		run: func(ctx context.Context, c *call) (*answer, error) {
			in, err := commitInput(c)
			if err != nil {
				return nil, err
			}
			r, err := c.s.ChapterCommit(ctx, in)
			if err != nil {
				return nil, err
			}
			p := newPage("novel-chapter-commit", r.Text.Path)
			switch {
			case r.DryRun:
				p.add("%s 可以提交（试算，什么都没写）", r.Key)
			default:
				p.add("%s 已提交：第 %d 版，提交 %s", r.Key, r.Revision, short(r.Commit))
			}
			if r.Summary != "" {
				p.add("  摘要：%s", r.Summary)
			}
			p.notes(r.Warnings)
			p.next(r.Next)
			return p.end(r), nil
		},
	}
}

func commitInput(c *call) (workflow.CommitInput, error) {
	var in workflow.CommitInput
	var err error
	if in.Chapter, err = c.needChapter(); err != nil {
		return in, err
	}
	if in.DryRun, err = c.flag("dryRun"); err != nil {
		return in, err
	}
	if in.Enrich, err = c.flag("enrich"); err != nil {
		return in, err
	}
	if raw, ok := c.args["waive"]; ok {
		if err := json.Unmarshal(raw, &in.Waive); err != nil {
			return in, schema.Errorf(schema.CodeInvalid, `参数 "%s" 必须是 [{"node": …, "reason": …}]`, "waive")
		}
		for _, w := range in.Waive {
			if schema.TrimJS(w.Node) == "" || schema.TrimJS(w.Reason) == "" {
				return in, schema.Errorf(schema.CodeInvalid, `参数 "%s" 必须是 [{"node": …, "reason": …}]`, "waive")
			}
		}
	}
	for _, f := range []struct {
		name string
		dst  **workflow.File
	}{
		{"reviewResult", &in.Artifacts.Review},
		{"fulfillmentResult", &in.Artifacts.Fulfillment},
		{"disambiguationResult", &in.Artifacts.Disambiguation},
		{"extractionResult", &in.Artifacts.Extraction},
	} {
		data, err := c.document(f.name)
		if err != nil {
			return in, err
		}
		if data != nil {
			*f.dst = &workflow.File{Name: f.name, Data: data}
		}
	}
	return in, nil
}
