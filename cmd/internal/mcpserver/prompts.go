package mcpserver

import (
	"context"
	"strings"

	"git-novel/schema"
	"git-novel/workflow/agentkit"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// chatRules are the eight rules of chat writing (seed novel_draft). They are words for a model: nothing enforces them.
const chatRules = `实时聊天写作的纪律（chatWriting 开启时适用，共八条）：
1. 动笔前读一遍开写包（novel_chapter_brief）；第一步不是问人，是写。
2. 每写完一个自然段，就把这一段正文交给 novel_draft(action="commit", book, chapter, text)。
3. 然后照返回的 nextAction 做：continue 就继续写下一段，不要去问人；ask_user 才把 question 原样交给提问工具（ask_user_question），并把 combinedText 一起贴给用户，然后等他回答。
4. 用户说不对 → 只改他指出的那几段，改好照常继续写、继续 commit；不要整章重写，也不要另起一次提问。
5. 用户说对 → 继续写下一段。
6. 本章全部写完后，才用 novel_new_chapter 把定稿写进正式章节文件。
7. 正式章节在用户确认前不要提前写；用户没回应时不要自己往下写。
8. 镜像只交给人管：不要读它、不要改它、不要清理它，也不要引用它的内容。
什么时候问人由程序的字数阈值判定，不要自己决定。`

// instructions is what every client is told about the server.
const instructions = `git-novel 把一个 git 仓库当作小说的家：每章按「起草 → 已审 → 已提交」前进，每一步带着证据，规则由程序执行。
做什么先看 novel_status：它说出每章的状态、欠着什么、下一步该用哪个工具。
一章的流程：novel_new_chapter 建章 → novel_review 领任务、登记审查 → novel_chapter_commit 提交 → novel_backup 备份。上一章提交之后才能建下一章。
被拒绝时，错误里写着原因和该做的事；照做，不要绕过。

` + chatRules

// chatPrompt is the prompt for chat writing.
const chatPrompt = "chat-writing"

// toolsNote stands behind the agents' texts, which name commands: a client may have only the tools.
const toolsNote = `---
经 MCP 工作、不能运行命令时，用对应的工具：status、state get-chapter-status → novel_status；context、memory-contract load-context → novel_context；
memory-contract 的查询、search → novel_query；outline → novel_outline；chapter show → novel_read；chapter save（新章）→ novel_new_chapter；
review → novel_review；chapter-commit → novel_chapter_commit；summary → novel_summary；backup → novel_backup。没有对应工具的命令请用户运行。`

// addPrompts offers the discipline of chat writing, and the texts of the agents and of the write skill as they are installed
// for clients.
func (s *Server) addPrompts() error {
	s.addPrompt(chatPrompt, "实时聊天写作", "一段一段写、由程序决定何时问用户的八条纪律", chatRules+"\n\n"+schema.ChatModeChecklist)
	list, err := agentkit.Prompts()
	if err != nil {
		return err
	}
	for _, p := range list {
		title, _, _ := strings.Cut(p.About, "：")
		s.addPrompt(p.Name, title, p.About, strings.TrimSpace(p.Body)+"\n\n"+toolsNote)
	}
	return nil
}

// addPrompt offers a text; a call can name the chapter that it is about.
func (s *Server) addPrompt(name, title, about, text string) {
	s.sdk.AddPrompt(&mcp.Prompt{
		Name: name, Title: title, Description: about,
		Arguments: []*mcp.PromptArgument{
			{Name: "book", Title: "书名", Description: "哪本书"},
			{Name: "chapter", Title: "章", Description: "哪一章：章号或标题"},
		},
	}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		text := text
		book, chapter := schema.TrimJS(req.Params.Arguments["book"]), schema.TrimJS(req.Params.Arguments["chapter"])
		if book != "" || chapter != "" {
			text += "\n\n这次的对象："
			if book != "" {
				text += "《" + book + "》"
			}
			text += chapter
		}
		return &mcp.GetPromptResult{
			Description: about, Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}},
		}, nil
	})
}
