package text

var zhCLI = map[string]string{
	"not started": "未开始",
	"drafted":     "已起草",
	"reviewed":    "已审查",
	"committed":   "已提交",
}
