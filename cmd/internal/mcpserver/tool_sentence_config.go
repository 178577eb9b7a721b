package mcpserver

import (
	"context"
	"maps"
	"slices"
	"strings"

	"git-novel/schema"
	"git-novel/workflow"
)

func sentenceConfigTool() tool {
	return tool{
		name: schema.ToolConfig,
		about: "写作助手功能设置：工具开关 tools、功能开关 features、提问节奏 chatThreshold（100~5000，0 或 null 恢复默认 400）、实时聊天写作 chatWriting。" +
			"不带参数就是查看。本工具自己不能关闭。",
		args: []property{
			{"tools", switchMap("工具名 → true / false")},
			{"features", switchMap("功能名 → true / false")},
			{"chatThreshold", map[string]any{
				"type": []string{"number", "string", "null"}, "description": "实时聊天写作每批多少字提问一次；0 或 null 恢复默认，非数字忽略",
			}},
			boolean("chatWriting", "实时聊天写作的总开关"),
			rootArg(),
		},
		run: func(ctx context.Context, c *call) (*answer, error) {
			var in workflow.SwitchesInput
			var err error
			if in.Tools, err = c.switches("tools"); err != nil {
				return nil, err
			}
			if in.Features, err = c.switches("features"); err != nil {
				return nil, err
			}
			if in.ChatWriting, err = c.boolean("chatWriting"); err != nil {
				return nil, err
			}
			if raw, ok := c.args["chatThreshold"]; ok {
				in.ChatThreshold = &raw
			}
			r, err := c.s.SetSwitches(ctx, in)
			if err != nil {
				return nil, err
			}
			return renderSwitches(r), nil
		},
	}
}

func switchMap(about string) map[string]any {
	return map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "boolean"}, "description": about}
}

func renderSwitches(r *workflow.Switches) *answer {
	p := newPage("novel-sentence-config", schema.LibraryStatePath)
	if len(r.Changed) > 0 {
		p.add("已更改：%s", strings.Join(r.Changed, "，"))
	}
	if len(r.Ignored) > 0 {
		p.add("已忽略（不是数字）：%s", strings.Join(r.Ignored, "，"))
	}
	p.add("实时聊天写作：%s", onOff(r.ChatWriting))
	p.add("提问节奏：%d 字", r.ChatThreshold)
	var off []string
	for _, t := range r.Tools {
		if !t.On {
			off = append(off, t.Name+"（"+t.Label+"）")
		}
	}
	if len(off) == 0 {
		off = []string{"无"}
	}
	p.add("已关闭的工具：%s", strings.Join(off, "、"))
	for _, f := range slices.Sorted(maps.Keys(r.Features)) {
		p.add("功能 %s：%s", f, onOff(r.Features[f]))
	}
	return p.end(r)
}

func onOff(on bool) string {
	if on {
		return "开"
	}
	return "关"
}
