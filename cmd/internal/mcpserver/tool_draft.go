package mcpserver

import (
	"context"

	"git-novel/schema"
	"git-novel/workflow"
)

// draftTool is novel_draft (seed novel_draft): schema, order of checks and strings are the seed's.
func draftTool() tool {
	integer := map[string]any{"type": "integer"}
	text := map[string]any{"type": "string"}
	return tool{
		name: schema.ToolDraft,
		about: "实时聊天写作的草稿镜像：每写完一个自然段，就把这一段正文用 action=commit 交进来，由程序追加进独立目录并累计字数。只追加：不读、不改、不清。" +
			"然后照返回的 nextAction 做：continue 就继续写下一段、不要去问人；ask_user 才把 question 原样交给提问工具，并把 combinedText 一起贴给用户。",
		args: []property{
			oneOf("action", "只有一个值 commit：提交这一段正文", "commit"),
			str("book", "书名，即 novels/ 下的子目录名"),
			str("chapter", "章标识（章号 / 第NN章 / 标题），只用来命名镜像文件；省略时为「未命名章」"),
			str("text", "只传这一段的正文，不是整章"),
			str("root", "章节库根目录"),
		},
		required: []string{"action", "book", "text"},
		output: map[string]any{
			"type": "object",
			"properties": map[string]any{
				"action": text, "book": text, "chapter": text, "mirrorDir": text, "draftFile": text, "segmentIndex": integer, "segmentChars": integer,
				"pendingChars": integer, "threshold": integer, "remaining": integer, "prompts": integer,
				"nextAction": map[string]any{"type": "string", "enum": []string{schema.NextContinue, schema.NextAskUser}},
				"message":    text, "combinedText": text, "question": text,
			},
			"required": []string{
				"action", "book", "chapter", "mirrorDir", "draftFile", "segmentIndex", "segmentChars", "pendingChars", "threshold", "remaining",
				"prompts", "nextAction", "message",
			},
		},
		early: func(a args) error {
			if a.exact("action") != "commit" {
				return schema.Errorf(schema.CodeInvalid, schema.DraftActionError)
			}
			return nil
		},
		run: func(ctx context.Context, c *call) (*answer, error) {
			if _, err := c.required("book"); err != nil {
				return nil, err
			}
			r, err := c.s.DraftCommit(ctx, workflow.DraftInput{Chapter: c.chapter(), Text: c.optional("text")})
			if err != nil {
				return nil, err
			}
			return &answer{text: r.Render(), data: r}, nil
		},
	}
}
