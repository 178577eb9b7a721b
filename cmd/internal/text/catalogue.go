package text

// tables lists the Chinese half of the catalogue, one table per area of the code, each in its own file.
func tables() []map[string]string {
	return []map[string]string{
		zhAgents, zhAgentKit, zhBooks, zhCLI, zhDiagnose, zhDiff, zhEngine, zhGitstore, zhLibrary, zhHooks, zhManuscript, zhMCP, zhMemory, zhNouns, zhOutline, zhRecords, zhRepo, zhRules, zhTrash, zhWorkflow,
	}
}

func lookup(format string) (string, bool) {
	for _, t := range tables() {
		if zh, ok := t[format]; ok {
			return zh, true
		}
	}
	return "", false
}
